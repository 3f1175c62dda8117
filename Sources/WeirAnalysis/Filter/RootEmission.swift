import WeirTrace

/// The last emission of a node that nothing in the trace caused, or the last call of a callback.
///
/// It begins something as a stimulus does, and has the name of its node.
package struct RootEmission: Sendable, Equatable {
    /// The emission.
    package let beginning: EventID
    /// The end of its deliveries; the emission itself if it has none, or if the end is missing.
    package let end: EventID
}

extension TraceReader {
    /// The last emission without a cause of a node with exactly this name, or the last call if the node represents a callback; nil if
    /// there is none. Reads all events.
    package func lastRootEmission(of name: String, _ topology: Topology) -> RootEmission? {
        let definitions = topology.definitions
        let named = Set(topology.nodeIDs.filter { definitions.name(ofNode: $0) == name })
        if named.isEmpty { return nil }
        let callbacks = named.filter { definitions.nodes[$0]?.technique == .callback }
        var last: RootEmission?
        forEachEvent { event in
            if event.kind == .emitted, !event.isReplayed, named.contains(event.subject),
                event.isOutermost || callbacks.contains(event.subject)
            {
                last = RootEmission(beginning: event.id, end: event.id)
            } else if event.kind == .deliveryEnded, let beginning = last?.beginning, event.cause == beginning {
                last = RootEmission(beginning: beginning, end: event.id)
            }
            return true
        }
        return last
    }
}
