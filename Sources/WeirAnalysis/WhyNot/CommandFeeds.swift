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
/// No subscription leads from a command to the values of an execution that never began. Looks at each node once.
struct RefusingCommands {
    /// The line and name of a command, which its instances share.
    private struct Name: Hashable {
        let site: TraceSite
        let label: String
    }

    /// By the id of a part.
    private var commands: [UInt32: UInt32] = [:]
    /// By the id of a command.
    private var parts: [UInt32: [UInt32]] = [:]

    /// - Parameter places: the indexes of nodes that stopped a value and emitted none.
    init(_ topology: Topology, _ places: [Int]) {
        let nodes = topology.definitions.nodes
        let refusing = places.sorted().compactMap { nodes[topology.nodeIDs[$0]] }.filter { $0.kind == .command }
        if refusing.isEmpty { return }
        var (named, emitters): ([Name: [UInt32]], [TraceSite: [UInt32]]) = ([:], [:])
        var commandsAt: [TraceSite: Int] = [:]
        for node in nodes.values {
            guard let site = node.site else { continue }
            if node.kind == .command { commandsAt[site, default: 0] += 1 }
            guard let label = node.label else {
                if node.kind == .emitter { emitters[site, default: []].append(node.id) }
                continue
            }
            guard let dot = label.lastIndex(of: "."), Self.parts.contains(String(label[dot...].dropFirst())) else {
                continue
            }
            named[Name(site: site, label: String(label[..<dot])), default: []].append(node.id)
        }
        for command in refusing {
            guard let site = command.site else { continue }
            if let label = command.label {
                add(named[Name(site: site, label: label)] ?? [], to: command)
            } else if let made = Self.made(before: command, nodes) {
                add(made, to: command)
            } else if commandsAt[site] == 1 {
                add(emitters[site] ?? [], to: command)
            }
        }
    }

    private mutating func add(_ nodes: [UInt32], to command: TraceNode) {
        parts[command.id] = nodes
        // Instances of one command share their parts, which the first one has got.
        guard let first = nodes.first, commands[first] == nil else { return }
        for node in nodes { commands[node] = command.id }
    }

    /// A command makes its parts just before its own node; nil: the recording began after that.
    private static func made(before command: TraceNode, _ nodes: [UInt32: TraceNode]) -> [UInt32]? {
        let made = order.indices.compactMap { nodes[command.id &- UInt32(order.count - $0)] }
        guard made.map(\.kind) == order, made.allSatisfy({ $0.site == command.site }) else { return nil }
        return made.filter { $0.kind == .emitter && $0.label == nil }.map(\.id)
    }

    /// The id of the command that publishes through a node; nil if none of the commands does.
    func command(publishingThrough id: UInt32) -> UInt32? { commands[id] }

    /// The ids of the nodes through which a command publishes; empty if it is none of the commands.
    func parts(of id: UInt32) -> [UInt32] { parts[id] ?? [] }

    /// `isEnabled` is none: it does not depend on what is executed.
    private static let parts: Set = ["isExecuting", "executions", "values", "errors"]
    private static let order: [NodeKind] = [.observable, .observable, .emitter, .emitter, .emitter]
}
