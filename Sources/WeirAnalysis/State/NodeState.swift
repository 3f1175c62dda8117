import WeirTrace

/// The state of a node at one moment of a trace.
package struct NodeState: Sendable, Equatable {
    /// Whether it exists.
    package enum Life: UInt8, Sendable {
        /// Not mentioned so far: it is not made yet, or was made before the recording began.
        case unmentioned
        /// It was made, has emitted or stopped something, or a subscription from or to it has begun.
        case alive
        /// It was released.
        case released
    }

    /// Whether it exists.
    package internal(set) var life = Life.unmentioned
    /// The value that it emitted last, or else the one in its definition.
    package internal(set) var value: TraceValue
    /// The emission that set this value; nil if the value is the initial one or was set before the recording.
    package internal(set) var lastChange: EventID?
    /// The time of that emission, in ticks.
    package internal(set) var changeTicks: UInt64 = 0
    /// The position of that emission in the order of the trace, from 1; 0 if there was none.
    package internal(set) var changeOrder: UInt64 = 0
    /// The innermost open frame at that emission, if it was a batch: its end emitted the value, or evaluated the combiner.
    var changeBatch: EventID?
    /// The last completion or failure that ended it.
    package internal(set) var lastEnd: EventID?
    /// The last of its values that went no further.
    package internal(set) var lastSuppression: EventID?
    /// Why that value went no further, as the file numbers it; 0 if there was none.
    package internal(set) var suppressionReason: UInt8 = 0
    /// The write that an open batch holds back: the node has its value, and emits it when the batch ends.
    package internal(set) var heldWrite: EventID?
    /// New values that it emitted.
    package internal(set) var emissions: UInt64 = 0
    /// Deliveries of its values to terminal subscriptions.
    package internal(set) var refreshes: UInt64 = 0
    /// Values that went no further.
    package internal(set) var suppressions: UInt64 = 0
    /// Live terminal subscriptions to it.
    package internal(set) var liveHandlers = 0
    /// Live subscriptions to it that feed other nodes.
    package internal(set) var liveEdges = 0

    init(value: TraceValue) { self.value = value }
}
