/// Chooses the cycles to report.
///
/// Each closure of a component gets a shortest cycle through it. In a component without closures each instance does, and without
/// these each object.
///
/// No cycle is reported twice. The first cycle of every component comes before the second of any, so that no component hides
/// another. Within both groups, proven cycles come first. Omissions because of the limits are counted.
struct ToldCircles {
    /// A cycle, and the component that it is in.
    struct Told {
        var circle: CircleSearch.Circle
        var component: Int32
    }

    /// The maximum number of cycles in a component without closures: a long list has one at each of its links.
    static let limitWithoutClosures = 1_000

    /// Proven cycles first, then in the order of their components' first objects.
    private(set) var told: [Told] = []
    /// The number of closures and instances whose cycles are not reported because of the limits.
    private(set) var omitted = 0

    private let search: CircleSearch
    private let summaries: [ComponentSummary]
    private let rows: HeapRows
    private let components: CyclicComponents
    private let limit: Int
    private var known: Set<[Int]> = []
    private var toldByComponent: [Int]
    /// For each component, whether it is a single ring that is already reported.
    private var isComplete: [Bool]
    /// The length of the shortest reported cycle through each object.
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
        // Each component bounds its first search. The other searches share a budget for the whole graph.
        let budget = search.cost + 1 << 18 + (rows.count + rows.referenceCount) / 8
        for isGarbage in [true, false] {
            seeds.forEach { seed, component in
                guard summaries[Int(component)].isGarbage == isGarbage, !isTold(seed, component) else { return }
                guard told.count < limit, search.cost < budget, hasRoom(component) else {
                    // An object on a reported cycle is covered, even if that is not its shortest cycle.
                    if lengths[seed.object] == .max || seed.reference != nil { omitted += 1 }
                    return
                }
                tell(seed, component)
            }
        }
    }

    /// Whether the shortest cycle through a seed is known to be reported.
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
