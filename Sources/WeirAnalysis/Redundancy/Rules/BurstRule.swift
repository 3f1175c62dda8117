import WeirTrace

/// `burst`: a subscription is refreshed in several turns of one screen; only the last one was seen.
///
/// Counts a refresh that is the last of its turn through the subscription, and is followed through it by a refresh of
/// another turn in the same screen: up to the next `frame` mark; in a trace without marks, within the window that a refresh opens,
/// which takes in what begins no later than so long after it. As marks may yet come, both are counted.
/// Exempt: events, of which each counts: `()`, and what an emitter gives out; and what a new subscriber is given first.
struct BurstRule {
    /// The length of a window, in ticks.
    let window: UInt64

    /// Judges the refresh before `next`, and finds the window of `next`.
    @inline(__always)
    func judge(_ subscription: UnsafeMutablePointer<FlowSubscription>, _ next: inout LastRefresh, ticks: UInt64) {
        let former = subscription.pointee.refresh.order != 0
        let isInWindow = former && ticks &- subscription.pointee.refresh.windowTicks <= window
        next.windowTicks = isInWindow ? subscription.pointee.refresh.windowTicks : ticks
        guard former, subscription.pointee.refresh.turn != next.turn, !subscription.pointee.refresh.isWanted else {
            return
        }
        let isWithin =
            next.occasion != 0 && subscription.pointee.refresh.occasion == next.occasion
        if subscription.pointee.refresh.screen == next.screen {
            subscription.pointee.refresh.verdict.isBurstByMarks = true
            Self.count(&subscription.pointee.burstsByMarks, subscription, next, isWithin)
        }
        if isInWindow {
            subscription.pointee.refresh.verdict.isBurstByTime = true
            Self.count(&subscription.pointee.burstsByTime, subscription, next, isWithin)
        }
    }

    @inline(__always)
    private static func count(
        _ count: inout BurstCount, _ subscription: UnsafeMutablePointer<FlowSubscription>, _ next: LastRefresh,
        _ isWithin: Bool
    ) {
        if count.count == 0 {
            count.example = subscription.pointee.refresh.id
            count.counterpart = next.id
        }
        count.count &+= 1
        if isWithin { count.withinStimulus &+= 1 }
    }

    /// What was counted, where marks decide what a screen is, or else the time.
    func tallies(_ tables: FlowTables, byMarks: Bool) -> [RuleTally] {
        tables.topology.subscriptions.indices.compactMap { place in
            let subscription = tables.subscriptions[place]
            let counted = byMarks ? subscription.burstsByMarks : subscription.burstsByTime
            guard counted.count > 0 else { return nil }
            var tally = RuleTally(
                .burst, node: tables.nodes[Int(subscription.source)].id, subscription: subscription.id,
                example: counted.example, counterpart: counted.counterpart)
            tally.count = counted.count
            tally.refreshes = counted.count
            tally.wastedTicks = counted.ticks
            tally.withinStimulus = counted.withinStimulus
            return tally
        }
    }
}
