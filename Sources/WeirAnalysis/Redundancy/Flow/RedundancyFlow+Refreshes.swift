@_spi(Records) import WeirTrace

/// Judges refreshes: each by itself when it begins, and the last one of its subscription when the next one follows.
extension RedundancyFlow {
    // Only the usual case is inlined: the rest would keep it out of registers.
    @inline(__always)
    mutating func refreshBegan(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ comparison: ValueKey.Comparison,
        _ step: UnsafeMutablePointer<FlowStep>, _ sequence: UInt64, _ emission: DeliveredEmission, endsNext: Bool
    ) {
        let (ticks, frame, thread) = (step.pointee.ticks, emission.frame, emission.thread)
        totals.refreshes &+= 1
        subscription.pointee.refreshes &+= 1
        var rules: Verdict.Rules = []
        if comparison != .different || subscription.pointee.isOrphaned || subscription.pointee.isAgain
            || emission.isAnswer
        {
            rules = judgeByItself(comparison, step.pointee.place, sequence, emission)
        }
        if subscription.pointee.runner != thread.pointee.runner, !thread.pointee.isScheduled {
            noteRunner(subscription, thread)
        }
        var windowTicks = ticks
        if subscription.pointee.refresh.order != 0 {
            windowTicks = judgeFormer(subscription, rules, step, sequence, emission)
        }
        // Field by field: a copy of the whole would cost more than the rest.
        subscription.pointee.refresh.order = order
        subscription.pointee.refresh.origin = emission.origin
        subscription.pointee.refresh.ticks = ticks
        subscription.pointee.refresh.windowTicks = windowTicks
        subscription.pointee.refresh.handled = thread.pointee.handled
        subscription.pointee.refresh.sequence = sequence
        subscription.pointee.refresh.loop = frame.pointee.loop
        subscription.pointee.refresh.verdict.rules = rules
        subscription.pointee.refresh.isOpen = !endsNext
        subscription.pointee.refresh.isWanted = emission.isWanted || subscription.pointee.wantsNext
        if refreshCounts != nil { countRefresh(step.pointee.place, frame, thread) }
        if endsNext {
            // No other refresh lies inside it.
            let lasted = step[1].ticks &- ticks
            subscription.pointee.refresh.handlerTicks = lasted
            refreshLasted(lasted, lasted, subscription, sequence, frame, thread)
        } else {
            subscription.pointee.refresh.handlerTicks = 0
            subscription.pointee.refresh.frame = UInt16(truncatingIfNeeded: thread.pointee.stack.count &- 1)
            frame.pointee.isRefreshing = true
            frame.pointee.deliveryTicks = ticks
            frame.pointee.deliverySequence = sequence
            frame.pointee.nestedTicks = 0
        }
    }

    /// Judges the last refresh of a subscription, which another one follows; returns when the window of that began.
    @inline(__always)
    private mutating func judgeFormer(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ rules: Verdict.Rules,
        _ step: UnsafeMutablePointer<FlowStep>, _ sequence: UInt64, _ emission: DeliveredEmission
    ) -> UInt64 {
        // Usually, nobody has judged it yet, and it is of another turn in the same stimulus, or outside of all.
        if emission.isPlain, rules.isEmpty, subscription.pointee.refresh.verdict.rules.isEmpty,
            !subscription.pointee.refresh.isOpen, subscription.pointee.refresh.loop < 0,
            emission.frame.pointee.loop < 0,
            subscription.pointee.refresh.origin.turn != emission.origin.turn,
            subscription.pointee.refresh.origin.occasion == emission.origin.occasion,
            emission.origin.occasion == 0 || subscription.pointee.refresh.origin.thread == emission.origin.thread,
            let windowTicks = burst.judgeUsual(
                subscription, ticks: step.pointee.ticks, handled: emission.thread.pointee.handled,
                emission.origin, isLater: emission.isLater, scene: emission.scene)
        {
            return windowTicks
        }
        return judgeUnusual(subscription, rules, step, sequence, emission)
    }

