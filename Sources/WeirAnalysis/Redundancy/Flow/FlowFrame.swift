@_spi(Records) import WeirTrace

/// An open frame of a thread: an emission, completion, failure, stimulus, hop or batch.
struct FlowFrame {
    /// No delivery has begun, and the turn is not settling.
    static let noDelivery: Int32 = -1
    /// The turn is settling.
    static let settling: Int32 = -2

    let opener: FrameStack.Opener
    /// The sequence number of the record that opened it.
    let sequence: UInt64
    /// Whether it delivers a completion or failure.
    let isEnding: Bool
    /// Whether it is a named stimulus: also a callback that the program names and that is called outside of everything.
    var isStimulus = false
    /// The named stimulus that it is, or that the outermost hop follows from, by the order of its beginning; 0: there is none.
    var stimulus: UInt64 = 0
    var isReplayed = false
    /// Whether it gives a new subscriber an earlier value, or follows from that.
    var isInitial = false
    /// Whether it delivers the result of an evaluation.
    var isEvaluation = false
    /// Whether its node had already evaluated in the turn, and could have waited.
    var isEvaluationAgain = false
    var hasDelivered = false
    /// Whether its value equals the former one of the subscription of its first delivery.
    var isUnchanged = false
    /// Whether it delivers to a terminal subscription.
    var isRefreshing = false
    /// The index of the node that emits; -1 if it is unknown, or if it is no emission.
    let node: Int32
    /// The node of the innermost feedback loop that it is in; -1: it is in none.
    var loop: Int32 = -1
    /// The node of the outermost open emission, which the program wrote; -1 if there is none.
    var written: Int32 = -1
    /// The index of the node that a hop serves.
    var hopNode: Int32 = -1
    /// Whether it is a hop that only carries the cause of a task.
    var carriesCause = false
    /// The event that scheduled a hop.
    var hopCause = EventID(thread: 0, sequence: 0)
    /// The hash of a stimulus' name.
    var name: Int32 = 0
    var order: UInt64 = 0
    /// The turn, identified by the order of its opening event; 0 for a stimulus outside of all turns.
    var turn: UInt64 = 0
    /// The innermost frame outside this one with an open refresh; -1 if there is none.
    var outerRefresh: Int32 = -1

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

    /// The cell of the open refresh in `RefreshCounts`; -1: it is not counted.
    var cell: Int32 = -1

    var value = ValueKey.notRecorded
    /// The order of the emission that this one replaces in its turn; 0 if there is none.
    var superseded: UInt64 = 0
    /// The tally that counts the replacement.
    var glitch: Int32 = -1

    @inline(__always)
    init(_ opener: FrameStack.Opener, _ sequence: UInt64, node: Int32, isEnding: Bool) {
        self.opener = opener
        self.sequence = sequence
        self.node = node
        self.isEnding = isEnding
        isStimulus = opener == .stimulus
    }
}
