import WeirTrace

/// The last emission of a node that nothing in the trace caused, such as a callback of the system.
///
/// It begins something as a stimulus does, and has the name of its node.
public struct RootEmission: Sendable, Equatable {
    /// The emission.
    public let beginning: EventID
    /// The end of its deliveries; the emission itself if it has none, or if the end is missing.
    public let end: EventID
}

extension TraceReader {
    /// The last emission without a cause of a node with exactly this name; nil if there is none. Reads all events.
    public func lastRootEmission(of name: String, _ topology: Topology) -> RootEmission? {
        let definitions = topology.definitions
        let named = Set(topology.nodeIDs.filter { definitions.name(ofNode: $0) == name })
        if named.isEmpty { return nil }
        var last: RootEmission?
        forEachEvent { event in
            if event.kind == .emitted, !event.isReplayed, event.isOutermost, named.contains(event.subject) {
                last = RootEmission(beginning: event.id, end: event.id)
            } else if event.kind == .deliveryEnded, let beginning = last?.beginning, event.cause == beginning {
                last = RootEmission(beginning: beginning, end: event.id)
            }
            return true
        }
        return last
    }
}
