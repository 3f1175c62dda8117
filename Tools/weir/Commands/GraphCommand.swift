import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir graph`: the dependency graph.
enum GraphCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "graph", summary: "Draw what depends on what, with what each node did.", arguments: ["TRACE"],
        options: [
            .init(
                name: "format", placeholder: "FORMAT",
                help: Wording.list(GraphFormat.allCases.map { $0 == .text ? "text (the default)" : $0.rawValue }, "or")
                    + "."),
            .init(
                name: "output", short: "o", placeholder: "FILE",
                help: "Write to this file, which is replaced unless it is a trace."),
            .init(
                name: "at", placeholder: "MOMENT",
                help: "What is alive then: a time (12ms), an event (1:42), a stimulus (number or text), or end."),
            .init(
                name: "node", placeholder: "NAME", isRepeatable: true,
                help: "Only this node and what is connected with it, up and down; repeatable."),
            .init(name: "depth", placeholder: "N", help: "With --node: follow at most so many edges each way."),
            .init(name: "upstream", help: "With --node: only what it depends on."),
            .init(name: "downstream", help: "With --node: only what depends on it."),
            .init(
                name: "collapse", placeholder: "WHAT",
                help: "Draw as one: instances of the same code (the default), all of an owner or file, or none."),
            .init(
                name: "width", placeholder: "PIXELS",
                help: "With --format svg: the most pixels from left to right (default \(GraphSVG.usualWidth))."),
            .init(
                name: "expand", placeholder: "NAME", isRepeatable: true,
                help:
                    "With --format svg: draw the nodes of this box, of a graph that is too large to draw each; repeatable."
            ),
            .init(name: "all", help: "Show also nodes that did nothing and are connected to nothing."),
            CommandGrammar.strict,
            CommandGrammar.color,
        ],
        details: """
            An edge leads from a node to what it feeds with values (→), to what it triggers without giving a value (~>),
            or to what code that received its values was seen to write (⇢). An edge that closes a cycle is marked (↺).
            A handler is a closure that receives values, such as a view's. 'emitted' counts new values, 'refreshed'
            deliveries to handlers, 'suppressed' values that went no further.

            Without --at, the graph shows everything that the recording ever held, and the totals. Nodes are grouped by
            their owner; those without owner stand under 'no owner', with their file. Values are shown with --at.

            A picture of more than \(GraphFolding.mostBoxes) nodes has boxes that stand for several: the largest owners first. --expand NAME draws
            the nodes of such a box, --collapse instances those of all.

              weir graph TRACE --format svg -o graph.svg       a picture, without any other tool
              weir graph TRACE --format dot | dot -Tpdf -O     drawn by Graphviz
              weir graph TRACE --format mermaid                for ```mermaid in Markdown, which GitHub draws
              weir graph TRACE --node loginEnabled --upstream  what it depends on
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", GraphFormat.self) ?? .text
        let style = try console.style(arguments)
        var options = try options(arguments)
        let moment = try Moments.moment("at", arguments)
        let file = try arguments.value("output").map { path throws(UsageError) in try OutputFile(path) }
        let path = try arguments.tracePath()
        let reader = try TraceReader(path: path)
        let topology = Topology(try reader.definitions())
        let width = try arguments.value("width", expecting: "a number of pixels from 640") {
            Int($0).flatMap { (640...1_000_000).contains($0) ? $0 : nil }
        }
        if width != nil, format != .svg { throw UsageError.needsOption("width", "--format svg") }
        if let names = arguments.values["node"] {
            let directory = NodeDirectory(topology.definitions)
            options.nodes = try names.reduce(into: []) { $0.formUnion(try directory.ids(named: $1, in: path)) }
        }
        let (builder, state) = try read(reader, topology, to: moment, arguments, path, console)
        var graph = builder.graph(of: state, moment == nil ? .wholeRecording : .moment, options)
        let opened = arguments.values["expand"] ?? []
        if !opened.isEmpty, format != .svg { throw UsageError.needsOption("expand", "--format svg") }
        var remark = ""
        if format == .svg, !arguments.has("collapse") || !opened.isEmpty {
            (graph, remark) = try folded(graph, opened)
        }
        let drawing = GraphDrawing(
            graph: graph, remark: remark, path: path, state: state, isMoment: moment != nil,
            losses: TraceLosses(reader), timeScale: TimeScale(reader.header), width: width ?? GraphSVG.usualWidth)
        let text =
            switch format {
            case .text: drawing.text(style: file == nil ? style : .plain)
            case .dot: drawing.dot
            case .mermaid: drawing.mermaid
            case .svg: drawing.svg
            case .json: drawing.json
            }
        switch file {
        case let file?: try file.write(text)
        case nil where format == .text: try console.show(text)
        case nil: try console.output.write(text)
        }
        if format == .mermaid, let obstacle = GraphMermaid.obstacle(graph, text) {
            try console.output.flush()
            console.complain(Wording.notDrawable(path, obstacle))
        }
        return try console.conclude(reader, path, arguments)
    }

    /// A graph that is too large, with boxes of several nodes, and a sentence about them.
    private static func folded(_ graph: FlowGraph, _ opened: [String]) throws(UsageError) -> (FlowGraph, String) {
        guard let all = graph.folded() else {
            if let name = opened.first {
                throw .badValue(option: "expand", value: name, expected: "a graph that has boxes for several nodes")
            }
            return (graph, "")
        }
        var names = Set(graph.groups.map(\.name))
        names.formUnion(all.nodes.filter { $0.foldedNodes > 0 }.map(\.name))
        for name in opened where !names.contains(name) {
            throw .badValue(
                option: "expand", value: name, expected: "the name of a box of several nodes",
                nearest: UsageError.nearest(name, Array(names)))
        }
        guard let shown = opened.isEmpty ? all : graph.folded(open: Set(opened)) else { return (graph, "") }
        let boxes = shown.nodes.filter { $0.foldedNodes > 0 }
        guard !boxes.isEmpty else { return (shown, "") }
        let gathered = boxes.reduce(0) { $0 + $1.foldedNodes }
        return (shown, Wording.folded(gathered, of: graph.nodes.count, in: boxes.count))
    }

    /// The graph's content up to a moment; nil: all that the recording held.
    private static func read(
        _ reader: TraceReader, _ topology: Topology, to moment: Moment?, _ arguments: ParsedArguments, _ path: String,
        _ console: Console
    ) throws -> (GraphBuilder, TraceState) {
        do {
            return try console.showingProgress(of: path) { report in
                if moment == nil, let counted = GraphBuilder.counting(reader, topology, reporting: report) {
                    return counted
                }
                var builder = GraphBuilder(topology)
                var pass = try MomentPass(reader, topology, to: moment ?? .end, reporting: report)
                try pass.run(reporting: report) { event, _ in
                    builder.take(event)
                    return true
                }
                return (builder, pass.state)
            }
        } catch let error as MomentError {
            throw try Moments.usageError(for: error, of: arguments.value("at") ?? "", reader, path, console)
        }
    }

    private static func options(_ arguments: ParsedArguments) throws(UsageError) -> GraphOptions {
        var options = GraphOptions()
        options.collapse = try arguments.choice("collapse", GraphOptions.Collapse.self) ?? .instances
        options.depth = try arguments.value("depth", expecting: "a number of edges, such as 2") {
            Int($0).flatMap { $0 >= 0 ? $0 : nil }
        }
        options.showsIdleNodes = arguments.has("all")
        switch (arguments.has("upstream"), arguments.has("downstream")) {
        case (true, false): options.direction = .upstream
        case (false, true): options.direction = .downstream
        default: options.direction = .both
        }
        for option in ["depth", "upstream", "downstream"] where arguments.has(option) && !arguments.has("node") {
            throw .needsOption(option, "--node NAME")
        }
        return options
    }
}

