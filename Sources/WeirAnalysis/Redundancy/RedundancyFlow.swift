@_spi(Records) import WeirTrace

/// Walks the records of a trace once, keeps the current state that the rules need, and applies the rules.
///
/// Each record costs a few nanoseconds: no value is decoded, no text is read, and only findings allocate memory.
///
/// Invariants:
///
/// - An open frame of an emission counts in its node's `openFrames`.
/// - An open refresh is its subscription's last one, or its frame has the verdict on it.
struct RedundancyFlow {
    let tables: FlowTables
    let rules: UInt32
    /// Whether `burst` may count a refresh without a look at its circumstances, if these are the usual ones.
    let countsUsual: Bool
    /// Counts refreshes by stimulus; nil: nobody asks for that.
    let counts: RefreshCounts?
    let refreshCounts: UnsafeMutablePointer<RefreshCounts.Table>?
    /// Collects what lives; nil: nobody asks for that.
    let lives: LifeCollector?
    let threads: FlowThreads
    /// Those of `threads` with low numbers: short runs would pay for a look into the object.
    private let firstThreads: UnsafeMutablePointer<UnsafeMutablePointer<FlowThread>?>
    /// The position of the record among those judged, from 1. Threads apart are judged in another order than that of the trace, except
    /// before and after records of other kinds than emissions, suppressions and deliveries.
    var order: UInt64 = 0
    /// How many screen frames have been marked.
    var screen: UInt64 = 0
    /// The order of the last record that began a stimulus or marked a frame; 0: there was none yet.
    var lastMark: UInt64 = 0
    /// The order of the last record that is no emission, suppression or delivery.
    var lastOther: UInt64 = 0
    /// Whether a stimulus has begun so far.
    var hasStimuli = false
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
    var unhandledFailure: UnhandledFailureRule
    var repeatedSubscription: RepeatedSubscriptionRule
    var repeatedRequest: RepeatedRequestRule
    var cancelledRequest: CancelledRequestRule
    var staleResponse: StaleResponseRule
    var repeatedSource: RepeatedSourceRule

    init(
        _ topology: Topology, _ options: RedundancyOptions, ticksPerSecond: UInt64, keeping mostOccurrences: Int,
        counting counts: RefreshCounts?, lives: LifeCollector?
    ) {
        self.counts = counts
        refreshCounts = counts?.table
        self.lives = lives
        tables = FlowTables(topology, keeping: mostOccurrences)
        threads = FlowThreads(topology.definitions)
        firstThreads = threads.first
        rules = options.rules.reduce(0) { $0 | $1.bit }
        let frame = options.frame.multipliedFullWidth(by: max(1, ticksPerSecond))
        // A window that does not fit is longer than any trace.
        let window = frame.high < 1_000_000_000 ? UInt64(1_000_000_000).dividingFullWidth(frame).quotient : .max
        countsUsual = counts == nil && options.rules.contains(.burst) && mostOccurrences == 0
        repeatedValue = RepeatedValueRule(tables)
        glitch = GlitchRule(tables)
        burst = BurstRule(window: window, keeping: mostOccurrences)
        unobserved = UnobservedRule(tables)
        noopEvaluation = NoopEvaluationRule(tables)
        resubscribedSource = ResubscribedSourceRule(tables)
        feedback = FeedbackRule(tables)
        zombieRefresh = ZombieRefreshRule(tables)
        crossThread = CrossThreadRule(tables)
        slowRefresh = SlowRefreshRule(tables, limit: window)
        unhandledFailure = UnhandledFailureRule(tables)
        repeatedSubscription = RepeatedSubscriptionRule(tables)
        repeatedRequest = RepeatedRequestRule(tables)
        cancelledRequest = CancelledRequestRule(tables)
        staleResponse = StaleResponseRule(tables)
        repeatedSource = RepeatedSourceRule(tables)
    }

    @inline(__always)
    func applies(_ rule: RedundancyRule) -> Bool { rules & rule.bit != 0 }

    @inline(__always)
    private func thread(_ number: UInt32) -> UnsafeMutablePointer<FlowThread> {
        if number < FlowThreads.direct, let known = firstThreads[Int(number)] { return known }
        return threads.furtherThread(number)
    }

    /// Whether each record must be noted in the order of the trace.
    var isNoted: Bool { hasExecutors || lives != nil }

    /// Whether the trace tells which executors run; without them, what two threads do is not compared.
    private var hasExecutors: Bool { !tables.topology.definitions.executorSpans.isEmpty }

