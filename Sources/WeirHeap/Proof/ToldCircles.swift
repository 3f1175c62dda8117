/// Which circles are told: a shortest one through each closure of a component, or, where a component has no closure,
/// through each of its instances, or, where it has not even these, through each object.
///
/// Each circle once. The first of every component comes before the second of any, so that no component hides another, and
/// of both the proven ones first. What the bounds leave out is counted.
struct ToldCircles {
    /// A circle, and the component that it lies in.
    struct Told {
        var circle: CircleSearch.Circle
        var component: Int32
    }

    /// Most circles of a component without closures: a long list has one at each of its links.
    static let limitWithoutClosures = 1_000

    /// Proven ones first, then in the order of their components' first objects.
    private(set) var told: [Told] = []
    /// Closures and instances through which no circle is told because of the bounds.
    private(set) var omitted = 0

    private let search: CircleSearch
    private let summaries: [ComponentSummary]
    private let rows: HeapRows
    private let components: CyclicComponents
    private let limit: Int
    private var known: Set<[Int]> = []
    private var toldByComponent: [Int]
    /// Components that are nothing but a ring, which is told.
    private var isComplete: [Bool]
    /// Length of the shortest circle that is told through each object.
    private let lengths: Column<Int32>

    init(
        _ graph: HeapGraph, _ rows: HeapRows, _ components: CyclicComponents, _ incoming: IncomingReferences,
        _ summaries: [ComponentSummary], limit: Int, rootCount: Int
    ) throws(NoMemory) {
        self.rows = rows
        self.components = components
        self.summaries = summaries
        self.limit = limit
        search = try CircleSearch(rows, components, incoming)
        toldByComponent = Array(repeating: 0, count: summaries.count)
        isComplete = Array(repeating: false, count: summaries.count)
        lengths = try Column(repeating: .max, count: rows.count)
        choose(CircleSeeds(graph, rows, components, summaries))
        let order = told.indices.sorted { left, right in
            let (first, second) = (summaries[Int(told[left].component)], summaries[Int(told[right].component)])
            if first.isGarbage != second.isGarbage { return first.isGarbage }
            return (first.firstObject, left) < (second.firstObject, right)
        }
        told = order.map { place in
            var told = told[place]
            told.circle.begin(in: graph, rootCount: rootCount)
            return told
        }
    }

    private mutating func choose(_ seeds: CircleSeeds) {
        var firsts: [CircleSeed?] = Array(repeating: nil, count: summaries.count)
        seeds.forEach { seed, component in
            if firsts[Int(component)] == nil { firsts[Int(component)] = seed }
        }
        for isGarbage in [true, false] {
            for (component, seed) in firsts.enumerated() where summaries[component].isGarbage == isGarbage {
                if let seed, told.count < limit { tell(seed, Int32(truncatingIfNeeded: component)) }
            }
        }
        // Every first search is bounded by its component; the others share what the whole graph is worth.
        let budget = search.cost + 1 << 18 + (rows.count + rows.referenceCount) / 8
        for isGarbage in [true, false] {
            seeds.forEach { seed, component in
                guard summaries[Int(component)].isGarbage == isGarbage, !isTold(seed, component) else { return }
                guard told.count < limit, search.cost < budget, hasRoom(component) else {
                    // What lies on a told circle is told of, if perhaps not by its shortest one.
                    if lengths[seed.object] == .max || seed.reference != nil { omitted += 1 }
                    return
                }
                tell(seed, component)
            }
        }
    }

    /// Whether the shortest circle through a seed is known to be told.
    private func isTold(_ seed: CircleSeed, _ component: Int32) -> Bool {
        isComplete[Int(component)] || seed.reference == nil && lengths[seed.object] == 1
    }

    private func hasRoom(_ component: Int32) -> Bool {
        summaries[Int(component)].hasClosures || toldByComponent[Int(component)] < Self.limitWithoutClosures
    }

    private mutating func tell(_ seed: CircleSeed, _ component: Int32) {
        let found =
            if let reference = seed.reference {
                search.circle(along: reference, of: seed.object)
            } else {
                search.circle(through: seed.object)
            }
        guard let circle = found, known.insert(circle.signature).inserted else { return }
        for object in circle.objects {
            lengths[object] = min(lengths[object], Int32(truncatingIfNeeded: circle.objects.count))
        }
        toldByComponent[Int(component)] += 1
        told.append(Told(circle: circle, component: component))
        if circle.objects.count == summaries[Int(component)].objects {
            isComplete[Int(component)] = circle.objects.allSatisfy { object in
                let inner = rows.places(of: object).lazy.filter { [rows, components] place in
                    components.component(of: rows.targets[place]) == component
                }
                return inner.dropFirst().isEmpty
            }
        }
    }
}
