/// What reference counting would free with an object, or with a component, were these freed now.
///
/// Freed is what all references that hold it come from what is freed; what references from outside hold, or a circle that
/// does not go through what is freed first, stays.
final class ReleaseSimulation {
    /// References that were followed so far.
    private(set) var cost = 0

    private let rows: HeapRows
    private let sizes: [Int32]
    private let outside: OutsideReferences
    /// Lost references of each object.
    private let lost: Column<Int32>
    /// What is freed, in order: objects are numbered breadth first, and so memory is read in its own order.
    private let freed: Column<Int32>
    private var freedCount = 0

    init(_ graph: HeapGraph, _ rows: HeapRows, _ outside: OutsideReferences) throws(NoMemory) {
        self.rows = rows
        sizes = graph.sizes
        self.outside = outside
        lost = try Column(zeroed: rows.count)
        freed = try Column(unwritten: rows.count)
    }

    /// Bytes of `object` and of what would be freed with it.
    func bytes(freedWith object: Int32) -> Int {
        var bytes = 0
        var next = 0
        free(object)
        while next < freedCount {
            let source = freed[next]
            next += 1
            bytes &+= Int(sizes[Int(source)])
            let places = rows.places(of: source)
            cost += places.count + 1
            for place in places {
                let target = rows.targets[place]
                if target != object, isLast(target) { free(target) }
            }
        }
        forget()
        return bytes
    }

    /// Bytes of each component and of what would be freed with it.
    ///
    /// All in one pass: nothing can be freed with two components, as either would be held by the circle in the other.
    func bytes(freedWith components: CyclicComponents, _ summaries: [ComponentSummary]) throws(NoMemory) -> [Int] {
        var bytes = summaries.map(\.bytes)
        let owners = try Column<Int32>(unwritten: rows.count)
        let isShared: Int32 = -1
        func lose(_ target: Int32, _ component: Int32) {
            guard components.component(of: target) < 0 else { return }
            if lost[target] == 0 {
                owners[target] = component
            } else if owners[target] != component {
                owners[target] = isShared
            }
            if isLast(target), owners[target] != isShared { free(target) }
        }
        var next = 0
        for object in 0..<Int32(truncatingIfNeeded: rows.count) {
            let component = components.component(of: object)
            guard component >= 0 else { continue }
            for place in rows.places(of: object) { lose(rows.targets[place], component) }
        }
        while next < freedCount {
            let object = freed[next]
            next += 1
            bytes[Int(owners[object])] &+= Int(sizes[Int(object)])
            for place in rows.places(of: object) { lose(rows.targets[place], owners[object]) }
        }
        for object in 0..<Int32(truncatingIfNeeded: rows.count) where components.component(of: object) >= 0 {
            for place in rows.places(of: object) { lost[rows.targets[place]] = 0 }
        }
        forget()
        return bytes
    }

    /// Takes a reference from `target`. Returns whether it was the last.
    @inline(__always)
    private func isLast(_ target: Int32) -> Bool {
        lost[target] &+= 1
        return lost[target] == outside.found[target] && outside.counts[target] == 0
    }

    @inline(__always)
    private func free(_ object: Int32) {
        freed[freedCount] = object
        freedCount &+= 1
    }

    /// Gives back the references that were taken.
    private func forget() {
        for next in 0..<freedCount {
            for place in rows.places(of: freed[next]) { lost[rows.targets[place]] = 0 }
        }
        freedCount = 0
    }
}
