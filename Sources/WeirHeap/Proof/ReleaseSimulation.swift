/// Computes what reference counting would free with an object, or with a component, if they were freed now.
///
/// An object is freed if all references that hold it come from freed objects. It stays if a reference from outside holds it, or a
/// cycle that does not pass through the objects freed first.
final class ReleaseSimulation {
    /// The number of references followed so far.
    private(set) var cost = 0

    private let rows: HeapRows
    private let sizes: [Int32]
    private let outside: OutsideReferences
    /// The number of references that each object has lost.
    private let lost: Column<Int32>
    /// The freed objects, in order. Objects are numbered breadth first, so memory is read in its own order.
    private let freed: Column<Int32>
    private var freedCount = 0

    init(_ graph: HeapGraph, _ rows: HeapRows, _ outside: OutsideReferences) throws(NoMemory) {
        self.rows = rows
        sizes = graph.sizes
        self.outside = outside
        lost = try Column(zeroed: rows.count)
        freed = try Column(unwritten: rows.count)
    }

    /// The bytes of `object` and of all objects freed with it.
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

    /// The bytes of each component and of all objects freed with it.
    ///
    /// One pass is enough: nothing can be freed with two components, because the cycle in the other one would hold it.
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

    /// Removes a reference from `target`. Returns whether it was the last one.
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

    /// Restores the references that were removed.
    private func forget() {
        for next in 0..<freedCount {
            for place in rows.places(of: freed[next]) { lost[rows.targets[place]] = 0 }
        }
        freedCount = 0
    }
}
