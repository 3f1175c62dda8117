import WeirTrace

/// Walks the records of a trace once, keeps what the rules need to know of the moment, and asks them.
///
/// Each record costs some nanoseconds: no value is decoded, no text read, nothing allocated but for what is found.
///
/// Invariant: an open frame of an emission counts in its node's `openFrames`; an open refresh is its subscription's last one,
/// or its frame has the verdict on it.
struct RedundancyFlow {
    let tables: FlowTables
    let rules: UInt16
    var threads: [UInt32: UnsafeMutablePointer<FlowThread>] = [:]
    /// Those with low numbers, which nearly all are.
    private var firstThreads = [UnsafeMutablePointer<FlowThread>?](repeating: nil, count: 64)
    /// The place of the record in the order of the trace, from 1.
    var order: UInt64 = 0
    /// How many frames of the screen were marked.
    var screen: UInt64 = 0
    var totals = RedundancyTotals()
    var unjudged = UnjudgedTable()

    var repeatedValue: RepeatedValueRule
    var glitch: GlitchRule
    var burst: BurstRule
    var unobserved: UnobservedRule
    var noopEvaluation: NoopEvaluationRule
    var resubscribedSource: ResubscribedSourceRule
    var feedback: FeedbackRule
    var zombieRefresh: ZombieRefreshRule
    var crossThread: CrossThreadRule
    var slowRefresh: SlowRefreshRule

    init(_ topology: Topology, _ options: RedundancyOptions, ticksPerSecond: UInt64) {
        tables = FlowTables(topology)
        rules = options.rules.reduce(0) { $0 | $1.bit }
        let frame = options.frame.multipliedFullWidth(by: max(1, ticksPerSecond))
        // Longer than any trace where it does not fit.
        let window = frame.high < 1_000_000_000 ? UInt64(1_000_000_000).dividingFullWidth(frame).quotient : .max
        repeatedValue = RepeatedValueRule(tables)
        glitch = GlitchRule(tables)
        burst = BurstRule(window: window)
        unobserved = UnobservedRule(tables)
        noopEvaluation = NoopEvaluationRule(tables)
        resubscribedSource = ResubscribedSourceRule(tables)
        feedback = FeedbackRule(tables)
        zombieRefresh = ZombieRefreshRule(tables)
        crossThread = CrossThreadRule(tables)
        slowRefresh = SlowRefreshRule(tables, limit: window)
    }

    @inline(__always)
    func applies(_ rule: RedundancyRule) -> Bool { rules & rule.bit != 0 }

    @inline(__always)
    private mutating func thread(_ number: UInt32) -> UnsafeMutablePointer<FlowThread> {
        // With several threads, their turns are short.
        if Int(number) < firstThreads.count, let known = firstThreads[Int(number)] { return known }
        return furtherThread(number)
    }

    private mutating func furtherThread(_ number: UInt32) -> UnsafeMutablePointer<FlowThread> {
        if let known = threads[number] { return known }
        let new = UnsafeMutablePointer<FlowThread>.allocate(capacity: 1)
        new.initialize(to: FlowThread(number, tables.topology.definitions.stints[number] ?? []))
        threads[number] = new
        if Int(number) < firstThreads.count { firstThreads[Int(number)] = new }
        return new
    }

    /// Takes up the records of a run.
    mutating func take(_ run: inout RecordRun) {
        let thread = thread(run.thread)
        var cursor = run.cursor
        // What is open, a chunk's first record says; where it does not, nothing is.
        if run.startsChunk, cursor.rawKind != EventKind.context.rawValue { close(thread, from: 0) }
        repeat {
            order &+= 1
            switch cursor.rawKind {
            case 1: emitted(FlowRecord(cursor), cursor.body, thread)
            case 2: suppressed(FlowRecord(cursor), reason: cursor.reason, thread)
            case 3, 4: delivered(FlowRecord(cursor), thread)
            case 5: deliveriesEnded(cursor.ticks, thread)
            case 6: subscriptionStarted(FlowRecord(cursor), thread)
            case 7: subscriptionEnded(FlowRecord(cursor), thread)
            case 8: nodeCreated(FlowRecord(cursor))
            case 9: break
            case 10, 11: ended(FlowRecord(cursor), thread)
            default:
                guard takeRare(cursor, &run, thread) else { return run.stop(at: cursor) }
            }
        } while run.advance(&cursor)
    }

