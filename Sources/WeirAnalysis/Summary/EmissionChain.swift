import WeirTrace

/// Emissions of which each caused the next, on one thread.
///
/// Completions and failures are links as well, and so are replays. What a scheduler ran later begins a chain of its
/// own: to follow hops back would need memory for every event.
public struct EmissionChain: Sendable, Equatable {
    /// How many emissions there are, the first and the last included.
    public let length: Int
    /// The last one: whoever asks why it happened sees the whole chain.
    public let deepest: EventID
    /// The ids of the nodes that emitted, first the one that began it: all, unless the chain is too long.
    public let beginning: [UInt32]
    /// The nodes of its other end, where the chain is longer than two times `longestPart`: those between are left out.
    public let end: [UInt32]

    /// So many nodes are kept of either end of a long chain.
    public static let longestPart = 8

    /// Nodes between the beginning and the end.
    public var omitted: Int { length - beginning.count - end.count }
}
