import WeirTrace

/// The state of a subscription at one moment of a trace.
package struct SubscriptionState: Sendable, Equatable {
    /// Whether it exists.
    package enum Life: UInt8, Sendable {
        /// Not mentioned so far: it is not made yet, or was made before the recording began.
        case unmentioned
        /// It has begun, or something was delivered through it.
        case alive
        /// It has ended.
        case ended
    }

    /// A value for which a node subscribed to a further input.
    struct Opening: Sendable, Equatable {
        /// The id of the subscription that delivered the value.
        let input: UInt32
        let emission: EventID
        /// Whether the value had waited for earlier signals to end.
        var hadWaited = false
    }

    /// Whether it exists.
    package internal(set) var life = Life.unmentioned
    /// Its beginning; nil if it was not recorded.
    package internal(set) var start: EventID?
    /// The position of that event in the order of the trace, from 1; 0 if it was not recorded.
    package internal(set) var startOrder: UInt64 = 0
    /// For an input to which a flatMap subscribed for a value of another input: that value.
    var opening: Opening?
    /// Its end.
    package internal(set) var end: EventID?
    /// Why it ended, as the file numbers it; 0 if it has not ended.
    package internal(set) var endReason: UInt8 = 0
    /// Deliveries of values through it, without completions and failures.
    package internal(set) var deliveries: UInt64 = 0
    /// The last emission whose value was delivered.
    package internal(set) var lastEmission: EventID?
    /// The last delivered value.
    package internal(set) var lastValue = TraceValue.notRecorded
    /// The position of that delivery in the order of the trace, from 1; 0 if there was none.
    package internal(set) var deliveryOrder: UInt64 = 0
}
