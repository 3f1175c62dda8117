import Testing

@testable import WeirAnalysis
@testable import WeirTrace

/// Groups, names, and nodes that are drawn as one.
@Suite struct GraphNamingTests {
    private var definitions = TraceDefinitions()

    private mutating func node(
        _ id: UInt32, _ kind: NodeKind, _ label: String? = nil, owner: UInt32? = nil, at file: String, _ line: Int
    ) {
        definitions.nodes[id] = TraceNode(
            id: id, rawKind: kind.rawValue, label: label, site: TraceSite(file: "App/\(file)", line: line), owner: owner
        )
    }

    private mutating func feed(_ path: UInt32...) {
        for (source, target) in zip(path, path.dropFirst()) {
            let id = UInt32(definitions.subscriptions.count + 1)
            definitions.subscriptions[id] = TraceSubscription(id: id, source: source, target: target, isInternal: true)
        }
    }

    private func graph(_ collapse: GraphOptions.Collapse = .instances) -> FlowGraph {
        let topology = Topology(definitions)
        var options = GraphOptions()
        options.collapse = collapse
        return GraphBuilder(topology).graph(of: TraceState(topology, startTicks: 0), .wholeRecording, options)
    }

    /// "group: name, name ×2; …", with nodes without a group at the end.
    private func said(_ graph: FlowGraph) -> String {
        func names(_ group: Int?) -> String {
            graph.nodes.filter { $0.group == group }.map { $0.name + ($0.ids.count > 1 ? " ×\($0.ids.count)" : "") }
                .joined(separator: ", ")
        }
        let groups = graph.groups.indices.map { "\(graph.groups[$0].name): \(names($0))" }
        return (groups + [names(nil)].filter { !$0.isEmpty }).joined(separator: "; ")
    }

    @Test mutating func `a node stands with its owner, and its name lacks the owner's`() {
        definitions.objects[1] = TraceObject(id: 1, type: "Model", label: "shop.model")
        node(1, .observable, "shop.model.price", owner: 1, at: "Model.swift", 3)
        node(2, .observable, "View.label", at: "View.swift", 4)
        node(3, .observable, "alone", at: "Main.swift", 5)
        feed(1, 2, 3, 4)
        #expect(said(graph()) == "shop.model: price; View: label; no owner: Main.swift: alone; node 4")
    }

    @Test mutating func `an operator without owner joins no model of its file`() {
        node(1, .observable, "Model.price", at: "Model.swift", 3)
        node(2, .map, at: "Model.swift", 4)
        node(3, .observable, "One.a", at: "Both.swift", 5)
        node(4, .observable, "Two.b", at: "Both.swift", 6)
        node(5, .map, at: "Both.swift", 7)
        feed(1, 2, 3, 4, 5)
        #expect(
            said(graph())
                == "Model: price; no owner: Model.swift: map Model.swift:4; One: a; Two: b; no owner: Both.swift: map Both.swift:7"
        )
    }

    @Test mutating func `instances are drawn as one, and apart when that is asked for`() {
        for id in 1...3 as ClosedRange<UInt32> {
            definitions.objects[id] = TraceObject(id: id, type: "Cell", label: id == 3 ? "last" : nil)
            node(id, .observable, (id == 3 ? "last" : "Cell") + ".text", owner: id, at: "Cell.swift", 3)
            node(id + 3, .map, at: "Cell.swift", 4)
            feed(id, id + 3)
        }
        #expect(said(graph()) == "Cell: text ×3; no owner: Cell.swift: map Cell.swift:4 ×3")
        #expect(graph().edges.map(\.count) == [3])
        #expect(
            said(graph(.none)) == "Cell #1: text; Cell #2: text; last: text; "
                + "no owner: Cell.swift: map Cell.swift:4 #4, map Cell.swift:4 #5, map Cell.swift:4 #6")
        #expect(said(graph(.owner)) == "Cell ×3, no owner: Cell.swift ×3")
        #expect(said(graph(.file)) == "Cell.swift ×6")
    }

    @Test mutating func `operators that one line chains are no instances of each other`() {
        for first in [1, 11] as [UInt32] {
            for id in first...(first + 3) { node(id, id % 10 == 2 ? .filter : .map, at: "Line.swift", 9) }
            feed(first, first + 1, first + 2, first + 3)
        }
        let graph = graph()
        #expect(
            said(graph)
                == "no owner: Line.swift: map Line.swift:9 ×2, filter Line.swift:9 ×2, map Line.swift:9 (2) ×2, map Line.swift:9 (3) ×2"
        )
        #expect(graph.edges.allSatisfy { !$0.isFeedback && $0.count == 2 })
    }

    @Test mutating func `files of one name in two modules keep their modules`() {
        node(1, .map, at: "A/View.swift", 1)
        node(2, .map, at: "B/View.swift", 2)
        feed(1, 2)
        #expect(graph().groups.map(\.name) == ["no owner: App/A/View.swift", "no owner: App/B/View.swift"])
    }

    @Test mutating func `what did nothing and is connected to nothing is left out and counted`() {
        for id in 1...4 as ClosedRange<UInt32> { node(id, .observable, "Model.\(id)", at: "Model.swift", Int(id)) }
        feed(1, 2)
        definitions.subscriptions[9] = TraceSubscription(id: 9, source: 3)
        #expect(said(graph()) == "Model: 1, 2, 3")
        #expect(graph().idleNodes == 1)
    }
}
