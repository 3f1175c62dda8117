@_spi(Records) import WeirTrace

/// An event, reduced to what replays need: it holds no text, so that copying is cheap.
struct RecordedEvent: NestedEvent {
    var kind = EventKind.context
    var reason: UInt8 = 0
    var delivers = false
    var isReplayed = false
    var isStamped = false
    var thread: UInt32 = 0
    /// The index of its thread among those of the trace.
    var lane = 0
    var subject: UInt32 = 0
    var sequence: UInt64 = 0
    /// Its position in the order of the trace.
    var order: UInt64 = 0
    var ticks: UInt64 = 0
    /// How many frames are open around it.
    var depth = 0
    /// The value of an emission.
    var value = RecordedValue.unknown
    /// The cause of a hop.
    var cause: EventID?
    /// For a hop, the subscription that was being delivered to when its work was scheduled; 0: none, or unknown.
    var scheduledBy: UInt32 = 0
    /// Whether a hop only carries the cause of a task.
    var carriesCause = false

    var id: EventID { EventID(thread: thread, sequence: sequence) }

    /// Whether the turn settles here: deferred work runs, and there is no delivery.
    var isSettling: Bool { (kind == .deliveryBegan || kind == .deliveryNext) && subject == 0 }

    var number: UInt64 { sequence }

    var suppressionReason: SuppressionReason? { kind == .suppressed ? SuppressionReason(rawValue: reason) : nil }
}

extension TraceReader {
    /// Passes all events to `body` in the order of time, with the names of stimuli.
    ///
    /// It reads the bare records, several times as fast as `forEachEvent`.
    func forEachRecordedEvent(
        reporting report: PassProgress.Report?, _ body: (_ event: RecordedEvent, _ stimulus: String) -> Void
    ) {
        let expected = UInt64(eventChunkCount)
        var chunks: UInt64 = 0
        var order: UInt64 = 0
        var threads: [RecordedThread] = []
        var laneOfThread: [UInt32: Int] = [:]
        forEachRecordRun { run in
            if run.startsChunk, let report {
                chunks += 1
                if chunks % 16 == 0 { report(PassProgress(events: chunks, expectedEvents: expected)) }
            }
            let lane = laneOfThread[run.thread] ?? threads.count
            if lane == threads.count {
                laneOfThread[run.thread] = lane
                threads.append(RecordedThread(run.thread, lane))
            }
            threads[lane].take(&run, &order, body)
            return true
        }
    }
}

/// The open frames of a thread, and an event that is reused for each record.
private struct RecordedThread {
    private var frames = FrameStack()
    private var event = RecordedEvent()

    init(_ thread: UInt32, _ lane: Int) {
        event.thread = thread
        event.lane = lane
    }

    mutating func take(_ run: inout RecordRun, _ order: inout UInt64, _ body: (RecordedEvent, String) -> Void) {
        var cursor = run.cursor
        // A chunk's first record lists the open frames; without such a record, none is open.
        if run.startsChunk { frames.removeAll() }
        repeat {
            order &+= 1
            event.sequence = cursor.sequence
            event.order = order
            event.ticks = cursor.ticks
            event.isStamped = cursor.isStamped
            event.subject = cursor.subject
            event.delivers = false
            event.kind = cursor.kind
            switch event.kind {
            case .emitted: takeEmission(cursor, order)
            case .completed, .failed: open(delivers: cursor.delivers, isEnding: true)
            case .deliveryBegan, .deliveryNext:
                frames.leaveDelivery()
                event.depth = frames.depth
            case .deliveryEnded:
                frames.leaveDelivery()
                event.depth = frames.depth
                _ = frames.close(.emission)
            case .suppressed, .subscriptionEnded:
                event.reason = cursor.reason
                event.depth = frames.depth
            default:
                guard takeRare(cursor, &run, body) else { return run.stop(at: cursor) }
                continue
            }
            body(event, "")
        } while run.advance(&cursor)
    }

