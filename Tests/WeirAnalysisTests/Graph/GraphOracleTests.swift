import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

@Suite struct GraphOracleTests {
    /// The state and the builder after these events.
    private func builder(_ events: some Sequence<TraceEvent>, _ topology: Topology) -> (GraphBuilder, TraceState) {
        var builder = GraphBuilder(topology)
        var state = TraceState(topology, startTicks: 1000)
        for event in events {
            builder.take(event)
            state.take(event)
        }
        return (builder, state)
    }

    private var apart: GraphOptions {
        var options = GraphOptions()
        options.collapse = .none
        options.showsIdleNodes = true
        return options
    }

    @Test(arguments: Repeats.seeds(4, from: 1))
    func `nodes, edges, counts and lives agree with a naive reading at every event`(seed: UInt64) {
        let flow = RandomFlow(seed: seed)
        let topology = Topology(flow.definitions)
        var builder = GraphBuilder(topology)
        var state = TraceState(topology, startTicks: 1000)
        for (place, event) in flow.events.enumerated() {
            builder.take(event)
            state.take(event)
            let naive = NaiveGraph(Array(flow.events[...place]), flow.definitions, isMoment: true)
            #expect(NaiveGraph(builder.graph(of: state, .moment, apart)) == naive, "after \(event.id)")
        }
        let naive = NaiveGraph(flow.events, flow.definitions, isMoment: false)
        #expect(NaiveGraph(builder.graph(of: state, .wholeRecording, apart)) == naive)
    }

    @Test func `the random programs write, trigger, release and end subscriptions`() {
        var kinds: Set<FlowGraph.EdgeKind> = []
        var hasDead = false
        for seed in 1...60 {
            let flow = RandomFlow(seed: UInt64(seed))
            let (builder, state) = builder(flow.events, Topology(flow.definitions))
            let graph = builder.graph(of: state, .wholeRecording, apart)
            kinds.formUnion(graph.edges.map(\.kind))
            let left = builder.graph(of: state, .moment, apart)
            hasDead = hasDead || left.nodes.count < graph.nodes.count && left.edges.count < graph.edges.count
        }
        #expect(kinds.count == 3 && hasDead)
    }

