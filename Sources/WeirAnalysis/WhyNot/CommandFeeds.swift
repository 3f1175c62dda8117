import WeirTrace

/// The subscriptions that lead from a command through its executions to the nodes that it publishes.
///
/// Each execution has subscriptions of its own: from the command to the execution, from the work to the execution, and from the
/// execution to the values. For a node that executions write to, it matters whether the command was executed, and not whether an
/// earlier execution is over.
struct ExecutionFeeds {
    private let topology: Topology
    private let isExecution: [Bool]

    init(_ topology: Topology) {
        self.topology = topology
        isExecution = topology.nodeIDs.map { topology.definitions.nodes[$0]?.kind == .execution }
    }

    func isExecution(_ node: Int) -> Bool { isExecution[node] }

    /// Whether it is a subscription to or of an execution that Weir made.
    func isPart(_ subscription: Int) -> Bool { execution(of: subscription) != nil }

    /// Whether it leads from a command to an execution.
    func isStart(_ subscription: Int) -> Bool {
        let target = topology.targets[subscription]
        return target >= 0 && isExecution[target] && isCommand(topology.sources[subscription])
    }

    /// The command whose execution a subscription belongs to.
    func command(of subscription: Int) -> Int? {
        execution(of: subscription).flatMap { execution in
            topology.inputs[execution].lazy.map { topology.sources[$0] }.first(where: isCommand)
        }
    }

    /// The subscriptions that lead from a command to its executions, in the order in which these began.
    func starts(of command: Int) -> [Int] { topology.outputs[command].filter(isStart) }

    private func execution(of subscription: Int) -> Int? {
        guard topology.subscriptions[subscription].isInternal else { return nil }
        let (source, target) = (topology.sources[subscription], topology.targets[subscription])
        return target >= 0 && isExecution[target] ? target : isExecution[source] ? source : nil
    }

    private func isCommand(_ node: Int) -> Bool {
        topology.definitions.nodes[topology.nodeIDs[node]]?.kind == .command
    }
}

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

    /// The ids of the nodes through which a command publishes; empty if it is none of the commands.
    func parts(of id: UInt32) -> [UInt32] {
        guard let command = commands.first(where: { $0.id == id }) else { return [] }
        return definitions.nodes.values.filter { $0.id != id && publishes(command, through: $0) }.map(\.id)
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
