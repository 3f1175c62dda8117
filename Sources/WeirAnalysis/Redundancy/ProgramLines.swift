import WeirTrace

/// Groups nodes by the line of the program that makes them, and identifies them after lines have moved.
struct ProgramLines {
    /// The common properties of the nodes that one line makes.
    struct NodeLine: Hashable {
        /// The label of a node without a known line; nil if the line is known.
        var label: String?
        var site: TraceSite?
        var rawKind: UInt8 = 0
        var valueType: String?
        /// The last part of the label: several properties may be made on one line, while instances differ in the parts before
        /// it.
        var property: String?
        /// The id of a node that the trace does not define, which forms a group of its own.
        var undefined: UInt32 = 0
    }

    let definitions: TraceDefinitions
    /// Lines that made nodes with several labels, such as cells named after their content.
    private let severallyLabelled: Set<NodeLine>
    /// The first subscription that feeds each node.
    private let firstInputs: [UInt32: UInt32]
    /// The sources of each node that is fed by more than one other node.
    private let joins: [UInt32: Set<UInt32>]
    /// Lines on which an operator feeds another one of the same kind.
    private let chained: Set<NodeLine>

    init(_ definitions: TraceDefinitions) {
        self.definitions = definitions
        var labels: [NodeLine: String] = [:]
        var several: Set<NodeLine> = []
        for node in definitions.nodes.values {
            guard let label = node.label, node.site != nil else { continue }
            let line = NodeLine(node)
            if let known = labels[line], known != label { several.insert(line) }
            labels[line] = label
        }
        severallyLabelled = several
        var inputs: [UInt32: UInt32] = [:]
        var sources: [UInt32: UInt32] = [:]
        var joins: [UInt32: Set<UInt32>] = [:]
        for subscription in definitions.subscriptions.values where subscription.isInternal {
            guard let target = subscription.target else { continue }
            inputs[target] = min(inputs[target] ?? .max, subscription.id)
            if let known = sources[target], known != subscription.source {
                joins[target, default: [known]].insert(subscription.source)
            }
            sources[target] = subscription.source
        }
        firstInputs = inputs
        self.joins = joins
        chained = definitions.subscriptions.values.reduce(into: []) { chained, subscription in
            guard let source = definitions.nodes[subscription.source],
                let target = subscription.target.flatMap({ definitions.nodes[$0] })
            else { return }
            let line = NodeLine(source).ofAllTypes
            if line.site != nil, line == NodeLine(target).ofAllTypes { chained.insert(line) }
        }
    }

    /// Whether `.settled` would let the node evaluate once in a turn.
    func canSettle(_ id: UInt32) -> Bool {
        guard let node = definitions.nodes[id], joins[id] != nil else { return false }
        return node.technique == .weir && (node.kind == .combiner || node.kind == .combineLatest)
    }

    /// Whether the program computes the node from several others, rather than writing it from handlers.
    func computes(_ id: UInt32) -> Bool {
        let kind = definitions.nodes[id]?.kind
        return kind == .combiner || kind == .combineLatest
    }

    /// The node that holds the values of a node, which come from it through operators with a single input.
    ///
    /// Nil: they are events, or an operator joins several nodes.
    func state(behind id: UInt32) -> UInt32? { if case .state(let node) = origin(of: id) { node } else { nil } }

    /// The node whose values a batch joins: the state behind a node, or a combineLatest of states, if a settled combiner replaces it.
    func batched(behind id: UInt32) -> UInt32? {
        switch origin(of: id) {
        case .state(let node): node
        case .joined(let node):
            definitions.nodes[node]?.kind == .combineLatest
                && joins[node]?.allSatisfy({ state(behind: $0) != nil }) == true
                ? node : nil
        case .events: nil
        }
    }

    /// Whether the values of a node come from one emitter or cold source, through operators: an equal one may be another event.
    func comesFromEvents(_ id: UInt32) -> Bool { if case .events = origin(of: id) { true } else { false } }

    /// The origin of a node's values.
    private enum Origin {
        /// An emitter or cold source.
        case events
        case state(UInt32)
        /// An operator, given here, joins several nodes, or values.
        case joined(UInt32)
    }

    private func origin(of id: UInt32) -> Origin {
        var node = id
        for _ in 0..<Self.mostOperators {
            guard let known = definitions.nodes[node], known.technique == .weir else { return .state(node) }
            switch known.kind {
            case .emitter, .source: return .events
            // It gathers a state, which no batch holds back.
            case .scan: return .joined(node)
            case .share, .replay, .execution: break
            case let kind where kind?.isHot == true: return .state(node)
            default: break
            }
            if joins[node] != nil { return .joined(node) }
            guard let input = firstInputs[node].flatMap({ definitions.subscriptions[$0] }) else { return .state(node) }
            node = input.source
        }
        return .state(node)
    }

    /// Limits the search in the graph of a hostile trace.
    private static let mostOperators = 1000

    /// Whether a node may need only a part of the values that a subscription brings, so that fewer of them need an evaluation.
    ///
    /// With a single input, an operator that narrows it would evaluate as often. A value without parts cannot be narrowed.
    func canNarrow(_ subscription: UInt32, of id: UInt32) -> Bool {
        guard let node = definitions.nodes[id], node.technique == .weir else { return true }
        guard joins[id] != nil, let source = definitions.subscriptions[subscription]?.source,
            let type = definitions.nodes[source]?.valueType
        else { return false }
        return !Self.hasNoParts(type)
    }

