import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

@Suite struct GraphRenderingTests {
    @Test func `hostile names do not break Mermaid's grammar`() {
        let grammar = MermaidGrammar(GraphMermaid(.hostile).text)
        #expect(grammar.complaints == [])
        #expect(grammar.nodes.count == FlowGraph.hostile.nodes.count)
        #expect(grammar.edges.count == FlowGraph.hostile.edges.count)
    }

    @Test func `the grammar of the test refuses what is no Mermaid`() {
        let sound = "flowchart TD\n    n0[\"a\"]:::heat1\n    n0 --> n0\n    classDef heat1 fill:#fff\n"
        #expect(MermaidGrammar(sound).complaints == [])
        for (part, other) in [
            ("\"a\"", "\"a\"b\""), ("n0 -->", "n1 -->"), ("classDef heat1", "classDef heat2"), ("[\"a\"]", "[\"a:b\"]"),
            ("flowchart", "flow"), ("n0 --> n0", "n0 --> n0; x"), ("    n0 -->", "    end\n    n0 -->"),
            ("classDef", "linkStyle 1 stroke:#f00\n    classDef"), ("\"a\"", "\"#quot;\""),
        ] {
            let parts = sound.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
            #expect(MermaidGrammar(parts.joined(separator: other)).complaints != [], "\(other)")
        }
    }

    @Test func `a label of Mermaid says what the name is`() {
        #expect(GraphMermaid.escaped("a \"b\" <c>: d#1;") == "a #34;b#34; #60;c#62;#58; d#35;1#59;")
        #expect(GraphMermaid.escaped("1. list") == "1#46; list")
        #expect(GraphMermaid.escaped("\u{1B}[2J") == "#92;u#123;1B#125;#91;2J")
    }

    @Test func `what GitHub will not draw is reported`() {
        var graph = FlowGraph()
        graph.nodes = (0..<600).map { .init(ids: [$0], name: "n") }
        let text = GraphMermaid(graph).text
        #expect(GraphMermaid.obstacle(graph, text) == nil)
        graph.edges = (0..<500).map { .init(source: $0, target: $0 + 1, kind: .data) }
        #expect(GraphMermaid.obstacle(graph, text) == nil)
        graph.edges.append(.init(source: 500, target: 501, kind: .data))
        #expect(GraphMermaid.obstacle(graph, text) == "it has 501 edges, and GitHub draws at most 500")
        graph.edges = []
        let long = String(repeating: "é", count: 50_001)
        #expect(GraphMermaid.obstacle(graph, String(long.dropLast())) == nil)
        #expect(GraphMermaid.obstacle(graph, long) == "it has 50,001 characters, and GitHub draws at most 50,000")
    }

    @Test func `text for DOT keeps quotation marks, backslashes and entities apart from the language`() {
        #expect(GraphDOT.escaped("a \"b\" \\N &lt;") == "a \\\"b\\\" \\\\N &amp;lt;")
        #expect(GraphDOT.escaped("a\nb") == "a\\\\nb")
        #expect(GraphDOT(.hostile, title: "x\"y", subtitle: "\u{1B}").text.hasPrefix("digraph \"x\\\"y\" {\n"))
    }

    @Test(.enabled(if: Graphviz.path != nil, "Graphviz is not installed: no command 'dot'"))
    func `Graphviz reads hostile names, and sees every node and edge`() throws {
        let plain = try Graphviz.plain(GraphDOT(.hostile, title: "hostile \"\\", subtitle: "end").text)
        #expect(plain.count { $0.hasPrefix("node ") } == FlowGraph.hostile.nodes.count)
        #expect(plain.count { $0.hasPrefix("edge ") } == FlowGraph.hostile.edges.count)
    }