    /// Takes the records of a block.
    mutating func take(_ block: FlowBlock) {
        let (hasExecutors, isNoted) = (hasExecutors, isNoted)
        var (step, value, other) = (block.first, block.values, 0)
        let (runs, others) = (block.runs, block.others)
        for run in runs {
            let thread = thread(run.thread)
            var sequence = run.sequence
            let end = step + Int(run.count)
            while step < end {
                order &+= 1
                tables.prefetch(step[FlowStep.lookahead])
                if isNoted { note(step.pointee, sequence, thread, hasExecutors: hasExecutors) }
                switch step.pointee.kind {
                case EventKind.emitted.rawValue:
                    emitted(step, sequence, value, thread)
                    value += 1
                case EventKind.suppressed.rawValue: suppressed(step.pointee, sequence, thread)
                case EventKind.deliveryBegan.rawValue, EventKind.deliveryNext.rawValue:
                    let further = deliveries(step, end, alone: isNoted, sequence, thread) &- 1
                    step += further
                    sequence &+= UInt64(truncatingIfNeeded: further)
                case EventKind.deliveryEnded.rawValue: deliveriesEnded(step.pointee.ticks, sequence, thread)
                case FlowStep.closesAll:
                    order &-= 1
                    closeAll(thread)
                default:
                    takeOther(step.pointee, others[other], thread)
                    other += 1
                    lastOther = order
                }
                step += 1
                sequence &+= 1
            }
        }
    }

    /// Notes what a record mentions, and whose work it is.
    @inline(never)
    private mutating func note(
        _ step: FlowStep, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>, hasExecutors: Bool
    ) {
        guard step.kind != FlowStep.closesAll else { return }
        if hasExecutors {
            thread.pointee.beginExecutorSpans(to: sequence)
            if thread.pointee.stack.count == 0, step.kind != EventKind.context.rawValue {
                thread.pointee.noteOutermost(sequence, order)
            }
        }
        guard let lives, step.place >= 0 else { return }
        switch step.kind {
        case EventKind.emitted.rawValue, EventKind.suppressed.rawValue:
            lives.mention(node: tables.nodes[Int(step.place)].id)
        case EventKind.deliveryBegan.rawValue, EventKind.deliveryNext.rawValue:
            lives.mention(subscription: tables.subscriptions[Int(step.place)].id)
        default: break
        }
    }

    /// Takes a record of another kind; a malformed one changes nothing.
    @inline(never)
    private mutating func takeOther(
        _ step: FlowStep, _ cursor: RecordCursor, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        lives?.take(cursor, thread.pointee.number)
        switch cursor.kind {
        case .subscriptionStarted: subscriptionStarted(step, cursor.sequence, thread)
        case .subscriptionEnded: subscriptionEnded(step, cursor.sequence, thread)
        case .nodeCreated: nodeCreated(step, cursor.sequence, thread)
        case .completed, .failed: ended(step, cursor.sequence, isFailure: cursor.kind == .failed, thread)
        case .context:
            guard let open = cursor.openFrames else { return }
            restore(open, thread)
        case .stimulusBegan:
            guard let text = cursor.text else { return }
            (lastMark, hasStimuli) = (order, true)
            open(.stimulus, cursor.sequence, thread)
            if let top = thread.pointee.top { top.pointee.name = BurstScene.hash(text) }
            if thread.pointee.stack.count == 1, applies(.burst) { thread.pointee.beginStimulus(cursor.sequence, order) }
            if let counts, thread.pointee.stack.count == 1 {
                let id = EventID(thread.pointee.number, cursor.sequence)
                thread.pointee.stimulus = (counts.began(text, id), cursor.sequence)
            }
        case .hopBegan:
            guard cursor.isSoundHop else { return }
            if !thread.pointee.isInHop { thread.pointee.request = .none }
            open(.hop, cursor.sequence, thread)
            if let counts, thread.pointee.stack.count == 1, let cause = cursor.hopCause {
                let id = EventID(thread.pointee.number, cursor.sequence)
                thread.pointee.stimulus = (counts.hopBegan(cause: cause, id), cursor.sequence)
            }
            if let top = thread.pointee.top, top.pointee.opener == .hop {
                top.pointee.hopNode = step.place
                top.pointee.carriesCause = cursor.hopCarriesCause
                if let cause = cursor.hopCause {
                    top.pointee.hopCause = cause
                    if thread.pointee.stack.count == 1, applies(.burst) { noteStimulus(cursor.sequence, cause, thread) }
                }
                if thread.pointee.isOutermost, applies(.staleResponse) || applies(.burst) {
                    let cause = cursor.hopCause
                    let asked = cause.flatMap { threads[$0.thread]?.pointee.runnerPosition(of: $0.sequence) }
                    staleResponse.hopBegan(cursor.sequence, cause, asked, for: step.place, thread, tables)
                }
            }
        case .batchBegan: open(.batch, cursor.sequence, thread)
        case .stimulusEnded:
            close(.stimulus, thread)
            outermostEnded(cursor.sequence, thread)
        case .hopEnded:
            close(.hop, thread)
            outermostEnded(cursor.sequence, thread)
            if !thread.pointee.isInHop { staleResponse.hopEnded(cursor.sequence, thread) }
        case .batchEnded: close(.batch, thread)
        case .frame:
            screen &+= 1
            lastMark = order
        case .checkpoint:
            guard cursor.text != nil else { return }
            zombieRefresh.checkpoint(EventID(thread.pointee.number, cursor.sequence), tables)
        case .objectExpected: zombieRefresh.expected(cursor.subject)
        case .objectReleased:
            zombieRefresh.released(cursor.subject, EventID(thread.pointee.number, cursor.sequence), tables)
        default: break
        }
    }