    private static func hasNoParts(_ type: String) -> Bool {
        var type = Substring(type)
        while type.hasSuffix("?") { type = type.dropLast() }
        while type.hasPrefix("Optional<"), type.hasSuffix(">") { type = type.dropFirst(9).dropLast() }
        let words: Set<Substring> = [
            "Bool", "Character", "String", "Double", "Float", "CGFloat", "Date", "UUID", "URL", "()",
        ]
        return words.contains(type) || type.hasPrefix("Int") || type.hasPrefix("UInt")
    }

    /// The nodes of the kind `onEvent` directly before a subscription, with the subscriptions that feed them; nearest first.
    func effects(before subscription: UInt32) -> [(node: UInt32, input: UInt32)] {
        var (found, next): ([(node: UInt32, input: UInt32)], UInt32) = ([], subscription)
        while found.count < Self.mostOperators, let source = definitions.subscriptions[next]?.source,
            definitions.nodes[source]?.kind == .onEvent, let input = firstInputs[source]
        {
            found.append((source, input))
            next = input
        }
        return found
    }

    /// The subscription of a feedback loop to end or change: the last one of a handler, or else the last one.
    func cut(_ tally: RuleTally) -> UInt32 {
        tally.loop.last { definitions.subscriptions[$0].map { !$0.isInternal && $0.site != nil } == true } ?? tally.via
    }

    /// The observable that the only handler of feedback loops writes, if the handler observes something computed from it; otherwise nil.
    func corrected(_ tallies: [RuleTally]) -> UInt32? {
        var first: UInt32?
        for tally in tallies {
            let edges = tally.loop.compactMap { definitions.subscriptions[$0] }
            let handlers = edges.indices.filter { !edges[$0].isInternal }
            guard handlers.count == 1, let handler = handlers.first,
                case let written = edges[(handler + 1) % edges.count].source, written != edges[handler].source,
                definitions.nodes[written]?.kind == .observable
            else { return nil }
            first = first ?? written
        }
        return first
    }

    /// The properties that all subscriptions of a line share.
    struct Edge: Hashable {
        let site: TraceSite?
        let source: NodeLine
    }

    func edge(_ subscription: UInt32) -> Edge? {
        definitions.subscriptions[subscription].map { Edge(site: $0.site, source: line(ofNode: $0.source)) }
    }

    /// Whether a node's first source begins with its current value.
    func beginsWithCurrent(_ id: UInt32) -> Bool {
        firstInputs[id].flatMap { definitions.subscriptions[$0] }.flatMap { definitions.nodes[$0.source]?.kind }
            == .current
    }

    /// The line that defines a node's computation; it may differ from the line that makes the node.
    func computingSite(ofNode id: UInt32) -> TraceSite? {
        firstInputs[id].flatMap { definitions.subscriptions[$0]?.site } ?? definitions.nodes[id]?.site
    }

    func line(ofNode id: UInt32) -> NodeLine {
        definitions.nodes[id].map(NodeLine.init) ?? NodeLine(undefined: id)
    }

    /// The line of a node that causes findings. Operators that one line makes with values of several types, such as in a generic
    /// function, have one line; operators of one kind that are chained on a line do not.
    func causeLine(ofNode id: UInt32) -> NodeLine {
        let line = line(ofNode: id)
        return line.site == nil || chained.contains(line.ofAllTypes) ? line : line.ofAllTypes
    }

    /// The words that identify a node: its label, or else the name of its file, its kind, type and property.
    func identity(ofNode id: UInt32, withFiles: Bool = true) -> [String] {
        guard let node = definitions.nodes[id] else { return [String(id)] }
        let line = NodeLine(node)
        if let label = node.label, !severallyLabelled.contains(line) { return [label] }
        let file = withFiles ? node.site?.fileName ?? "" : ""
        return [file, String(node.rawKind), node.valueType ?? "", line.property ?? ""]
    }

    /// The words that identify a subscriber: those of a labelled target node, or else the name of the file.
    func identity(ofSubscription id: UInt32, withFiles: Bool = true) -> [String] {
        guard let subscription = definitions.subscriptions[id] else { return id == 0 ? [] : [String(id)] }
        if let target = subscription.target, definitions.nodes[target]?.label != nil {
            return identity(ofNode: target, withFiles: withFiles)
        }
        return [withFiles ? subscription.site?.fileName ?? "" : ""]
    }
}

extension ProgramLines.NodeLine {
    fileprivate var ofAllTypes: Self {
        var line = self
        line.valueType = nil
        return line
    }

    fileprivate init(_ node: TraceNode) {
        rawKind = node.rawKind
        valueType = node.valueType
        site = node.site
        guard let label = node.label else { return }
        if node.site == nil { self.label = label }
        let last = label.lastPart(separatedBy: ".")
        // Elements of an array are instances too.
        property = last.hasSuffix("]") ? last.split(separator: "[").first.map(String.init) ?? last : last
    }
}
