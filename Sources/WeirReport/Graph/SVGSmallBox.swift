import WeirAnalysis

/// A small box: the handlers of a node, or a node that is in another row of the picture.
struct SVGSmallBox {
    enum Content {
        /// Closures that receive the values of this node.
        case handlers(FlowGraph.Node)
        /// The node feeds others here, and is drawn elsewhere.
        case elsewhere(FlowGraph.Node)
    }

    private static let padding = 10.0
    private static let step = 12.5

    private let style: StaticString
    private let lines: [String]
    private let tooltip: String

    init(_ content: Content) {
        switch content {
        case .handlers(let node):
            style = "call"
            let sites = node.handlerSites.map(\.shortDescription)
            let shown = sites.prefix(3).flatMap { SVGText.wrapped($0, to: 34) }
            let more = max(node.handlers - sites.count, sites.count - 3)
            lines =
                shown.isEmpty
                ? [Figures.count(node.handlers, "handler")] : shown + (more > 0 ? ["and \(more) more"] : [])
            tooltip =
                "\(Figures.count(node.handlers, "handler")) of \(TerminalText.escaped(SVGText.start(node.name)))"
                + sites.map { " | \(TerminalText.escaped(SVGText.start($0)))" }.joined()
        case .elsewhere(let node):
            style = "elsewhere"
            lines = SVGText.wrapped(node.name, to: 34)
            tooltip = "\(TerminalText.escaped(SVGText.start(node.name))): drawn above or below"
        }
    }

    var width: Double {
        (2 * Self.padding + (lines.map { SVGText.width($0, size: 10) }.max() ?? 0)).rounded(.up)
    }

    var height: Double { 10 + Double(lines.count) * Self.step }

    func drawn(in box: Rectangle) -> String {
        var text = "<g><title>\(SVGText.escaped(tooltip))</title><rect class=\"\(style)\" "
        text += "x=\"\(SVGText.number(box.x))\" y=\"\(SVGText.number(box.y))\" "
        text += "width=\"\(SVGText.number(box.width))\" height=\"\(SVGText.number(box.height))\" "
        text += "rx=\"\(SVGText.number(min(11, box.height / 2)))\"/>"
        for (number, line) in lines.enumerated() {
            text += SVGNode.text(
                "faint", x: box.x + Self.padding, y: box.y + 15 + Double(number) * Self.step - 1.5, line)
        }
        return text + "</g>\n"
    }
}
