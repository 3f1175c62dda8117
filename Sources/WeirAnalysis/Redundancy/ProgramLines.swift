import WeirTrace

/// Which nodes come from the same line of the program, and what names them when lines have moved.
struct ProgramLines {
    /// What the nodes that one line makes have in common.
    struct NodeLine: Hashable {
        /// The label of a node of unknown place; nil where the place is known.
        var label: String?
        var site: TraceSite?
        var rawKind: UInt8 = 0
        var valueType: String?
        /// Several properties may be made on one line; instances differ in what comes before.
        var property: String?
        /// A node that the trace does not define stands for itself.
        var undefined: UInt32 = 0
    }

    let definitions: TraceDefinitions
    /// Lines that made nodes of several labels: cells that are named by what they show.
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

    /// The line that says what a node is computed from; it need not be the one that makes the node.
    func computingSite(ofNode id: UInt32) -> TraceSite? {
        firstInputs[id].flatMap { definitions.subscriptions[$0]?.site } ?? definitions.nodes[id]?.site
    }

    func line(ofNode id: UInt32) -> NodeLine {
        definitions.nodes[id].map(NodeLine.init) ?? NodeLine(undefined: id)
    }

    /// The words by which a node is known again: its label; else its file, kind, type and property.
    func identity(ofNode id: UInt32) -> [String] {
        guard let node = definitions.nodes[id] else { return [String(id)] }
        let line = NodeLine(node)
        if let label = node.label, !severallyLabelled.contains(line) { return [label] }
        return [node.site?.file ?? "", String(node.rawKind), node.valueType ?? "", line.property ?? ""]
    }

    /// The words by which a subscriber is known again: those of a labelled node that is fed; else the file.
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
        // Elements of an array are instances, too.
        property = last.hasSuffix("]") ? last.split(separator: "[").first.map(String.init) ?? last : last
    }
}