/// The graph of a trace with its heading.
private struct GraphDrawing {
    let graph: FlowGraph
    /// The parts that the picture leaves out; may be empty.
    let remark: String
    let path: String
    let state: TraceState
    let isMoment: Bool
    let losses: TraceLosses
    let timeScale: TimeScale
    let width: Int

    func text(style: Style) -> String { GraphText(graph, title: title, subtitle: subtitle).text(style: style) }
    var dot: String { GraphDOT(graph, title: title, subtitle: subtitle).text }
    var mermaid: String { GraphMermaid(graph).text }
    var svg: String { GraphSVG(graph, title: title, subtitle: subtitle + remark, width: width).text }
    var json: String {
        GraphJSON(graph, path: path, asOf: isMoment ? (state.lastEvent, nanoseconds) : nil).json.indentedText + "\n"
    }

    private var title: String { path.split(separator: "/").last.map(String.init) ?? path }
    private var nanoseconds: UInt64 { timeScale.nanosecondsSinceStart(state.ticks) }

    private var subtitle: String {
        let events = Figures.count(state.order, "event")
        let scope = Losses.scope(of: losses)
        guard isMoment else {
            return scope.isEmpty ? "over the whole recording of \(events)" : "over the \(events)\(scope)"
        }
        guard let last = state.lastEvent else { return "before the first event" }
        return "as of \(Figures.duration(nanoseconds: nanoseconds)), after \(events), the last of them \(last)"
    }
}