    @inline(never)
    private mutating func judgeUnusual(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ rules: Verdict.Rules,
        _ step: UnsafeMutablePointer<FlowStep>, _ sequence: UInt64, _ emission: DeliveredEmission
    ) -> UInt64 {
        let (ticks, frame, thread) = (step.pointee.ticks, emission.frame, emission.thread)
        let turn = emission.origin.turn
        var windowTicks = ticks
        // The first run of a body is over.
        if subscription.pointee.wantsNext, !subscription.pointee.wantsAll { subscription.pointee.wantsNext = false }
        if applies(.burst) {
            let isOfOneTurn = subscription.pointee.refresh.origin.turn == turn
            let isOfOneFrame = thread.pointee.outermostContains(subscription.pointee.refresh)
            let former = subscription.pointee.refresh.verdict.rules
            windowTicks = burst.judge(
                step.pointee.place, subscription, next: EventID(thread.pointee.number, sequence), ticks: ticks,
                handled: isOfOneFrame ? thread.pointee.handled &- subscription.pointee.refresh.handled : 0,
                turn: turn, occasion: emission.origin.occasion, screen: UInt32(truncatingIfNeeded: screen),
                isOfOneFrame: isOfOneFrame, isInHop: emission.isInHop, value: frame.pointee.value, order: order,
                isRepeated: rules.contains(.repeated),
                isWrittenAgain: isOfOneTurn && isWrittenAgain(subscription, frame, thread),
                written: frame.pointee.written, isLater: emission.isLater, thread, tables)
            let counted = subscription.pointee.refresh.verdict.rules.subtracting(former)
            if !counted.isEmpty {
                noteLoop(subscription, counted, step.pointee.place, emission)
                if staleResponse.last == EventID(thread.pointee.number, sequence) {
                    burst.noteStale(subscription, counted)
                }
            }
        }
        if frame.pointee.superseded != 0 { supersede(subscription, frame) }
        settle(subscription)
        return windowTicks
    }

    /// Notes whether a loop made the two refreshes of a burst: one in a turn, or one that came through hops.
    @inline(never)
    private func noteLoop(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ rules: Verdict.Rules, _ place: Int32,
        _ emission: DeliveredEmission
    ) {
        let (frame, thread) = (emission.frame, emission.thread)
        let loop = frame.pointee.loop >= 0 ? frame.pointee.loop : subscription.pointee.refresh.loop
        if loop >= 0 { burst.noteLoop(subscription, rules, at: loop) }
        let hop = Int(thread.pointee.stack.places.hop)
        guard hop >= 0, case let source = subscription.pointee.source, source >= 0 else { return }
        let span = tables.nodes[Int(source)].span
        // A hop that hands a value to the handler's actor follows from what made the value.
        let isHandedOver = frame.pointee.isReplayed && thread.pointee.frames[hop].hopNode == frame.pointee.node
        guard
            staleResponse.isBehind(
                thread.pointee.frames[hop].hopCause, isHandedOver: isHandedOver, where: span.contains)
        else { return }
        let handler = Int(frame.pointee.outerRefresh)
        burst.noteReturn(
            subscription, rules, through: handler > hop ? thread.pointee.frames[handler].subscription : place)
    }

    /// Judges a refresh without regard to the time of the one before it.
    @inline(never)
    private mutating func judgeByItself(
        _ comparison: ValueKey.Comparison, _ place: Int32, _ sequence: UInt64, _ emission: DeliveredEmission
    ) -> Verdict.Rules {
        let (frame, thread, subscription) = (emission.frame, emission.thread, tables.subscriptions + Int(place))
        var rules: Verdict.Rules = []
        if comparison != .different { rules = judgeRepeated(comparison, place, sequence, frame, thread) }
        if subscription.pointee.isOrphaned || subscription.pointee.isAgain {
            rules.formUnion(judgeUnwanted(place, sequence, frame, thread))
        }
        if emission.isAnswer, applies(.staleResponse) {
            let id = EventID(thread.pointee.number, sequence)
            staleResponse.judge(place, frame.pointee.value, id, thread, tables)
        }
        return rules
    }

    @inline(never)
    private mutating func noteRunner(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        if applies(.crossThread) { crossThread.refreshed(subscription, by: thread.pointee.runner) }
    }

    /// Judges a refresh whose value is not known to differ from the one before it.
    private mutating func judgeRepeated(
        _ comparison: ValueKey.Comparison, _ place: Int32, _ sequence: UInt64,
        _ frame: UnsafeMutablePointer<FlowFrame>, _ thread: UnsafeMutablePointer<FlowThread>
    ) -> Verdict.Rules {
        let id = EventID(thread.pointee.number, sequence)
        guard applies(.repeatedValue),
            repeatedValue.judge(place, frame.pointee.value, comparison, id, tables, &unjudged)
        else { return [] }
        noteRepeated(place, frame, thread)
        if frame.pointee.loop >= 0 { repeatedValue.noteLoop(place, at: frame.pointee.loop, tables) }
        return .repeated
    }

    /// Judges a refresh through a subscription whose owner was released, or that repeats an earlier one.
    private mutating func judgeUnwanted(
        _ place: Int32, _ sequence: UInt64, _ frame: UnsafeMutablePointer<FlowFrame>,
        _ thread: UnsafeMutablePointer<FlowThread>
    ) -> Verdict.Rules {
        let id = EventID(thread.pointee.number, sequence)
        var rules: Verdict.Rules = []
        if applies(.zombieRefresh), zombieRefresh.judge(place, id, tables) { rules.insert(.zombie) }
        if tables.subscriptions[Int(place)].isAgain, !frame.pointee.isInitial, !isFirstRun(place),
            applies(.repeatedSubscription),
            repeatedSubscription.judge(place, id, tables)
        {
            rules.insert(.doubled)
        }
        return rules
    }

