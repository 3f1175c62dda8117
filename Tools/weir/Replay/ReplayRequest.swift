import WeirAnalysis
import WeirReport
import WeirTrace

/// The request of a `weir replay` command line, bound to its trace.
struct ReplayRequest {
    let arguments: ParsedArguments
    let path: String
    let format: OutputFormat
    let style: Style
    let at: Moment?
    let until: Moment?
    /// The factor relative to the recorded speed; nil for as fast as possible.
    let speed: Double?
    let reader: TraceReader
    let topology: Topology
    let timeScale: TimeScale
    /// The ids of the requested nodes, in the order of the options; nil if none is named.
    let nodes: [UInt32]?
    let breaks: [NamedCondition]
    let watches: [NamedCondition]
    let isInteractive: Bool

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        self.arguments = arguments
        format = try arguments.choice("format", OutputFormat.self) ?? .text
        style = try console.style(arguments)
        at = try Moments.moment("at", arguments)
        until = try Moments.moment("until", arguments)
        speed = try arguments.value("speed", expecting: "1x, 2x, 0.5x or max", words: ["max"], Self.speed) ?? nil
        for option in ["until", "break", "watch", "speed"] where at != nil && arguments.has(option) {
            throw UsageError.contradiction("at", option)
        }
        let breaks = try Self.expressions("break", arguments)
        let watches = try Self.expressions("watch", arguments)
        path = try arguments.tracePath()
        reader = try TraceReader(path: path)
        topology = Topology(try reader.definitions())
        timeScale = TimeScale(reader.header)
        let names = NodesWithState(topology, path: path)
        nodes = try Self.nodes(arguments, names)
        self.breaks = try breaks.map { try NamedCondition($0.text, $0.expression, names) }
        self.watches = try watches.map { try NamedCondition($0.text, $0.expression, names) }
        let hasTask = ["at", "until", "break", "watch", "speed"].contains { arguments.has($0) }
        isInteractive = !hasTask && format == .text && console.canTakeOverTerminal
    }

    /// "2x" and "0.5x", or "max"; the outer nil if it is neither.
    static func speed(_ text: String) -> Double?? {
        if text == "max" { return .some(nil) }
        guard text.hasSuffix("x"), let factor = Double(text.dropLast()), factor.isFinite, factor >= 0.001 else {
            return nil
        }
        return factor
    }

    private static func expressions(
        _ option: String, _ arguments: ParsedArguments
    ) throws(UsageError) -> [(text: String, expression: Expression)] {
        var result: [(String, Expression)] = []
        for text in arguments.values[option] ?? [] {
            do { result.append((text, try Expression(text))) } catch {
                throw .badExpression(option: option, text, error)
            }
        }
        return result
    }

    private static func nodes(
        _ arguments: ParsedArguments, _ nodes: NodesWithState
    ) throws(UsageError) -> [UInt32]? {
        guard let names = arguments.values["node"] else { return nil }
        var ids: [UInt32] = []
        for name in names {
            if name.isEmpty { throw .badValue(option: "node", value: "", expected: "a node's name or number") }
            for id in try nodes.ids(named: name) where !ids.contains(id) { ids.append(id) }
        }
        return ids
    }
}

/// A condition as it was written.
struct NamedCondition {
    let text: String
    let condition: Condition

    /// Binds an expression; refuses a name that several nodes share, and lists their numbers.
    init(_ text: String, _ expression: Expression, _ names: NodesWithState) throws(UsageError) {
        self.text = text
        condition = try Condition(expression) { (name) throws(UsageError) in
            let ids = try names.ids(named: name)
            guard ids.count == 1 else { throw .sharedName(name, ids: ids) }
            return ids[0]
        }
    }
}
