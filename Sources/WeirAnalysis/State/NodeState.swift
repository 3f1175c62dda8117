import WeirTrace

/// What is known of a node at one moment of a trace.
public struct NodeState: Sendable, Equatable {
    /// Whether it exists.
    public enum Life: UInt8, Sendable {
        /// Nothing told of it so far: it is not yet made, or was made before the recording began.
        case unmentioned
        /// It was made, has given out or stopped something, or a subscription to it or for it has begun.
        case alive
        /// It was released.
        case released
    }

    /// Whether it exists.
    public internal(set) var life = Life.unmentioned
    /// The value that it gave out last; before that, the one that its definition tells.
    public internal(set) var value: TraceValue
    /// The emission that gave it this value; nil: it has not changed since it was made, or since the recording began.
    public internal(set) var lastChange: EventID?
    /// When that was, in ticks.
    public internal(set) var changeTicks: UInt64 = 0
    /// The place of that emission in the order of the trace, from 1; 0: there was none.
    public internal(set) var changeOrder: UInt64 = 0
    /// The completion or failure that ended it last.
    public internal(set) var lastEnd: EventID?
    /// The last of its values that went no further, and why, as the file numbers it.
    public internal(set) var lastSuppression: EventID?
    /// Why that went no further, as the file numbers it; 0: none did.
    public internal(set) var suppressionReason: UInt8 = 0
    /// The write that an open batch holds back: the node has its value, and gives it out when the batch ends.
    public internal(set) var heldWrite: EventID?
    /// New values that it gave out.
    public internal(set) var emissions: UInt64 = 0
    /// Deliveries of its values to terminal subscriptions.
    public internal(set) var refreshes: UInt64 = 0
    /// Values that went no further.
    public internal(set) var suppressions: UInt64 = 0
    /// Live terminal subscriptions to it.
    public internal(set) var liveHandlers = 0
    /// Live subscriptions to it that feed other nodes.
    public internal(set) var liveEdges = 0

    init(value: TraceValue) { self.value = value }
}