    @Test(arguments: 1...100)
    func `whatever is drawn as one, nothing is lost or counted twice`(seed: Int) {
        let flow = RandomFlow(seed: UInt64(seed))
        let (builder, state) = builder(flow.events, Topology(flow.definitions))
        let whole = builder.graph(of: state, .wholeRecording, apart)
        let feeding = Set(whole.edges.map(\.source))
        let unheard = whole.nodes.indices.count {
            whole.nodes[$0].emissions > 0 && whole.nodes[$0].handlers == 0 && !feeding.contains($0)
        }
        for collapse in GraphOptions.Collapse.allCases {
            var options = apart
            options.collapse = collapse
            let graph = builder.graph(of: state, .wholeRecording, options)
            #expect(graph.nodes.flatMap(\.ids).sorted() == whole.nodes.flatMap(\.ids))
            #expect(graph.nodes.map { $0.ids[0] } == graph.nodes.map { $0.ids[0] }.sorted())
            #expect(graph.nodes.allSatisfy { $0.ids == $0.ids.sorted() })
            #expect(graph.nodes.reduce(0) { $0 + $1.activity } == whole.nodes.reduce(0) { $0 + $1.activity })
            #expect(graph.nodes.reduce(0) { $0 + $1.handlers } == whole.nodes.reduce(0) { $0 + $1.handlers })
            #expect(graph.nodes.reduce(0) { $0 + $1.unheard } == unheard)
            let groups = graph.nodes.compactMap(\.group)
            #expect(Set(groups) == Set(graph.groups.indices), "no group is empty")
            if collapse == .owner || collapse == .file {
                let place = Dictionary(
                    uniqueKeysWithValues: graph.nodes.enumerated().flatMap { node in
                        node.element.ids.map { ($0, node.offset) }
                    })
                let hidden = whole.edges.count { edge in
                    place[whole.nodes[edge.source].ids[0]] == place[whole.nodes[edge.target].ids[0]]
                }
                #expect(graph.nodes.reduce(0) { $0 + $1.hiddenEdges } == hidden)
                #expect(graph.edges.allSatisfy { $0.source != $0.target })
            } else {
                // Links between instances of one code are not drawn, unless they close a cycle.
                let place = Dictionary(
                    uniqueKeysWithValues: graph.nodes.enumerated().flatMap { node in
                        node.element.ids.map { ($0, node.offset) }
                    })
                let isHidden = { (edge: FlowGraph.Edge) in
                    edge.source != edge.target && !edge.isFeedback
                        && place[whole.nodes[edge.source].ids[0]] == place[whole.nodes[edge.target].ids[0]]
                }
                let drawn = whole.edges.filter { !isHidden($0) }
                #expect(graph.edges.reduce(0) { $0 + $1.deliveries } == drawn.reduce(0) { $0 + $1.deliveries })
                #expect(graph.edges.reduce(0) { $0 + $1.count } == drawn.reduce(0) { $0 + $1.count })
                #expect(graph.nodes.reduce(0) { $0 + $1.hiddenEdges } == whole.edges.count - drawn.count)
            }
            if collapse == .none {
                #expect(FeedbackTests.isAcyclic(graph.edges.filter { !$0.isFeedback }, count: graph.nodes.count))
            }
            // Feedback edges are determined for the program's nodes: drawing some nodes as one adds no feedback.
            let places = Dictionary(
                uniqueKeysWithValues: graph.nodes.enumerated().flatMap { node in
                    node.element.ids.map { ($0, node.offset) }
                })
            func ends(_ edge: FlowGraph.Edge) -> [Int] {
                [
                    places[whole.nodes[edge.source].ids[0]] ?? -1, places[whole.nodes[edge.target].ids[0]] ?? -1,
                    edge.kind.rawValue,
                ]
            }
            let isApart = collapse == .none || collapse == .instances
            let back = Set(whole.edges.filter(\.isFeedback).map(ends).filter { isApart || $0[0] != $0[1] })
            #expect(Set(graph.edges.filter(\.isFeedback).map { [$0.source, $0.target, $0.kind.rawValue] }) == back)
        }
    }

    @Test(arguments: 1...60)
    func `a selection is what so many steps up and down reach`(seed: Int) {
        let flow = RandomFlow(seed: UInt64(seed))
        let (builder, state) = builder(flow.events, Topology(flow.definitions))
        let whole = builder.graph(of: state, .wholeRecording, apart)
        let steps = whole.edges.map { (whole.nodes[$0.source].ids[0], whole.nodes[$0.target].ids[0]) }
        for depth in [0, 1, 2, nil] {
            for direction in GraphOptions.Direction.allCases {
                var options = apart
                (options.nodes, options.depth, options.direction) = ([3], depth, direction)
                let graph = builder.graph(of: state, .wholeRecording, options)
                var up: Set<UInt32> = [3]
                var down: Set<UInt32> = [3]
                for _ in 0..<(depth ?? 20) {
                    for id in up { up.formUnion(steps.filter { $0.1 == id }.map(\.0)) }
                    for id in down { down.formUnion(steps.filter { $0.0 == id }.map(\.1)) }
                }
                let reached = (direction == .downstream ? [] : up).union(direction == .upstream ? [] : down)
                let isKnown = whole.nodes.contains { $0.ids == [3] }
                #expect(graph.nodes.map { $0.ids[0] } == (isKnown ? reached.sorted() : []))
                #expect(
                    graph.edges.count == steps.count { reached.contains($0.0) && reached.contains($0.1) } || !isKnown)
            }
        }
    }
}