    /// Whether the current refresh is the first run of a body.
    private func isFirstRun(_ place: Int32) -> Bool {
        let subscription = tables.subscriptions[Int(place)]
        return subscription.refreshes == 1 && subscription.wantsNext && !subscription.wantsAll
    }

    /// Notes that an emission supersedes the last refresh of a subscription, if that is of the emission that it replaces.
    private func supersede(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ frame: UnsafeMutablePointer<FlowFrame>
    ) {
        guard subscription.pointee.refresh.origin.emissionOrder == frame.pointee.superseded, frame.pointee.glitch >= 0
        else { return }
        subscription.pointee.refresh.verdict.rules.insert(.superseded)
        subscription.pointee.refresh.verdict.glitch = frame.pointee.glitch
    }

    /// Counts a refresh that begins in `RefreshCounts`.
    @inline(never)
    private mutating func countRefresh(
        _ place: Int32, _ frame: UnsafeMutablePointer<FlowFrame>,
        _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        guard let counts else { return }
        let subscription = tables.subscriptions + Int(place)
        let stimulus = thread.pointee.openStimulus
        var cell = subscription.pointee.refresh.cell
        if !counts.table.pointee.isCell(cell, of: stimulus) {
            cell = counts.cell(of: Int(place), stimulus: stimulus)
        }
        counts.table.pointee.refreshed(cell)
        frame.pointee.cell = cell
        subscription.pointee.refresh.cell = cell
    }

    /// Notes what a refresh with the value of the one before it follows from.
    private mutating func noteRepeated(
        _ place: Int32, _ frame: UnsafeMutablePointer<FlowFrame>, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        repeatedValue.table.note(cause: origin(of: frame, thread), place, tables)
        if thread.pointee.followsEvent(frame, tables), let slot = repeatedValue.table[place] {
            repeatedValue.table.change(slot) { $0.afterEvents &+= 1 }
        }
    }

    /// Whether an emission is another write after that of a subscription's last refresh, in the same turn: neither replaces it, nor is
    /// made while it is delivered.
    private func isWrittenAgain(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ frame: UnsafeMutablePointer<FlowFrame>,
        _ thread: UnsafeMutablePointer<FlowThread>
    ) -> Bool {
        let former = subscription.pointee.refresh.origin.emissionOrder
        if frame.pointee.superseded == former { return false }
        var around = frame
        while around > thread.pointee.frames, around.pointee.order > former { around -= 1 }
        return around.pointee.order != former
    }

    /// Accounts for a subscription's last refresh. While that is open, its frame keeps the verdict until the handler time is
    /// known.
    private mutating func settle(_ subscription: UnsafeMutablePointer<FlowSubscription>) {
        guard subscription.pointee.refresh.isOpen else {
            return account(
                subscription, subscription.pointee.refresh.verdict, subscription.pointee.refresh.handlerTicks,
                cell: subscription.pointee.refresh.cell)
        }
        let (number, place) = (subscription.pointee.refresh.origin.thread, Int(subscription.pointee.refresh.frame))
        if let thread = threads[number], place < thread.pointee.stack.count {
            thread.pointee.frame(place).pointee.verdict = subscription.pointee.refresh.verdict
        }
    }

    /// Ends the open refresh of a frame.
    @inline(never)
    mutating func refreshEnded(
        _ frame: UnsafeMutablePointer<FlowFrame>, _ ticks: UInt64, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        frame.pointee.isRefreshing = false
        let place = frame.pointee.subscription
        guard place >= 0 else { return }
        let subscription = tables.subscriptions + Int(place)
        let lasted = ticks &- frame.pointee.deliveryTicks
        let own = Meaning.handlerTicks(lasted: lasted, nested: frame.pointee.nestedTicks)
        refreshLasted(lasted, own, subscription, frame.pointee.deliverySequence, frame, thread)
        if subscription.pointee.refresh.order == frame.pointee.deliveryOrder {
            subscription.pointee.refresh.isOpen = false
            subscription.pointee.refresh.handlerTicks = own
        } else {
            account(subscription, frame.pointee.verdict, own, cell: frame.pointee.cell)
        }
    }

