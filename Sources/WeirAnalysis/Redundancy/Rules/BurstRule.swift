import WeirTrace

/// `burst`: a subscription is refreshed by several writes in one screen; only the last refresh was seen.
///
/// Counts a refresh that is followed directly, through the same subscription and in the same screen, by a refresh of another
/// emission: one of another turn, or a later one of the same turn that does not replace the former (`glitch`) and is not made
/// while the former is delivered (`feedback`). A screen lasts up to the next `frame` mark, but no longer than a window. In a
/// trace without marks it is a window that a refresh opens and that holds the refreshes beginning within its length, up to the
/// first one in another stimulus. Both are counted, because marks may come later.
///
/// Exempt are events, each of which counts (`()`, values of an emitter and of operators on emitters), and the first value for
/// a new subscriber.
struct BurstRule {
    /// The length of a window, in ticks.
    let window: UInt64
    /// The first refresh counted at each subscription, and the one that followed it.
    private var examplesByMarks: [Int32: (EventID, EventID)] = [:]
    private var examplesByTime: [Int32: (EventID, EventID)] = [:]
    /// The refreshes counted at each subscription, if they are kept.
    private var keptByMarks: [Int32: [EventID]] = [:]
    private var keptByTime: [Int32: [EventID]] = [:]
    private let mostOccurrences: Int

    init(window: UInt64, keeping mostOccurrences: Int) {
        (self.window, self.mostOccurrences) = (window, mostOccurrences)
    }

    /// Judges the refresh before `next`, and finds the window of `next`.
    ///
    /// - Parameters:
    ///   - isWrittenAgain: Whether `next`, if it is of the same turn, is of a later write.
    ///   - written: The node that the program wrote.
    ///   - isLater: Whether `next` is of later work: inside a hop, or outside of all stimuli although the program names some.
    @inline(__always)
    mutating func judge(
        _ place: Int32, _ subscription: UnsafeMutablePointer<FlowSubscription>, _ next: inout LastRefresh,
        ticks: UInt64, isWrittenAgain: Bool, written: Int32, isLater: Bool
    ) {
        let isFollowing = subscription.pointee.refresh.order != 0
        let occasion = subscription.pointee.refresh.occasion
        let isNewStimulus = next.occasion != 0 && occasion != next.occasion
        let isInWindow =
            isFollowing && !isNewStimulus && ticks &- subscription.pointee.refresh.windowTicks <= window
        next.windowTicks = isInWindow ? subscription.pointee.refresh.windowTicks : ticks
        guard isFollowing, !subscription.pointee.refresh.isWanted else { return }
        let isOfOneTurn = subscription.pointee.refresh.turn == next.turn
        guard !isOfOneTurn || isWrittenAgain else { return }
        let within: UInt64 = isOfOneTurn || next.occasion != 0 && occasion == next.occasion ? 1 : 0
        let later: UInt64 = !isOfOneTurn && isLater ? 1 : 0
        let gap = ticks &- subscription.pointee.refresh.ticks
        let between: UInt64 = isNewStimulus && occasion != 0 ? 1 : 0
        if subscription.pointee.refresh.screen == next.screen, gap <= window {
            subscription.pointee.refresh.verdict.isBurstByMarks = true
            if subscription.pointee.burstsByMarks.count == 0 {
                examplesByMarks[place] = (subscription.pointee.refresh.id, next.id)
            }
            if mostOccurrences > 0 {
                keptByMarks[place, default: []].append(subscription.pointee.refresh.id, most: mostOccurrences)
            }
            subscription.pointee.burstsByMarks.count &+= 1
            subscription.pointee.burstsByMarks.later &+= later
            subscription.pointee.burstsByMarks.note(written)
            subscription.pointee.burstsByMarks.withinStimulus &+= within
            subscription.pointee.burstsByMarks.betweenStimuli &+= between
            if gap > subscription.pointee.burstsByMarks.longest { subscription.pointee.burstsByMarks.longest = gap }
        }
        if isInWindow {
            subscription.pointee.refresh.verdict.isBurstByTime = true
            if subscription.pointee.burstsByTime.count == 0 {
                examplesByTime[place] = (subscription.pointee.refresh.id, next.id)
            }
            if mostOccurrences > 0 {
                keptByTime[place, default: []].append(subscription.pointee.refresh.id, most: mostOccurrences)
            }
            subscription.pointee.burstsByTime.count &+= 1
            subscription.pointee.burstsByTime.later &+= later
            subscription.pointee.burstsByTime.note(written)
            subscription.pointee.burstsByTime.withinStimulus &+= within
            subscription.pointee.burstsByTime.betweenStimuli &+= between
            if gap > subscription.pointee.burstsByTime.longest { subscription.pointee.burstsByTime.longest = gap }
        }
    }

    /// Adds the handler time of a counted refresh.
    @inline(__always)
    func waste(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ ticks: UInt64, byMarks: Bool, byTime: Bool
    ) {
        if byMarks { subscription.pointee.burstsByMarks.ticks &+= ticks }
        if byTime { subscription.pointee.burstsByTime.ticks &+= ticks }
    }

    /// The tallies, with screens separated by frame marks or by time.
    func tallies(_ tables: FlowTables, byMarks: Bool) -> [RuleTally] {
        (byMarks ? examplesByMarks : examplesByTime).map { place, example in
            let subscription = tables.subscriptions[Int(place)]
            let counted = byMarks ? subscription.burstsByMarks : subscription.burstsByTime
            var tally = RuleTally(
                .burst, node: tables.nodes[Int(subscription.source)].id, subscription: subscription.id,
                example: example.0, counterpart: example.1)
            tally.occurrences = (byMarks ? keptByMarks : keptByTime)[place] ?? []
            tally.count = counted.count
            tally.refreshes = counted.count
            tally.wastedTicks = counted.ticks
            tally.withinStimulus = counted.withinStimulus
            tally.betweenStimuli = counted.betweenStimuli
            tally.later = counted.later
            tally.longestGap = counted.longest
            if counted.written >= 0 { tally.cause = tables.nodes[Int(counted.written)].id }
            return tally
        }
    }
}
