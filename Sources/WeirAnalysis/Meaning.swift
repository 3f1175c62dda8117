import WeirTrace

/// The meaning of a trace's records. Every analysis counts by these definitions, whatever its tables look like.
///
/// `FrameStack` and `FrameWalk` define what nests in what. Two scopes follow from that:
///
/// - A *turn* is everything that one write, emission, batch or hop causes on its thread: all that is inside the outermost open frame
///   that is not a stimulus. `turn(around:own:)` numbers turns, `TurnCollector` assembles them.
/// - A *cascade* is everything that one stimulus causes, hops included; a write, emission or batch without a cause begins one, too.
///   `CascadeMarks` follows it through hops, `CascadeTracker` numbers cascades, `CascadeAssembler` assembles them.
package enum Meaning {
    /// Whether a delivery is a refresh: it calls a handler with a value. Completions and failures refresh nothing, and neither
    /// does a delivery that feeds another node.
    @inline(__always)
    package static func isRefresh(isTerminal: Bool, isEnding: Bool) -> Bool { isTerminal && !isEnding }

    /// Whether an event begins a refresh. The subscription of a delivery is terminal if it calls a handler.
    @inline(__always)
    package static func isRefresh(_ event: TraceEvent, isTerminal: @autoclosure () -> Bool) -> Bool {
        guard event.kind == .deliveryBegan || event.kind == .deliveryNext, !event.isSettling else { return false }
        return isRefresh(isTerminal: isTerminal(), isEnding: event.deliversEnd)
    }

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

    /// The turn of an event: that of the frames around it, or else one of its own. A stimulus begins no turn; 0: none.
    @inline(__always)
    static func turn(around: UInt64, own: @autoclosure () -> UInt64, isStimulus: Bool = false) -> UInt64 {
        around != 0 || isStimulus ? around : own()
    }
}