    /// Counts the time of a refresh that began with the record of this number.
    @inline(__always)
    private mutating func refreshLasted(
        _ lasted: UInt64, _ own: UInt64, _ subscription: UnsafeMutablePointer<FlowSubscription>, _ sequence: UInt64,
        _ frame: UnsafeMutablePointer<FlowFrame>, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        thread.pointee.handled &+= own
        subscription.pointee.handlerTicks &+= own
        if refreshCounts != nil { countTime(own, frame) }
        let around = frame.pointee.outerRefresh
        if around >= 0 { thread.pointee.frame(Int(around)).pointee.nestedTicks &+= lasted }
        if lasted > slowRefresh.limit { judgeSlow(frame.pointee.subscription, sequence, lasted, thread) }
    }

    /// Counts the time of a refresh in `RefreshCounts`.
    @inline(never)
    private mutating func countTime(_ ticks: UInt64, _ frame: UnsafeMutablePointer<FlowFrame>) {
        refreshCounts?.pointee.timed(frame.pointee.cell, ticks: ticks)
    }

    @inline(never)
    private mutating func judgeSlow(
        _ place: Int32, _ sequence: UInt64, _ lasted: UInt64, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        guard applies(.slowRefresh) else { return }
        slowRefresh.judge(place, EventID(thread.pointee.number, sequence), lasted: lasted, tables)
    }

    /// Ends an open refresh whose end was not recorded: it has no handler time.
    mutating func refreshLost(_ frame: UnsafeMutablePointer<FlowFrame>) {
        frame.pointee.isRefreshing = false
        let place = frame.pointee.subscription
        guard place >= 0 else { return }
        let subscription = tables.subscriptions + Int(place)
        if subscription.pointee.refresh.order == frame.pointee.deliveryOrder {
            subscription.pointee.refresh.isOpen = false
        } else {
            account(subscription, frame.pointee.verdict, 0, cell: frame.pointee.cell)
        }
    }

    /// Adds a completed refresh to the tallies that count it.
    @inline(__always)
    mutating func account(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ verdict: Verdict, _ ticks: UInt64, cell: Int32
    ) {
        if verdict.rules.isEmpty { return }
        guard _fastPath(verdict.rules == .burst), refreshCounts == nil else {
            return accountFurther(subscription, verdict, ticks, cell: cell)
        }
        subscription.pointee.bursts.byBoth.ticks &+= ticks
    }

    @inline(never)
    private mutating func accountFurther(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ verdict: Verdict, _ ticks: UInt64, cell: Int32
    ) {
        burst.waste(subscription, ticks, verdict.rules.intersection(.burst))
        let isOther = verdict.isOther && accountOthers(subscription, verdict, ticks)
        let bursts = isMeant(.burst, subscription) ? [] : verdict.rules.intersection(.burst)
        let (byMarks, byTime) = (bursts.contains(.burstByMarks), bursts.contains(.burstByTime))
        let other = RedundantCount(refreshes: 1, ticks: ticks)
        if isOther, !byMarks { subscription.pointee.othersByMarks = subscription.pointee.othersByMarks + other }
        if isOther, !byTime { subscription.pointee.othersByTime = subscription.pointee.othersByTime + other }
        if isOther || !bursts.isEmpty, let refreshCounts {
            refreshCounts.pointee.wasted(cell, ticks, byMarks: isOther || byMarks, byTime: isOther || byTime)
        }
    }

    @inline(__always)
    private func isMeant(_ rule: RedundancyRule, _ subscription: UnsafeMutablePointer<FlowSubscription>) -> Bool {
        subscription.pointee.intended & rule.bit != 0
    }

    /// Adds to the tallies of all rules but `burst`; returns whether one of them counts a refresh that is not intended.
    private mutating func accountOthers(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ verdict: Verdict, _ ticks: UInt64
    ) -> Bool {
        let place = Int32(truncatingIfNeeded: subscription - tables.subscriptions)
        var counts = false
        if verdict.rules.contains(.repeated), let slot = repeatedValue.table[place] {
            repeatedValue.table.waste(slot, ticks)
            if !isMeant(.repeatedValue, subscription) { counts = true }
        }
        if verdict.rules.contains(.zombie), let slot = zombieRefresh.table[place] {
            zombieRefresh.table.waste(slot, ticks)
            if !isMeant(.zombieRefresh, subscription) { counts = true }
        }
        if verdict.rules.contains(.doubled), let slot = repeatedSubscription.table[place] {
            repeatedSubscription.table.waste(slot, ticks)
            if !isMeant(.repeatedSubscription, subscription) { counts = true }
        }
        if verdict.rules.contains(.superseded) {
            glitch.table.waste(verdict.glitch, ticks)
            let join = Int(tables.place(ofNode: glitch.table.tallies[Int(verdict.glitch)].node))
            if tables.nodes[join].intended & RedundancyRule.glitch.bit == 0 { counts = true }
        }
        return counts
    }
}
