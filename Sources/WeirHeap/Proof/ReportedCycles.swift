/// Chooses the cycles to report.
///
/// Each closure of a component gets a shortest cycle through it. In a component without closures each instance does, and without
/// these each object.
///
/// No cycle is reported twice. The first cycle of every component comes before the second of any, so that no component hides
/// another. Within both groups, proven cycles come first. Omissions because of the limits are counted.
struct ReportedCycles {
    /// A cycle, and the component that it is in.
    struct Reported {
        var cycle: CycleSearch.Cycle
        var component: Int32
    }

    /// The maximum number of cycles in a component without closures: a long list has one at each of its links.
    static let limitWithoutClosures = 1_000

    /// Proven cycles first, then in the order of their components' first objects.
    private(set) var reported: [Reported] = []
    /// The number of closures and instances whose cycles are not reported because of the limits.
    private(set) var omitted = 0

    private let search: CycleSearch
    private let summaries: [ComponentSummary]
    private let rows: HeapRows
    private let components: CyclicComponents
    private let limit: Int
    private var known: Set<[Int]> = []
    private var reportedByComponent: [Int]
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
        search = try CycleSearch(rows, components, incoming)
        reportedByComponent = Array(repeating: 0, count: summaries.count)
        isComplete = Array(repeating: false, count: summaries.count)
        lengths = try Column(repeating: .max, count: rows.count)
        choose(CycleSeeds(graph, rows, components, summaries))
        let order = reported.indices.sorted { left, right in
            let (first, second) = (summaries[Int(reported[left].component)], summaries[Int(reported[right].component)])
            if first.isGarbage != second.isGarbage { return first.isGarbage }
            return (first.firstObject, left) < (second.firstObject, right)
        }
        reported = order.map { place in
            var reported = reported[place]
            reported.cycle.begin(in: graph, rootCount: rootCount)
            return reported
        }
    }

    private mutating func choose(_ seeds: CycleSeeds) {
        var firsts: [CycleSeed?] = Array(repeating: nil, count: summaries.count)
        seeds.forEach { seed, component in
            if firsts[Int(component)] == nil { firsts[Int(component)] = seed }
        }
        for isGarbage in [true, false] {
            for (component, seed) in firsts.enumerated() where summaries[component].isGarbage == isGarbage {
                if let seed, reported.count < limit { report(seed, Int32(truncatingIfNeeded: component)) }
            }
        }
        // Each component bounds its first search. The other searches share a budget for the whole graph.
        let budget = search.cost + 1 << 18 + (rows.count + rows.referenceCount) / 8
        for isGarbage in [true, false] {
            seeds.forEach { seed, component in
                guard summaries[Int(component)].isGarbage == isGarbage, !isReported(seed, component) else { return }
                guard reported.count < limit, search.cost < budget, hasRoom(component) else {
                    // An object on a reported cycle is covered, even if that is not its shortest cycle.
                    if lengths[seed.object] == .max || seed.reference != nil { omitted += 1 }
                    return
                }
                report(seed, component)
            }
        }
    }

    /// Whether the shortest cycle through a seed is known to be reported.
    private func isReported(_ seed: CycleSeed, _ component: Int32) -> Bool {
        isComplete[Int(component)] || seed.reference == nil && lengths[seed.object] == 1
    }

    private func hasRoom(_ component: Int32) -> Bool {
        summaries[Int(component)].hasClosures || reportedByComponent[Int(component)] < Self.limitWithoutClosures
    }

    private mutating func report(_ seed: CycleSeed, _ component: Int32) {
        let found =
            if let reference = seed.reference {
                search.cycle(along: reference, of: seed.object)
            } else {
                search.cycle(through: seed.object)
            }
        guard let cycle = found, known.insert(cycle.signature).inserted else { return }
        for object in cycle.objects {
            lengths[object] = min(lengths[object], Int32(truncatingIfNeeded: cycle.objects.count))
        }
        reportedByComponent[Int(component)] += 1
        reported.append(Reported(cycle: cycle, component: component))
        if cycle.objects.count == summaries[Int(component)].objects {
            isComplete[Int(component)] = cycle.objects.allSatisfy { object in
                let inner = rows.places(of: object).lazy.filter { [rows, components] place in
                    components.component(of: rows.targets[place]) == component
                }
                return inner.dropFirst().isEmpty
            }
        }
    }
}
