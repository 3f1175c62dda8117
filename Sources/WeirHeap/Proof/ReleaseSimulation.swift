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
    private var touched: [Int32] = []
    private var freed: [Int32] = []

    init(_ graph: HeapGraph, _ rows: HeapRows, _ outside: OutsideReferences) {
        self.rows = rows
        sizes = graph.sizes
        self.outside = outside
        lost = Column(repeating: 0, count: rows.count)
    }

    /// Bytes of `object` and of what would be freed with it.
    func bytes(freedWith object: Int32) -> Int {
        var bytes = 0
        freed.append(object)
        while let next = freed.popLast() {
            bytes &+= Int(sizes[Int(next)])
            let places = rows.places(of: next)
            cost += places.count + 1
            for place in places {
                let target = rows.targets[place]
                guard target != object else { continue }
                if lost[target] == 0 { touched.append(target) }
                lost[target] &+= 1
                if lost[target] == outside.found[target], outside.counts[target] == 0 { freed.append(target) }
            }
        }
        for target in touched { lost[target] = 0 }
        touched.removeAll(keepingCapacity: true)
        return bytes
    }

    /// Bytes of each component and of what would be freed with it.
    ///
    /// All in one pass: nothing can be freed with two components, as either would be held by the circle in the other.
    func bytes(freedWith components: CyclicComponents, _ summaries: [ComponentSummary]) -> [Int] {
        var bytes = summaries.map(\.bytes)
        let owners = Column<Int32>(unwritten: rows.count)
        let isShared: Int32 = -1
        func lose(_ target: Int32, _ component: Int32) {
            guard components.component(of: target) < 0 else { return }
            if lost[target] == 0 {
                touched.append(target)
                owners[target] = component
            } else if owners[target] != component {
                owners[target] = isShared
            }
            lost[target] &+= 1
            guard lost[target] == outside.found[target], outside.counts[target] == 0 else { return }
            if owners[target] != isShared { freed.append(target) }
        }
        for object in 0..<Int32(truncatingIfNeeded: rows.count) {
            let component = components.component(of: object)
            guard component >= 0 else { continue }
            for place in rows.places(of: object) { lose(rows.targets[place], component) }
        }
        while let next = freed.popLast() {
            let owner = owners[next]
            bytes[Int(owner)] &+= Int(sizes[Int(next)])
            for place in rows.places(of: next) { lose(rows.targets[place], owner) }
        }
        for target in touched { lost[target] = 0 }
        touched.removeAll(keepingCapacity: true)
        return bytes
    }
}