    @inline(__always)
    private mutating func takeEmission(_ cursor: RecordCursor, _ order: UInt64) {
        event.isReplayed = cursor.isReplayed
        event.value = RecordedValue(ValueKey(cursor.body), origin: order)
        open(delivers: cursor.delivers, isEnding: false)
    }

    @inline(__always)
    private mutating func open(delivers: Bool, isEnding: Bool) {
        event.depth = frames.depth
        event.delivers = delivers
        if delivers { frames.open(.emission, sequence: event.sequence, isEnding: isEnding) }
    }

    /// Takes a rare record; false if it is malformed.
    private mutating func takeRare(
        _ cursor: RecordCursor, _ run: inout RecordRun, _ body: (RecordedEvent, String) -> Void
    ) -> Bool {
        event.depth = frames.depth
        var name = ""
        switch event.kind {
        case .context: return restore(cursor.openFrames)
        case .stimulusBegan:
            guard let text = cursor.text else { return false }
            name = text
            frames.open(.stimulus, sequence: event.sequence)
        case .hopBegan:
            guard cursor.isSoundHop else { return false }
            event.cause = cursor.hopCause
            event.carriesCause = cursor.hopCarriesCause
            event.scheduledBy = cursor.hopSubscription
            frames.open(.hop, sequence: event.sequence)
        case .batchBegan: frames.open(.batch, sequence: event.sequence)
        case .stimulusEnded: close(.stimulus)
        case .hopEnded: close(.hop)
        case .batchEnded: close(.batch)
        case .checkpoint: guard cursor.text != nil else { return false }
        case .eventsLost: run.noteLoss()
        default: break
        }
        body(event, name)
        return true
    }

    /// The end of a frame has the depth of its beginning.
    private mutating func close(_ opener: FrameStack.Opener) {
        if frames.close(opener) != nil { event.depth = frames.depth }
    }

    private mutating func restore(_ open: ContextFrames?) -> Bool {
        guard let open else { return false }
        frames.removeAll()
        frames.restore(open)
        return true
    }
}

/// A value of a recording, with the evidence of its equality.
///
/// Two values that are `==` are certainly the same; `isEqual` compares other values with the available evidence.
struct RecordedValue: Hashable {
    private let key: ValueKey
    /// The position in the trace of the event with the value. Uncertain values are the same only if they have the same origin.
    private let origin: UInt64

    /// An unknown value that differs from that of any event.
    static let unknown = RecordedValue(.notRecorded, origin: 0)

    init(_ key: ValueKey, origin: UInt64) {
        self.key = key
        self.origin = key.certainty == .whole ? 0 : origin
    }

    /// The initial value of a node.
    init(_ value: TraceValue, ofNode id: UInt32) { self.init(ValueKey(value), origin: .max - UInt64(id)) }

    /// An unknown value with a known origin.
    static func hidden(origin: UInt64) -> RecordedValue { RecordedValue(.notRecorded, origin: origin) }

    /// Whether form and content identify the value.
    var isKnown: Bool { key.certainty == .whole }
    var isVoid: Bool { key.isVoid }

    @inline(__always)
    static func == (left: RecordedValue, right: RecordedValue) -> Bool {
        left.key.isSame(as: right.key) && left.origin == right.origin
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key.mixed ^ origin) }

    /// A hash of the value and the seed; a few of these represent all values of some inputs.
    func mixed(into seed: UInt64) -> UInt64 {
        var mix = (seed ^ key.mixed) &* 0x9E37_79B9_7F4A_7C15
        mix = (mix ^ mix >> 32 ^ origin) &* 0xD6E8_FEB8_6659_FD93
        return mix ^ mix >> 29
    }

    /// Whether the two are equal; nil if unknown.
    func isEqual(to other: RecordedValue) -> Bool? {
        if self == other { return true }
        switch (key.certainty, other.key.certainty) {
        case (.nothing, _), (_, .nothing): return nil
        case (.description, .description): return key.isSame(as: other.key) ? nil : false
        default: return false
        }
    }
}
