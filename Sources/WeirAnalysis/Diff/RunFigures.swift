import WeirTrace

/// The figures of a run by which it is compared with another one: of one trace, or of several together.
///
/// Nodes have names that stay the same from run to run: their labels without indexes, or their kind, file and type. All nodes with
/// one name count together. Memory grows with nodes, edges and names of stimuli.
public struct RunFigures: Sendable, Equatable {
    /// The figures of the nodes with one name.
    public struct Node: Sendable, Equatable {
        /// How many there were in all traces together.
        public internal(set) var instances = 0
        /// New values that they emitted.
        public internal(set) var emissions: UInt64 = 0
        /// Deliveries of their values to handlers.
        public internal(set) var refreshes: UInt64 = 0
        /// Values that went no further.
        public internal(set) var suppressions: UInt64 = 0
        /// The value at the end; nil if there is more than one node, or the value is not known.
        public internal(set) var value: TraceValue?
    }

    /// A node feeds another one.
    public struct Edge: Sendable, Hashable, Comparable {
        /// The name of the node that feeds.
        public let source: String
        /// The name of the node that is fed.
        public let target: String

        /// Orders edges by names.
        public static func < (left: Edge, right: Edge) -> Bool {
            (left.source, left.target) < (right.source, right.target)
        }
    }

    /// A node that stimuli of one name refresh.
    public struct Effect: Sendable, Hashable, Comparable {
        /// The name of the node whose handlers are refreshed.
        public let node: String
        /// The name of the stimulus.
        public let stimulus: String

        /// Orders effects by names.
        public static func < (left: Effect, right: Effect) -> Bool {
            (left.node, left.stimulus) < (right.node, right.stimulus)
        }
    }

    /// How many traces the run has.
    public private(set) var traces = 0
    /// The nodes by name.
    public private(set) var nodes: [String: Node] = [:]
    /// The edges.
    public private(set) var edges: Set<Edge> = []
    /// How often stimuli with a name refreshed the handlers of a node.
    public private(set) var effects: [Effect: UInt64] = [:]

    /// The most names of stimuli that are told apart in a trace; later ones count as one with an empty name.
    static let mostStimuli = 1000

    /// A run without traces.
    public init() {}

    /// Adds a trace, read in one pass.
    public mutating func take(_ reader: TraceReader, _ definitions: TraceDefinitions) {
        let topology = Topology(definitions)
        let names = topology.nodeIDs.map { definitions.stableName(ofNode: $0) }
        var state = TraceState(topology, startTicks: reader.header.startTicks)
        var found: [Effect: UInt64] = [:]
        var stimuli: Set<String> = []
        var assembler = CascadeAssembler { cascade in
            guard let event = cascade.stimulus, event.kind == .stimulusBegan else { return }
            if stimuli.count < Self.mostStimuli { stimuli.insert(event.text) }
            let stimulus = stimuli.contains(event.text) ? event.text : ""
            for item in cascade.items {
                let event = item.event
                guard event.kind == .deliveryBegan || event.kind == .deliveryNext,
                    let place = topology.place(ofSubscription: event.subject),
                    Meaning.isRefresh(
                        isTerminal: !topology.subscriptions[place].isInternal, isEnding: event.deliversEnd)
                else { continue }
                found[Effect(node: names[topology.sources[place]], stimulus: stimulus), default: 0] += 1
            }
        }
        reader.forEachEvent { event in
            state.take(event)
            assembler.take(event)
            return true
        }
        assembler.finish()
        traces += 1
        effects.merge(found, uniquingKeysWith: &+)
        for (place, name) in names.enumerated() { take(state.nodes[place], name) }
        for place in topology.subscriptions.indices where topology.targets[place] >= 0 {
            edges.insert(Edge(source: names[topology.sources[place]], target: names[topology.targets[place]]))
        }
    }

    private mutating func take(_ state: NodeState, _ name: String) {
        var node = nodes[name] ?? Node()
        node.instances += 1
        node.emissions &+= state.emissions
        node.refreshes &+= state.refreshes
        node.suppressions &+= state.suppressions
        node.value = node.instances == 1 ? state.value.comparable : nil
        nodes[name] = node
    }
}

extension TraceValue {
    /// A form that equal values of two recordings share; nil: there is none, because fingerprints are those of one process.
    fileprivate var comparable: TraceValue? {
        switch self {
        case .void, .nil, .bool, .signed, .unsigned, .double, .float, .string, .described: self
        case .hashedDescription(let text, isCut: false, _): .described(text)
        case .enumCase(_, let payload): payload == .none ? self : nil
        case .notRecorded, .withheld, .cutString, .fingerprint, .cutDescription, .hashedDescription, .opaque, .unknown:
            nil
        }
    }
}

extension TraceDefinitions {
    /// A name that nodes made by one line have in every run: the label without indexes, or kind, file and type.
    func stableName(ofNode id: UInt32) -> String {
        guard let node = nodes[id] else { return "a node without a definition" }
        if let label = node.label { return ReferenceLabel.withoutIndexes(label) }
        let words = [node.kind?.name ?? "node", node.site?.fileName, node.valueType.map { "of \($0)" }]
        return words.compactMap(\.self).joined(separator: " ")
    }
}
