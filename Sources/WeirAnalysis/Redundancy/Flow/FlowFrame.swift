import WeirTrace

/// Something that is open on a thread: an emission, completion, failure, stimulus, hop or batch.
struct FlowFrame {
    enum Opener: UInt8 {
        /// Of a later version of the format.
        case unknown = 0
        case emission = 1
        case stimulus = 2
        case hop = 3
        case batch = 4
    }

    /// The innermost open frame of each kind up to this one; -1: none.
    struct Places {
        var emission: Int32 = -1
        var stimulus: Int32 = -1
        var hop: Int32 = -1
        var batch: Int32 = -1
        /// The innermost with an open refresh, this one left out.
        var refresh: Int32 = -1
    }

    /// No delivery has begun, and the turn does not settle.
    static let noDelivery: Int32 = -1
    /// The turn settles.
    static let settling: Int32 = -2

    let opener: Opener
    /// It delivers a completion or failure.
    var isEnding = false
    var isReplayed = false
    /// It gives a new subscriber what was there before, or follows from that.
    var isInitial = false
    /// It delivers the result of an evaluation.
    var isEvaluation = false
    var hasDelivered = false
    /// It delivers to a terminal subscription.
    var isRefreshing = false
    var node: Int32 = -1
    /// Of a hop: the place of the node that it is for.
    var hopNode: Int32 = -1
    var sequence: UInt64 = 0
    var order: UInt64 = 0
    /// By the order of what opened it; 0: it is a stimulus outside of all turns.
    var turn: UInt64 = 0
    var places = Places()

    /// The place of the subscription that is delivered to.
    var subscription = FlowFrame.noDelivery
    /// The order of the beginning of that delivery.
    var deliveryOrder: UInt64 = 0
    var deliverySequence: UInt64 = 0
    var deliveryTicks: UInt64 = 0
    /// What refreshes inside of it took, in ticks.
    var nestedTicks: UInt64 = 0
    /// What is known of the open refresh once another one through its subscription has begun.
    var verdict = Verdict()

    var value = ValueKey.notRecorded
    /// The order of the emission that this one replaces in its turn; 0: none.
    var superseded: UInt64 = 0
    /// The tally to which that belongs.
    var glitch: Int32 = -1
}
