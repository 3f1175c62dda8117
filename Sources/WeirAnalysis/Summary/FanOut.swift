import WeirTrace

/// An emission that was delivered to many subscriptions.
package struct FanOut: Sendable, Equatable {
    /// The node that emitted, by its id.
    package let node: UInt32
    /// The node's name.
    package let name: String
    /// Deliveries of that value, without those in a lost part of the trace.
    package let deliveries: UInt64
    /// The emission; the first one, if several were delivered equally often.
    package let emission: EventID
}

extension TraceSummary {
    /// The widest emission of each node that delivered a value to several subscriptions, the widest of all first.
    package var widestFanOuts: [FanOut] {
        nodes.compactMap { node in
            guard let emission = node.widestEmission, node.widestFanOut > 1 else { return nil }
            return FanOut(node: node.id, name: node.name, deliveries: node.widestFanOut, emission: emission)
        }
        .sorted { ($0.deliveries, $1.name, $1.node) > ($1.deliveries, $0.name, $0.node) }
    }
}
