import WeirTrace

/// What is known of a subscription at one moment of a trace.
public struct SubscriptionState: Sendable, Equatable {
    /// Whether it exists.
    public enum Life: UInt8, Sendable {
        /// Nothing has mentioned it so far: it is not yet made, or was made before the recording began.
        case unmentioned
        /// It has begun, or something was delivered through it.
        case alive
        /// It has ended.
        case ended
    }

    /// Whether it exists.
    public internal(set) var life = Life.unmentioned
    /// Its beginning; nil: not recorded.
    public internal(set) var start: EventID?
    /// Its end.
    public internal(set) var end: EventID?
    /// Why it ended, as the file numbers it; 0: it has not.
    public internal(set) var endReason: UInt8 = 0
    /// Deliveries of values through it; completions and failures are none.
    public internal(set) var deliveries: UInt64 = 0
    /// The emission whose value was delivered last.
    public internal(set) var lastEmission: EventID?
    /// The value that was delivered last.
    public internal(set) var lastValue = TraceValue.notRecorded
    /// The place of that delivery in the order of the trace, from 1; 0: there was none.
    public internal(set) var deliveryOrder: UInt64 = 0
}
