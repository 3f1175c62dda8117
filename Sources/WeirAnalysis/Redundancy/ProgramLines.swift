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
        for subscription in definitions.subscriptions.values where subscription.isInternal {
            guard let target = subscription.target else { continue }
            inputs[target] = min(inputs[target] ?? .max, subscription.id)
        }
        firstInputs = inputs
    }

    /// The line that defines a node's computation; it may differ from the line that makes the node.
    func computingSite(ofNode id: UInt32) -> TraceSite? {
        firstInputs[id].flatMap { definitions.subscriptions[$0]?.site } ?? definitions.nodes[id]?.site
    }

    func line(ofNode id: UInt32) -> NodeLine {
        definitions.nodes[id].map(NodeLine.init) ?? NodeLine(undefined: id)
    }

    /// The words that identify a node: its label, or else its file, kind, type and property.
    func identity(ofNode id: UInt32) -> [String] {
        guard let node = definitions.nodes[id] else { return [String(id)] }
        let line = NodeLine(node)
        if let label = node.label, !severallyLabelled.contains(line) { return [label] }
        return [node.site?.file ?? "", String(node.rawKind), node.valueType ?? "", line.property ?? ""]
    }

    /// The words that identify a subscriber: those of a labelled target node, or else the file.
    func identity(ofSubscription id: UInt32) -> [String] {
        guard let subscription = definitions.subscriptions[id] else { return id == 0 ? [] : [String(id)] }
        if let target = subscription.target, definitions.nodes[target]?.label != nil { return identity(ofNode: target) }
        return [subscription.site?.file ?? ""]
    }
}

extension ProgramLines.NodeLine {
    fileprivate init(_ node: TraceNode) {
        rawKind = node.rawKind
        valueType = node.valueType
        site = node.site
        guard let label = node.label else { return }
        if node.site == nil { self.label = label }
        let last = label.split(separator: ".").last.map(String.init) ?? label
        // Elements of an array are instances too.
        property = last.hasSuffix("]") ? last.split(separator: "[").first.map(String.init) ?? last : last
    }
}
