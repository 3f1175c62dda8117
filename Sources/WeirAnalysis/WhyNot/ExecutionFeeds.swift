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
