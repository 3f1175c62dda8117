import WeirAnalysis

/// A box: name, kind and site, three counts, and its activity as its colour.
struct SVGNode {
    private let node: FlowGraph.Node
    private let name: [String]
    /// "= true" for a node whose value is known.
    private let value: String
    private let origin: [String]
    private let counts: [(sign: SVGSign, text: String)]
    /// From 0 (no activity) to the highest level (the busiest node).
    private let heat: Int
    private let tooltip: String

    private static let padding = 13.0
    private static let columns = 34
    /// The distances from a line to the next one.
    private static let nameStep = 14.0
    private static let originStep = 12.5

    init(_ node: FlowGraph.Node, group: String?, busiest: UInt64) {
        self.node = node
        let isFolded = node.foldedNodes > 0
        let several = node.ids.count > 1 && !isFolded ? " ×\(SVGText.count(UInt64(node.ids.count)))" : ""
        name = SVGText.wrapped(node.name + several, to: Self.columns)
        value = node.isPrivate ? "" : GraphWords.value(node, columns: 20).map { "= " + $0 } ?? ""
        let place = isFolded ? Figures.count(node.foldedNodes, "node") + " in one box" : GraphWords.origin(node)
        origin = place.isEmpty ? [] : SVGText.wrapped(place, to: 44)
        counts = [
            (.emission, SVGText.count(node.emissions)), (.refresh, SVGText.count(node.refreshes)),
            (.suppression, SVGText.count(node.suppressions)),
        ]
        heat = GraphHeat.level(node.activity, of: busiest, hottest: SVGStyle.heatLevels - 1)
        tooltip = Self.tooltip(node, kind: node.kind?.name, group: group)
    }

    private var lastName: String { name.last ?? "" }

    /// The width that all its text needs.
    var width: Double {
        let lines =
            name.map { SVGText.width($0, size: 12) } + origin.map { SVGText.width($0, size: 9.5) }
            + [
                SVGText.width(lastName, size: 12) + (value.isEmpty ? 0 : 8 + SVGText.width(value, size: 12))
                    + (node.isPrivate ? 16 : 0), counts.reduce(-10) { $0 + Self.width($1.text) },
            ]
        return max(112, (2 * Self.padding + (lines.max() ?? 0)).rounded(.up))
    }

    /// The height of all its lines.
    var height: Double { countsHeight + 8 }

    /// The position of the line of counts.
    private var countsHeight: Double {
        18 + Double(name.count - 1) * Self.nameStep
            + (origin.isEmpty ? 15.5 : 30 + Double(origin.count - 1) * Self.originStep)
    }

    private static func width(_ count: String) -> Double { SVGText.width(count, size: 10) + 24 }

    func drawn(in box: Rectangle) -> String {
        let (x, top) = (SVGText.number(box.x), SVGText.number(box.y))
        let size = "width=\"\(SVGText.number(box.width))\" height=\"\(SVGText.number(box.height))\""
        var text = node.isAlive ? "<g>" : "<g class=\"gone\">"
        text += "<title>\(SVGText.escaped(tooltip))</title>"
        if node.foldedNodes > 0 {
            // Seems to lie on others.
            text +=
                "<path class=\"frame\" style=\"fill:none\" d=\"M\(SVGText.number(box.x + 8)) \(SVGText.number(box.y + box.height + 3.5))"
            text += "H\(SVGText.number(box.x + box.width - 3))a6 6 0 0 0 6-6V\(SVGText.number(box.y + 8))\"/>"
        }
        text += "<rect class=\"box h\(heat)\" x=\"\(x)\" y=\"\(top)\" \(size) rx=\"6\"/>"
        text += "<path class=\"b\(heat)\" d=\"M\(SVGText.number(box.x + 6)) \(top)a6 6 0 0 0-6 6v"
        text += "\(SVGText.number(box.height - 12))a6 6 0 0 0 6 6h-1a1 1 0 0 1-1-1v\(SVGText.number(2 - box.height))"
        text += "a1 1 0 0 1 1-1z\"/>"
        let left = box.x + Self.padding
        var y = box.y + 18
        for (number, line) in name.enumerated() {
            if number > 0 { y += Self.nameStep }
            text += Self.text("name", x: left, y: y, line)
        }
        if !value.isEmpty {
            text += Self.text("value", x: left + SVGText.width(lastName, size: 12) + 8, y: y, value)
        }
        if node.isPrivate {
            text += SVGSign.lock.drawn(x: left + SVGText.width(lastName, size: 12) + 10, y: y - 4)
        }
        for (number, line) in origin.enumerated() {
            y += number == 0 ? 14.5 : Self.originStep
            text += Self.text("small faint", x: left, y: y, line)
        }
        y = box.y + countsHeight
        var place = left
        for (sign, count) in counts {
            let isNothing = count == "0"
            text += isNothing ? "<g opacity=\".45\">" : "<g>"
            text += sign.drawn(x: place + 4, y: y - 3.5)
            text += Self.text(isNothing ? "faint" : "", x: place + 12, y: y, count) + "</g>"
            place += Self.width(count)
        }
        return text + "</g>\n"
    }