    /// Takes up a record that is rare; false where it is malformed.
    private mutating func takeRare(
        _ cursor: RecordCursor, _ run: inout RecordRun, _ thread: UnsafeMutablePointer<FlowThread>
    ) -> Bool {
        switch cursor.kind {
        case .context:
            guard let open = cursor.openFrames else { return false }
            restore(open, thread)
        case .eventsLost: run.noteLoss()
        case .stimulusBegan:
            guard cursor.text != nil else { return false }
            open(.stimulus, cursor.sequence, thread)
        case .hopBegan:
            guard cursor.isSoundHop else { return false }
            open(.hop, cursor.sequence, thread)
            if let top = thread.pointee.top, top.pointee.opener == .hop {
                top.pointee.hopNode = tables.place(ofNode: cursor.subject)
            }
        case .batchBegan: open(.batch, cursor.sequence, thread)
        case .stimulusEnded: close(.stimulus, thread)
        case .hopEnded: close(.hop, thread)
        case .batchEnded: close(.batch, thread)
        case .frame: screen &+= 1
        case .checkpoint:
            guard cursor.text != nil else { return false }
            zombieRefresh.checkpoint(EventID(thread.pointee.number, cursor.sequence), tables)
        case .objectExpected: zombieRefresh.expected(cursor.subject)
        case .objectReleased:
            zombieRefresh.released(cursor.subject, EventID(thread.pointee.number, cursor.sequence), tables)
        default: break
        }
        return true
    }

    /// A tally with what is known of its subscription at the end.
    func completed(_ tally: RuleTally) -> RuleTally {
        var tally = tally
        let place = tally.subscription == 0 ? -1 : tables.place(ofSubscription: tally.subscription)
        if place >= 0 { tally.carriesOn = tables.subscriptions[Int(place)].carriesOn }
        return tally
    }

    /// The trace is over: what is still open has no end, and what was refreshed last is judged as far as it is known.
    mutating func finish() {
        for thread in threads.values {
            close(thread, from: 0)
            thread.pointee.deallocate()
            thread.deinitialize(count: 1)
            thread.deallocate()
        }
        threads = [:]
        firstThreads = []
        for place in tables.topology.subscriptions.indices {
            let subscription = tables.subscriptions + place
            let refresh = subscription.pointee.refresh
            if refresh.order != 0 { account(subscription, refresh.verdict, refresh.handlerTicks) }
        }
    }
}

/// What the rules ask of a record; smaller than a cursor.
struct FlowRecord {
    let subject: UInt32
    let delivers: Bool
    let isReplayed: Bool
    let ticks: UInt64
    let sequence: UInt64

    @inline(__always)
    init(_ cursor: RecordCursor) {
        subject = cursor.subject
        delivers = cursor.delivers
        isReplayed = cursor.isReplayed
        ticks = cursor.ticks
        sequence = cursor.sequence
    }
}

extension EventID {
    @inline(__always)
    init(_ thread: UInt32, _ sequence: UInt64) { self.init(thread: thread, sequence: sequence) }
}

/// What is counted over the whole trace.
struct RedundancyTotals {
    var refreshes: UInt64 = 0
    var handlerTicks: UInt64 = 0
    var evaluations: UInt64 = 0
    var noopEvaluations: UInt64 = 0
    /// Redundant refreshes and their handler time, where marks decide what a screen is, and where the time does.
    var byMarks = (refreshes: UInt64(0), ticks: UInt64(0))
    var byTime = (refreshes: UInt64(0), ticks: UInt64(0))
}
