/// An event of a trace: a fact, with its thread, time and cause.
public struct TraceEvent: Sendable, Equatable {
    /// Thread and sequence number.
    public var id: EventID
    /// The kind of event.
    public var kind: EventKind
    /// When, in ticks of the trace's clock: its own stamp, or the last one before it on its thread.
    public var ticks: UInt64
    /// Whether it carries its own stamp.
    public var isStamped: Bool
    /// The node, subscription or object that it is about, by `kind`; 0: none.
    ///
    /// For a hop it is the node that hopped, for a snapshot the snapshot's number.
    public var subject: UInt32
    /// Whether it is an emission, completion or failure with deliveries; its frame stays open until their end.
    public var delivers: Bool
    /// Whether it emits the current value to a new subscriber.
    public var isReplayed: Bool
    /// Whether it delivers a completion or failure instead of a value.
    ///
    /// A chunk does not record this for frames that were open when it began: for their deliveries in that chunk, this is
    /// false.
    public var deliversEnd: Bool
    /// The raw reason of `suppressed` and `subscriptionEnded`, otherwise 0.
    public var reason: UInt8
    /// The number of lost events for `eventsLost`, the pause for a snapshot, the write site for `written`, 1 for a `hopBegan` that
    /// carries the cause of a task (see ``carriesCause``), otherwise 0.
    ///
    /// The pause is the time in nanoseconds for which the snapshot held up its thread; 0: unknown.
    public var count: UInt64
    /// The name of a stimulus or checkpoint, otherwise empty.
    public var text: String
    /// The value of an emission, the error of a failure.
    public var value: TraceValue
    /// The innermost open emission or hop, else the innermost open stimulus or batch; for a delivery its emission.
    ///
    /// Completions and failures count as emissions. The cause of the end of a stimulus, hop or batch is its beginning. The
    /// cause of a `hopBegan` is the event that scheduled its work, perhaps on another thread, perhaps long ago.
    public var cause: EventID?
    /// The number of frames open around it; the end of a stimulus, hop or batch has the depth of its beginning.
    public var depth: Int
    /// The subscription whose delivery this event ended (`deliveryNext`, `deliveryEnded`), otherwise 0.
    public var endedSubscription: UInt32
    /// The subscription to which the innermost open emission was being delivered; 0 for none, or within a hop.
    public var deliveringTo: UInt32
    /// The subscription during whose delivery the work of a hop was scheduled; 0: none, or unknown.
    ///
    /// Set for a `hopBegan`, and for events whose innermost emission or hop is a hop.
    public var scheduledBy: UInt32 = 0

    /// An event of `kind`; the defaults describe a root without further details.
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

    /// Whether all deliveries are over and nodes that waited for the turn to settle run now; this is not a delivery.
    public var isSettling: Bool { (kind == .deliveryBegan || kind == .deliveryNext) && subject == 0 }

    /// The reason why a value was suppressed; `nil` for other kinds of event and unknown reasons.
    public var suppressionReason: SuppressionReason? {
        kind == .suppressed ? SuppressionReason(rawValue: reason) : nil
    }

    /// The reason why a subscription ended; `nil` for other kinds of event and unknown reasons.
    public var endReason: SubscriptionEndReason? {
        kind == .subscriptionEnded ? SubscriptionEndReason(rawValue: reason) : nil
    }
}

extension TraceEvent {
    /// Whether it begins a hop that only carries the cause of a task: no scheduler delivered what is in it.
    public var carriesCause: Bool { kind == .hopBegan && count == 1 }
}

/// The name of an event within a trace: its thread and its number on that thread, written "1:42".
public struct EventID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The thread's number: 1 for the first thread that recorded.
    public var thread: UInt32
    /// The event's number on its thread, from 1.
    public var sequence: UInt64

    /// The event number `sequence` of `thread`.
    public init(thread: UInt32, sequence: UInt64) {
        self.thread = thread
        self.sequence = sequence
    }

    /// Parses the format of `description`; `nil` for anything but two decimal numbers separated by a colon.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }),
            let thread = UInt32(parts[0]), let sequence = UInt64(parts[1])
        else { return nil }
        self.init(thread: thread, sequence: sequence)
    }

    /// "thread:sequence".
    public var description: String { "\(thread):\(sequence)" }

    /// Orders by thread, then by sequence number; this is not an order in time.
    public static func < (left: EventID, right: EventID) -> Bool {
        (left.thread, left.sequence) < (right.thread, right.sequence)
    }
}