    /// A line of text; its class may be empty.
    static func text(_ style: String, x: Double, y: Double, _ text: String) -> String {
        let style = style.isEmpty ? "" : " class=\"\(style)\""
        return "<text\(style) x=\"\(SVGText.number(x))\" y=\"\(SVGText.number(y))\">\(SVGText.escaped(text))</text>"
    }

    private static func tooltip(_ node: FlowGraph.Node, kind: String?, group: String?) -> String {
        let ids = node.ids.prefix(12).map { "#\($0)" }.joined(separator: ", ") + (node.ids.count > 12 ? ", …" : "")
        var lines = [SVGText.start(node.name)]
        if let group { lines.append("in \(SVGText.start(group))") }
        if let kind { lines.append("kind \(kind)") }
        if let site = node.site { lines.append("at \(SVGText.start(site.description))") }
        lines.append(node.ids.count == 1 ? "node \(ids)" : "\(node.ids.count) nodes: \(ids)")
        if node.isPrivate {
            lines.append("private")
        } else if let value = node.value {
            lines.append("value \(SVGText.start(value.description))")
        }
        lines.append(
            [
                Figures.count(node.emissions, "emission"), Figures.count(node.refreshes, "refresh", "refreshes"),
                Figures.count(node.suppressions, "suppression"), Figures.count(node.handlers, "handler"),
            ].joined(separator: ", "))
        if !node.isAlive { lines.append("released") }
        return lines.map(TerminalText.escaped).joined(separator: " | ")
    }
}

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

/// The small signs in front of figures and names.
enum SVGSign {
    /// New values emitted, values shown by a handler, suppressed values, withheld values.
    case emission, refresh, suppression, lock

    /// The sign in a square of eight, centred on the point.
    func drawn(x: Double, y: Double) -> String {
        let place = "transform=\"translate(\(SVGText.number(x)) \(SVGText.number(y)))\""
        return switch self {
        case .emission: "<path class=\"dot\" \(place) d=\"M-3-3.6L4 0L-3 3.6z\"/>"
        case .refresh:
            "<path class=\"sign\" \(place) d=\"M3.1-1.6A3.5 3.5 0 1 0 3.4 1\"/>"
                + "<path class=\"dot\" \(place) d=\"M4.6-4.2v4h-4z\"/>"
        case .suppression:
            "<path class=\"sign\" \(place) d=\"M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M-2.4 2.4L2.4-2.4\"/>"
        case .lock:
            "<path class=\"sign\" \(place) d=\"M-2-.5v-1.6a2 2 0 0 1 4 0v1.6\"/>"
                + "<path class=\"dot\" \(place) d=\"M-3.4-.8h6.8v4.8h-6.8z\"/>"
        }
    }
}