    @Test(.enabled(if: Graphviz.path != nil, "Graphviz is not installed: no command 'dot'"), arguments: 1...30)
    func `Graphviz lays out the graphs of random programs without a complaint`(seed: Int) throws {
        let flow = RandomFlow(seed: UInt64(seed))
        let topology = Topology(flow.definitions)
        var builder = GraphBuilder(topology)
        var state = TraceState(topology, startTicks: 1000)
        for event in flow.events {
            builder.take(event)
            state.take(event)
        }
        let graph = builder.graph(of: state)
        let plain = try Graphviz.plain(GraphDOT(graph, title: "random").text)
        #expect(plain.count { $0.hasPrefix("node ") } == graph.nodes.count)
        #expect(plain.count { $0.hasPrefix("edge ") } == graph.edges.count)
        #expect(MermaidGrammar(GraphMermaid(graph).text).complaints == [])
    }

    @Test func `hostile names cannot steer a terminal`() {
        let text = GraphText(.hostile, title: "\u{1B}]0;x\u{7}", subtitle: "\u{9B}").text()
        let isSafe = text.unicodeScalars.allSatisfy { $0 == "\n" || !TerminalText.mustBeEscaped($0) }
        #expect(isSafe)
        #expect(text.hasPrefix("\\u{1B}]0;x\\u{7}: 22 nodes and 66 edges, \\u{9B}\n"))
    }

    @Test func `heat tells nodes that did more from those that did less`() {
        var graph = FlowGraph()
        for (id, emissions) in ([0, 1, 10, 1000, 1_000_000] as [UInt64]).enumerated() {
            graph.nodes.append(.init(ids: [UInt32(id)], name: ""))
            graph.nodes[id].emissions = emissions
        }
        let heat = GraphHeat(graph)
        #expect([0, 1, 10, 1000, 1_000_000].map { heat.level($0) } == [0, 1, 1, 2, 4])
        #expect(heat.level(500_000) == 3)
        #expect(heat.bar(1_000_000, cells: 2) == "██" && heat.bar(500_000, cells: 2) == "█")
        #expect(heat.bar(1, cells: 2) == "▏" && heat.bar(0, cells: 2) == "")
        #expect(GraphHeat(FlowGraph()).level(0) == 0)
    }

    @Test func `of nodes that are drawn as one, those that nobody hears are counted`() {
        var graph = FlowGraph()
        graph.nodes = [.init(ids: [1, 2, 3], name: "level"), .init(ids: [4], name: "body")]
        graph.edges = [.init(source: 0, target: 1, kind: .data)]
        graph.nodes[0].unheard = 2
        graph.nodes[1].unheard = 1
        let text = GraphText(graph, title: "t").text()
        #expect(text.contains("      → body\n      2 of 3 emitted values and feed nothing\n"))
        #expect(!text.contains("1 of 1"))
    }

    @Test func `long lists of targets are broken, and a target in another group has its group's name`() {
        var graph = FlowGraph()
        graph.groups = [.init(name: "Model"), .init(name: "View")]
        for id in 0..<7 {
            graph.nodes.append(.init(ids: [UInt32(id)], name: "property\(id)"))
            graph.nodes[id].group = id < 4 ? 0 : 1
            if id > 0 { graph.edges.append(.init(source: 0, target: id, kind: id == 6 ? .timing : .data)) }
        }
        graph.edges.append(.init(source: 6, target: 6, kind: .handler))
        graph.nodes[0].handlers = 2
        graph.markFeedback()
        let lines = GraphText(graph, title: "t").text(width: 45).split(separator: "\n")
        #expect(
            lines[3...6] == [
                "  property0        ·          ·           ·", "      → property1, property2, property3,",
                "        View.property4, View.property5,", "        2 handlers",
            ])
        #expect(lines[7] == "      ~> View.property6")
        #expect(
            lines.suffix(3) == [
                "  property6        ·          ·           ·", "      ↺ ⇢ itself",
                "→ feeds   ~> triggers   ⇢ its code writes   ↺ leads back, closing a cycle",
            ])
    }
}
