/// The meaning of a trace's records. Every analysis counts by these definitions, whatever its tables look like.
///
/// Nesting is defined by `FrameStack` (by records) and `FrameWalk` (by events). Two scopes follow from that: a *turn*
/// is what one write, emission, batch or hop causes on its thread; a *cascade* is what one stimulus causes, hops included.
enum Meaning {
    /// Whether a delivery is a refresh: it calls a handler with a value. Completions and failures refresh nothing, and neither
    /// does what feeds another node.
    @inline(__always)
    static func isRefresh(isTerminal: Bool, isEnding: Bool) -> Bool { isTerminal && !isEnding }

    /// Whether an emission or suppression of a node that computes is an evaluation: a value is being delivered to the node, or
    /// the turn settles.
    ///
    /// - Parameters:
    ///   - isFed: Whether the delivery under way, of the emission that causes the event, goes to the node.
    ///   - isSettling: Whether the deliveries of that emission are over, so that waiting nodes evaluate.
    ///   - isEnding: Whether a completion or failure is being delivered.
    @inline(__always)
    static func isEvaluation(isFed: @autoclosure () -> Bool, isSettling: Bool, isEnding: Bool) -> Bool {
        isSettling || !isEnding && isFed()
    }

    /// The time of a handler's own work, in ticks: that of its refresh without the refreshes inside it, which other handlers
    /// take.
    @inline(__always)
    static func handlerTicks(lasted: UInt64, nested: UInt64) -> UInt64 { lasted > nested ? lasted - nested : 0 }
}
