import Testing
import WeirAnalysis
import WeirTrace

@testable import WeirReport

struct SVGTests {
    private func graph(_ names: [String], _ edges: [FlowGraph.Edge] = []) -> FlowGraph {
        var graph = FlowGraph()
        graph.nodes = names.enumerated().map { FlowGraph.Node(ids: [UInt32($0 + 1)], name: $1) }
        graph.edges = edges
        return graph
    }

    @Test func `a node is drawn as a box with its name, place and counts`() {
        var node = FlowGraph.Node(ids: [7], name: "username")
        node.kind = .observable
        node.site = TraceSite(file: "Login/LoginView.swift", line: 12)
        (node.emissions, node.refreshes, node.suppressions, node.handlers) = (12_345, 2, 0, 1)
        node.value = .string("Maruko")
        let box = Rectangle(x: 10, y: 20, width: 180, height: 56)
        let expected = """
            <g><title>username | in LoginView | kind observable | at Login/LoginView.swift:12 | node #7 | \
            value &quot;Maruko&quot; | 12,345 emissions, 2 refreshes, 0 suppressions, 1 handler</title>\
            <rect class="box h5" x="10" y="20" width="180" height="56" rx="6"/>\
            <path class="b5" d="M16 20a6 6 0 0 0-6 6v44a6 6 0 0 0 6 6h-1a1 1 0 0 1-1-1v-54a1 1 0 0 1 1-1z"/>\
            <text class="name" x="23" y="38">username</text>\
            <text class="value" x="89.6" y="38">= &quot;Maruko&quot;</text>\
            <text class="small faint" x="23" y="52.5">observable LoginView.swift:12</text>\
            <g>\(SVGSign.emission.drawn(x: 27, y: 64.5))<text x="35" y="68">12.3k</text></g>\
            <g>\(SVGSign.refresh.drawn(x: 81.5, y: 64.5))<text x="89.5" y="68">2</text></g>\
            <g opacity=".45">\(SVGSign.suppression.drawn(x: 111.6, y: 64.5))\
            <text class="faint" x="119.6" y="68">0</text></g></g>

            """
        #expect(SVGNode(node, group: "LoginView", busiest: node.activity).drawn(in: box) == expected)
    }

    @Test func `a line is level at both ends, and its tip is at the target`() {
        let route = Route(points: [Point(x: 0, y: 10), Point(x: 20, y: 10), Point(x: 60, y: 50)])
        #expect(SVGPath.data(route) == "M0 10H20C37 10 37 50 54 50")
        #expect(SVGPath.tip(route, at: Point(x: 60, y: 50)) == "M60 50l-7 -3.4v6.8z")
        let back = Route(points: route.points.reversed())
        #expect(SVGPath.data(back) == "M60 50C40 50 40 10 20 10H6")
        #expect(SVGPath.tip(back, at: Point(x: 0, y: 10)) == "M0 10l7 -3.4v6.8z")
    }

    @Test func `each kind of line, and feedback, has a manner of its own`() {
        var feedback = FlowGraph.Edge(source: 1, target: 0, kind: .data)
        feedback.isFeedback = true
        var several = FlowGraph.Edge(source: 0, target: 1, kind: .timing)
        (several.count, several.isAlive) = (4, false)
        let text = GraphSVG(
            graph(
                ["a", "b"],
                [
                    .init(source: 0, target: 1, kind: .data), several, .init(source: 0, target: 1, kind: .handler),
                    feedback,
                ]
            ), title: "t"
        ).text
        #expect(text.contains("class=\"line data t0\""))
        #expect(text.contains("class=\"line timing t0\""))
        #expect(text.contains("class=\"line handler t0\""))
        #expect(text.contains("class=\"line data feedback t0\""))
        #expect(text.contains(">×4</text>"))
        #expect(text.contains("<g class=\"edge gone\">"))
        #expect(text.contains(">no longer alive</text>"))
    }

    @Test func `the legend names only what occurs`() {
        let text = GraphSVG(graph(["a"]), title: "t").text
        #expect(text.contains(">new values</text>"))
        #expect(!text.contains(">triggers, without giving a value</text>"))
        #expect(!text.contains(">closes a loop</text>"))
        #expect(!text.contains(">the value is private</text>"))
    }

    @Test func `a private value is not in the picture`() {
        var graph = graph(["password"])
        graph.nodes[0].isPrivate = true
        graph.nodes[0].value = .string("hunter2")
        let text = GraphSVG(graph, title: "t").text
        #expect(!text.contains("hunter2"))
        #expect(text.contains(">the value is private</text>"))
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "a & b", "\"'>", "]]>", "<!--", "\u{0}\u{1}\u{8}\u{B}\u{1B}[31m",
        "\u{FFFE}\u{FFFF}",
        "\u{202E}live", "日本語のとても長い名前が続いていくところ日本語のとても長い名前", "e" + String(repeating: "\u{301}", count: 5000),
        String(repeating: "x", count: 10_000), "&#0;", "", "\u{1FFFE}\u{7F}\u{85}",
    ])
    func `no text breaks the picture`(_ text: String) {
        var graph = graph([text, "b"], [.init(source: 0, target: 1, kind: .data)])
        graph.groups = [.init(name: text)]
        graph.nodes[0].group = 0
        graph.nodes[0].value = .string(text)
        graph.nodes[0].site = TraceSite(file: text, line: 1)
        let svg = GraphSVG(graph, title: text, subtitle: text).text
        #expect(Markup.fault(in: svg) == nil)
        #expect(!svg.contains("<script"))
        #expect(svg.utf8.count < 60_000, "a name fills eight lines at most")
    }

    @Test func `the check of markup finds faults`() {
        #expect(Markup.fault(in: "<a b=\"c\"><d/>x &amp; y</a>") == nil)
        for text in [
            "<a>", "<a></b>", "<a b=c/>", "<a>&</a>", "<a>\u{1}</a>", "<a b=\"<\"/>", "<a/>x", "<a>\u{FFFE}</a>",
        ] {
            #expect(Markup.fault(in: text) != nil, "\(text)")
        }
    }

    @Test func `counts take little room`() {
        let counts: [UInt64] = [0, 9999, 10_000, 12_345, 999_999, 1_000_000, 12_000_000_000, .max]
        #expect(counts.map(SVGText.count) == ["0", "9,999", "10k", "12.3k", "999k", "1M", "12G", "18,446P"])
    }

    @Test func `coordinates have at most one decimal`() {
        #expect([0, 1.25, -0.04, -3.5, 1e300].map(SVGText.number) == ["0", "1.3", "0", "-3.5", "1000000000000"])
    }

    @Test func `heat tells orders of magnitude apart`() {
        let levels = [0, 1, 9, 99, 9999, 99_999].map { GraphHeat.level($0, of: 99_999, hottest: 5) }
        #expect(levels == [0, 1, 1, 2, 4, 5])
        #expect(GraphHeat.level(.max, of: .max, hottest: 5) == 5)
    }

    @Test func `an empty graph is a picture too`() {
        #expect(Markup.fault(in: GraphSVG(FlowGraph(), title: "empty").text) == nil)
    }
}