    /// Notes the named stimulus that the outermost hop follows from.
    private func noteStimulus(
        _ sequence: UInt64, _ cause: EventID, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let stimulus = threads[cause.thread]?.pointee.stimulus(around: cause.sequence) ?? 0
        if stimulus != 0 { thread.pointee.beginStimulus(sequence, stimulus) }
    }

    private func outermostEnded(_ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>) {
        if thread.pointee.stack.count == 0 { thread.pointee.endStimulus(sequence) }
        if let counts, thread.pointee.stack.count == 0 { counts.ended(EventID(thread.pointee.number, sequence)) }
    }

    /// All tallies at the end, by rule, node and subscription.
    var tallies: [RuleTally] {
        RedundancyRule.allCases.flatMap { rule in
            counter(of: rule).tallies(tables, byMarks: screen > 0)
                .sorted { ($0.node, $0.subscription) < ($1.node, $1.subscription) }.map(completed)
        }
    }

    private func counter(of rule: RedundancyRule) -> any DescribedRule {
        switch rule {
        case .repeatedValue: repeatedValue
        case .glitch: glitch
        case .burst: burst
        case .unobserved: unobserved
        case .noopEvaluation: noopEvaluation
        case .resubscribedSource: resubscribedSource
        case .feedback: feedback
        case .zombieRefresh: zombieRefresh
        case .crossThread: crossThread
        case .slowRefresh: slowRefresh
        case .unhandledFailure: unhandledFailure
        case .repeatedSubscription: repeatedSubscription
        case .repeatedRequest: repeatedRequest
        case .cancelledRequest: cancelledRequest
        case .staleResponse: staleResponse
        case .repeatedSource: repeatedSource
        }
    }

    /// A tally with the facts known of its subscription at the end.
    private func completed(_ tally: RuleTally) -> RuleTally {
        var tally = tally
        let place = tally.subscription == 0 ? -1 : tables.place(ofSubscription: tally.subscription)
        guard place >= 0 else { return tally }
        let subscription = tables.subscriptions + Int(place)
        tally.carriesOn = subscription.pointee.carriesOn
        tally.areAnswers =
            subscription.pointee.areAnswers || tally.count > 0 && max(tally.afterEvents, tally.back) == tally.count
        return tally
    }

    /// Ends the pass: open frames get no end, and each last refresh is judged on the evidence so far.
    mutating func finish() {
        threads.forEach { closeAll($0) }
        for place in tables.topology.subscriptions.indices {
            let subscription = tables.subscriptions + place
            let refresh = subscription.pointee.refresh
            if refresh.order != 0 {
                account(subscription, refresh.verdict, refresh.handlerTicks, cell: refresh.cell)
            }
        }
    }
}

extension RedundancyRule {
    /// The description of its findings.
    var definition: any DescribedRule.Type {
        switch self {
        case .repeatedValue: RepeatedValueRule.self
        case .glitch: GlitchRule.self
        case .burst: BurstRule.self
        case .unobserved: UnobservedRule.self
        case .noopEvaluation: NoopEvaluationRule.self
        case .resubscribedSource: ResubscribedSourceRule.self
        case .feedback: FeedbackRule.self
        case .zombieRefresh: ZombieRefreshRule.self
        case .crossThread: CrossThreadRule.self
        case .slowRefresh: SlowRefreshRule.self
        case .unhandledFailure: UnhandledFailureRule.self
        case .repeatedSubscription: RepeatedSubscriptionRule.self
        case .repeatedRequest: RepeatedRequestRule.self
        case .cancelledRequest: CancelledRequestRule.self
        case .staleResponse: StaleResponseRule.self
        case .repeatedSource: RepeatedSourceRule.self
        }
    }

    /// The events that it counts.
    package var counted: CountedEvents { definition.counted }

    /// The common part of its findings that one line of the program caused.
    package var commonCause: CommonCause? { definition.commonCause }

    /// Its bit in a set of rules.
    @inline(__always)
    var bit: UInt32 {
        switch self {
        case .repeatedValue: 1
        case .glitch: 1 << 1
        case .burst: 1 << 2
        case .unobserved: 1 << 3
        case .noopEvaluation: 1 << 4
        case .resubscribedSource: 1 << 5
        case .feedback: 1 << 6
        case .zombieRefresh: 1 << 7
        case .crossThread: 1 << 8
        case .slowRefresh: 1 << 9
        case .unhandledFailure: 1 << 10
        case .repeatedSubscription: 1 << 11
        case .repeatedRequest: 1 << 12
        case .cancelledRequest: 1 << 13
        case .staleResponse: 1 << 14
        case .repeatedSource: 1 << 15
        }
    }
}

extension EventID {
    @inline(__always)
    init(_ thread: UInt32, _ sequence: UInt64) { self.init(thread: thread, sequence: sequence) }
}

/// Counts over the whole trace.
struct RedundancyTotals {
    var refreshes: UInt64 = 0
    var evaluations: UInt64 = 0
    var noopEvaluations: UInt64 = 0
}
