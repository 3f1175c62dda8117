import WeirTrace

/// An open frame of a thread: an emission, completion, failure, stimulus, hop or batch.
struct FlowFrame {
    enum Opener: UInt8 {
        /// A kind from a later version of the format.
        case unknown = 0
        case emission = 1
        case stimulus = 2
        case hop = 3
        case batch = 4
    }

    /// The innermost open frame of each kind up to this one; -1 if there is none.
    struct Places {
        var emission: Int32 = -1
        var stimulus: Int32 = -1
        var hop: Int32 = -1
        var batch: Int32 = -1
        /// The innermost frame outside this one with an open refresh.
        var refresh: Int32 = -1
    }

    /// No delivery has begun, and the turn is not settling.
    static let noDelivery: Int32 = -1
    /// The turn is settling.
    static let settling: Int32 = -2

    let opener: Opener
    /// Whether it delivers a completion or failure.
    var isEnding = false
    var isReplayed = false
    /// Whether it gives a new subscriber an earlier value, or follows from that.
    var isInitial = false
    /// Whether it delivers the result of an evaluation.
    var isEvaluation = false
    var hasDelivered = false
    /// Whether it delivers to a terminal subscription.
    var isRefreshing = false
    var node: Int32 = -1
    /// The index of the node that a hop serves.
    var hopNode: Int32 = -1
    var sequence: UInt64 = 0
    var order: UInt64 = 0
    /// The turn, identified by the order of its opening event; 0 for a stimulus outside of all turns.
    var turn: UInt64 = 0
    var places = Places()

    /// The index of the subscription that receives the delivery.
    var subscription = FlowFrame.noDelivery
    /// The order of the event that began that delivery.
    var deliveryOrder: UInt64 = 0
    var deliverySequence: UInt64 = 0
    var deliveryTicks: UInt64 = 0
    /// The time of the refreshes inside it, in ticks.
    var nestedTicks: UInt64 = 0
    /// The verdict on the open refresh after another one through its subscription has begun.
    var verdict = Verdict()

    var value = ValueKey.notRecorded
    /// The order of the emission that this one replaces in its turn; 0 if there is none.
    var superseded: UInt64 = 0
    /// The tally that counts the replacement.
    var glitch: Int32 = -1
}
