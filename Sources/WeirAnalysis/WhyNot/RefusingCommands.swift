import WeirTrace

/// The commands that refused to execute because of a stimulus, and the nodes that publish what they execute.
///
/// No subscription leads from a command to the values of an execution that never began.
struct RefusingCommands {
    private let definitions: TraceDefinitions
    private let commands: [TraceNode]

    /// - Parameter places: the indexes of nodes that stopped a value and emitted none.
    init(_ topology: Topology, _ places: [Int]) {
        definitions = topology.definitions
        commands = places.sorted().compactMap { topology.definitions.nodes[topology.nodeIDs[$0]] }
            .filter { $0.kind == .command }
    }

    /// The id of the command that publishes through a node; nil if none of the commands does.
    func command(publishingThrough id: UInt32) -> UInt32? {
        guard !commands.isEmpty, let node = definitions.nodes[id] else { return nil }
        return commands.first { publishes($0, through: node) }?.id
    }

    private func publishes(_ command: TraceNode, through node: TraceNode) -> Bool {
        guard let site = command.site, node.site == site else { return false }
        if command.label != nil || node.label != nil {
            guard let label = command.label else { return false }
            return Self.parts.contains { node.label == "\(label).\($0)" }
        }
        // A command makes its parts just before its own node, unless the recording began after that.
        let made = Self.order.indices.map { command.id &- UInt32(Self.order.count - $0) }
        let isWhole = zip(made, Self.order).allSatisfy { id, kind in
            definitions.nodes[id].map { $0.kind == kind && $0.site == site } ?? false
        }
        return node.kind == .emitter && (isWhole ? made.contains(node.id) : isAlone(command))
    }

    private func isAlone(_ command: TraceNode) -> Bool {
        !definitions.nodes.values.contains {
            $0.kind == .command && $0.site == command.site && $0.id != command.id
        }
    }

    /// `isEnabled` is none: it does not depend on what is executed.
    private static let parts = ["isExecuting", "executions", "values", "errors"]
    private static let order: [NodeKind] = [.observable, .observable, .emitter, .emitter, .emitter]
}
