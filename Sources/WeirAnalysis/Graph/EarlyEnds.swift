import WeirTrace

/// Finds combiners that were released although they had subscribers and their inputs went on emitting, because nobody kept
/// them.
struct EarlyEnds: Sendable {
    private let topology: Topology
    /// How many events were seen when each node's release last ended a subscription; 0 if none has.
    private var ends: [UInt64]
    /// How many events were seen when each node last emitted.
    private var lastEmissions: [UInt64]
    private var count: UInt64 = 0

    init(_ topology: Topology) {
        self.topology = topology
        ends = Array(repeating: 0, count: topology.nodeIDs.count)
        lastEmissions = ends
    }

    /// Takes the positions of ends and last emissions from a count.
    mutating func set(ends: [UInt64], lastEmissions: [UInt64]) {
        (self.ends, self.lastEmissions) = (ends, lastEmissions)
    }

    mutating func take(_ event: TraceEvent) {
        count &+= 1
        switch event.kind {
        case .subscriptionEnded where event.endReason == .sourceReleased:
            guard let place = topology.place(ofSubscription: event.subject) else { return }
            ends[topology.sources[place]] = count
        case .emitted where !event.isReplayed:
            if let place = topology.place(ofNode: event.subject) { lastEmissions[place] = count }
        default: break
        }
    }

    /// Whether the node at an index is such a combiner.
    func diedInSilence(_ place: Int) -> Bool {
        guard ends[place] > 0, topology.definitions.nodes[topology.nodeIDs[place]]?.kind == .combiner else {
            return false
        }
        return topology.inputs[place].contains { lastEmissions[topology.sources[$0]] > ends[place] }
    }
}
