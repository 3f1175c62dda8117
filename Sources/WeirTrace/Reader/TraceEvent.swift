/// An event of a trace: a fact, with its thread, time and cause.
public struct TraceEvent: Sendable, Equatable {
    /// Thread and sequence number.
    public var id: EventID
    /// What happened.
    public var kind: EventKind
    /// When, in ticks of the trace's clock: its own stamp, or the last one before it on its thread.
    public var ticks: UInt64
    /// It carries a stamp of its own.
    public var isStamped: Bool
    /// The node, subscription or object that it is about, by `kind`; 0 for none. Of a hop the node that hopped;
    /// of a snapshot its number.
    public var subject: UInt32
    /// An emission, completion or failure that has deliveries: its frame stays open until their end.
    public var delivers: Bool
    /// An emission of the current value to a new subscriber.
    public var isReplayed: Bool
    /// A delivery not of a value, but of a completion or failure.
    ///
    /// A chunk does not say it of the frames that were open as it began: of their deliveries in it, this is false.
    public var deliversEnd: Bool
    /// The raw reason of `suppressed` and `subscriptionEnded`, otherwise 0.
    public var reason: UInt8
    /// The number of events that `eventsLost` stands for; the nanoseconds for which a snapshot held up its thread, as far as
    /// that is known; otherwise 0.
    public var count: UInt64
    /// The name of a stimulus or checkpoint, otherwise empty.
    public var text: String
    /// The value of an emission, the error of a failure.
    public var value: TraceValue
    /// The innermost open emission or hop, else the innermost open stimulus or batch; for a delivery its emission.
    ///
    /// Completions and failures count as emissions. For the end of a stimulus, hop or batch it is their beginning. For
    /// a `hopBegan` it is where its work was given to a scheduler: perhaps on another thread, perhaps long ago.
    public var cause: EventID?
    /// How many frames are open around it; the end of a stimulus, hop or batch stands as deep as its beginning.
    public var depth: Int
    /// The subscription whose delivery this event ended (`deliveryNext`, `deliveryEnded`), otherwise 0.
    public var endedSubscription: UInt32
    /// The subscription to which the innermost open emission was being delivered; 0 for none, or within a hop.
    public var deliveringTo: UInt32

    /// An event of `kind`; everything else as a root without particulars has it.
    public init(
        id: EventID, kind: EventKind, ticks: UInt64, isStamped: Bool = false, subject: UInt32 = 0,
        delivers: Bool = false, isReplayed: Bool = false, deliversEnd: Bool = false, reason: UInt8 = 0,
        count: UInt64 = 0, text: String = "", value: TraceValue = .notRecorded, cause: EventID? = nil, depth: Int = 0,
        endedSubscription: UInt32 = 0, deliveringTo: UInt32 = 0
    ) {
        self.id = id
        self.kind = kind
        self.ticks = ticks
        self.isStamped = isStamped
        self.subject = subject
        self.delivers = delivers
        self.isReplayed = isReplayed
        self.deliversEnd = deliversEnd
        self.reason = reason
        self.count = count
        self.text = text
        self.value = value
        self.cause = cause
        self.depth = depth
        self.endedSubscription = endedSubscription
        self.deliveringTo = deliveringTo
    }

    /// All deliveries of the emission are over, and what waited for the turn to settle runs now: not a delivery.
    public var isSettling: Bool { (kind == .deliveryBegan || kind == .deliveryNext) && subject == 0 }

    /// Why a value went no further; `nil` for other kinds of event and unknown reasons.
    public var suppressionReason: SuppressionReason? {
        kind == .suppressed ? SuppressionReason(rawValue: reason) : nil
    }

    /// Why a subscription ended; `nil` for other kinds of event and unknown reasons.
    public var endReason: SubscriptionEndReason? {
        kind == .subscriptionEnded ? SubscriptionEndReason(rawValue: reason) : nil
    }
}
