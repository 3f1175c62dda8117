import WeirTrace

/// The figures of one trace, or of several together, by which runs are compared.
///
/// Nodes have names that stay the same from run to run: their labels without indexes, or their kind, file and type. All nodes with
/// one name count together. Memory grows with nodes, edges and names of stimuli.
package struct TraceFigures: Sendable {
    /// The figures of the nodes with one name.
    struct Node: Sendable {
        /// How many there are.
        var instances = 0
        /// Deliveries of their values to handlers, and those of them that are redundant.
        var refreshes: UInt64 = 0, redundant: UInt64 = 0
        /// The time of these handlers, in nanoseconds.
        var handlerTime: UInt64 = 0
        /// The value at the end; nil if there is more than one node, or the value is not known.
        var value: TraceValue?
    }

    /// A node feeds another one.
    package struct Edge: Sendable, Hashable, Comparable {
        /// The name of the node that feeds.
        package let source: String
        /// The name of the node that is fed.
        package let target: String

        /// Orders edges by names.
        package static func < (left: Edge, right: Edge) -> Bool {
            (left.source, left.target) < (right.source, right.target)
        }
    }

    /// A node that stimuli of one name refresh.
    package struct Effect: Sendable, Hashable, Comparable {
        /// The name of the node whose handlers are refreshed.
        package let node: String
        /// The name of the stimulus.
        package let stimulus: String

        /// Orders effects by names.
        package static func < (left: Effect, right: Effect) -> Bool {
            (left.node, left.stimulus) < (right.node, right.stimulus)
        }
    }

    var nodes: [String: Node] = [:]
    var edges: Set<Edge> = []
    /// How often stimuli with a name refreshed the handlers of a node.
    var effects: [Effect: UInt64] = [:]
    /// All refreshes, and the redundant ones.
    var refreshes: UInt64 = 0, redundant: UInt64 = 0

    /// The most names of stimuli that are distinguished in a trace; later ones count as one with an empty name.
    private static let mostStimuli = 1000
}

extension TraceFigures {
    /// Reads the figures of a trace in one pass; `redundancy` is the pass of the rules over the same trace.
    package init(_ reader: TraceReader, _ topology: Topology, _ redundancy: RedundancyPass) {
        let definitions = topology.definitions
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
        effects = found
        refreshes = redundancy.refreshes
        redundant = redundancy.redundantRefreshes
        for (place, name) in names.enumerated() {
            var node = nodes[name] ?? Node()
            node.instances += 1
            node.refreshes &+= state.nodes[place].refreshes
            node.value = node.instances == 1 ? state.nodes[place].value.comparable : nil
            nodes[name] = node
        }
        // The times of a virtual clock count events.
        let scale = reader.header.clock == .virtual ? nil : TimeScale(reader.header)
        for place in topology.subscriptions.indices {
            let (name, figures) = (names[topology.sources[place]], redundancy.ofSubscriptions[place])
            nodes[name]?.redundant &+= figures.redundantRefreshes
            nodes[name]?.handlerTime &+= scale?.nanoseconds(ticks: figures.handlerTicks) ?? 0
            if topology.targets[place] >= 0 {
                edges.insert(Edge(source: name, target: names[topology.targets[place]]))
            }
        }
    }

    /// Adds the figures of another trace, which count together with these.
    mutating func add(_ other: TraceFigures) {
        nodes.merge(other.nodes) { one, other in
            Node(
                instances: one.instances + other.instances, refreshes: one.refreshes &+ other.refreshes,
                redundant: one.redundant &+ other.redundant, handlerTime: one.handlerTime &+ other.handlerTime,
                value: nil)
        }
        edges.formUnion(other.edges)
        effects.merge(other.effects, uniquingKeysWith: &+)
        refreshes &+= other.refreshes
        redundant &+= other.redundant
    }
}

extension TraceValue {
    /// A form that equal values of two recordings share; nil: there is none, because fingerprints are those of one process.
    fileprivate var comparable: TraceValue? {
        switch self {
        case .void, .nil, .bool, .signed, .unsigned, .double, .float, .string: self
        case .described(let text), .hashedDescription(let text, isCut: false, _):
            // The fingerprints of a structure's fields.
            .described(text.replacing(/#[0-9a-f]{8}\b/, with: "#"))
        case .enumCase(_, let payload): payload == .none ? self : nil
        case .notRecorded, .withheld, .cutString, .fingerprint, .cutDescription, .hashedDescription, .opaque, .unknown:
            nil
        }
    }
}

extension TraceDefinitions {
    /// A name that nodes made by one line have in every run: the label without indexes, or kind, file and type.
    package func stableName(ofNode id: UInt32) -> String {
        guard let node = nodes[id] else { return "a node without a definition" }
        if let label = node.label { return ReferenceLabel.withoutIndexes(label) }
        let words = [node.kind?.name ?? "node", node.site?.fileName, node.valueType.map { "of \($0)" }]
        return words.compactMap(\.self).joined(separator: " ")
    }
}
