import WeirTrace

/// `burst`: a subscription is refreshed by several writes in one screen; only the last refresh was seen.
///
/// Counts a refresh that is followed directly, through the same subscription and in the same screen, by a refresh of another
/// emission: one of another turn, or a later one of the same turn that does not replace the former (`glitch`) and is not made
/// while the former is delivered (`feedback`), and that `repeated-value` does not count. A screen lasts up to the next `frame` mark, but no longer than a window. In a
/// trace without marks it is a window that a refresh opens and that holds the refreshes beginning within its length, up to the
/// first one in another stimulus. Both are counted, because marks may come later. Handler time inside one outermost frame does not
/// count: no screen is shown before that frame ends.
///
/// Exempt are events, each of which counts (`()`, values of an emitter and of operators on emitters), the state of a command, which
/// writes it twice in each execution, the first value for a new subscriber, the first run of a body, and a value after which the one before it returns in a hop, as for a spinner, if
/// that one was not followed in the same screen itself. The one before the first refresh is the value that an observable was made
/// with, if it had emitted nothing when the subscription began.
struct BurstRule {
    /// The length of a window, in ticks.
    let window: UInt64
    /// The first refresh counted at each subscription, and the one that followed it; then the first ones of further scenes.
    private var examplesByMarks: [Int32: [BurstExample]] = [:]
    private var examplesByTime: [Int32: [BurstExample]] = [:]
    /// The refreshes counted at each subscription, if they are kept.
    private var keptByMarks: [Int32: [EventID]] = [:]
    private var keptByTime: [Int32: [EventID]] = [:]
    private let mostOccurrences: Int

    init(window: UInt64, keeping mostOccurrences: Int) {
        (self.window, self.mostOccurrences) = (window, mostOccurrences)
    }

    /// Judges the last refresh of a subscription, which another one follows; returns when the window of that began.
    ///
    /// - Parameters:
    ///   - isOfOneFrame: Whether one outermost frame contains both refreshes.
    ///   - isInHop: Whether the next refresh is inside a hop.
    ///   - value: Its value.
    ///   - order: Its order.
    ///   - handled: The handler time between the two refreshes, if one outermost frame contains both; else 0.
    ///   - isRepeated: Whether the next refresh counts as one that repeats the value of the last one.
    ///   - isWrittenAgain: Whether the next refresh, if it is of the same turn, is of a later write.
    ///   - written: The node that the program wrote.
    ///   - isLater: Whether it is of later work: inside a hop, or outside of all stimuli although the program names some.
    ///   - thread: The thread of the next refresh.
    mutating func judge(
        _ place: Int32, _ subscription: UnsafeMutablePointer<FlowSubscription>, next: EventID, ticks: UInt64,
        handled: UInt64, turn: UInt64, occasion: UInt64, screen: UInt32, isOfOneFrame: Bool, isInHop: Bool,
        value: ValueKey, order: UInt64, isRepeated: Bool, isWrittenAgain: Bool, written: Int32, isLater: Bool,
        _ thread: UnsafeMutablePointer<FlowThread>, _ tables: FlowTables
    ) -> UInt64 {
        let former = subscription.pointee.refresh.origin.occasion
        let isNewStimulus = occasion != 0 && former != occasion
        let elapsed = ticks &- subscription.pointee.refresh.ticks
        // A refresh that ended in between may have begun before the former one.
        let skipped = min(handled, elapsed)
        let windowTicks = subscription.pointee.refresh.windowTicks &+ skipped
        let isInWindow = !isNewStimulus && ticks &- windowTicks <= window
        let isOfOneTurn = subscription.pointee.refresh.origin.turn == turn
        var rules: Verdict.Rules = []
        if subscription.pointee.refresh.origin.screen == screen, elapsed &- skipped <= window {
            rules.insert(.burstByMarks)
        }
        if isInWindow { rules.insert(.burstByTime) }
        if isRepeated || subscription.pointee.refresh.isWanted || isOfOneTurn && !isWrittenAgain { rules = [] }
        let before = tables.formers + Int(place)
        let known = before.pointee
        // The value of the last refresh is replaced after this.
        before.pointee = FormerRefresh(value: subscription.pointee.value, next: order, rules: rules)
        if !rules.isEmpty, isInHop, !isOfOneFrame,
            known.next == 0 || known.next == subscription.pointee.refresh.order,
            ValueKey.compare(known.value, value) == .equal
        {
            rules.formIntersection(known.rules)
        }
        if !rules.isEmpty {
            subscription.pointee.refresh.verdict.rules.formUnion(rules)
            let isWithin = isOfOneTurn || isOfOneFrame
            var scene = BurstScene.none
            if isWithin, let key = thread.pointee.scene(since: subscription.pointee.refresh.origin.emissionOrder) {
                let isOfOneWriter = Self.joinsWrites(to: subscription.pointee.refresh.origin.written, written, tables)
                scene = BurstScene(key: key, isOfOneWriter: isOfOneWriter)
            }
            let isFirst = BurstRule.change(&subscription.pointee.bursts, rules) {
                $0.written = $0.count == 0 || $0.written == written ? written : -1
                if written != subscription.pointee.refresh.origin.written { $0.joinsNodes = true }
                $0.count &+= 1
                if scene.isOfOneWriter { $0.ofOneWriter &+= 1 } else if scene != .none { $0.ofSeveralWriters &+= 1 }
                if !isOfOneTurn && isLater && !(isNewStimulus && former != 0) { $0.later &+= 1 }
                if isNewStimulus && former != 0 { $0.betweenStimuli &+= 1 }
                return $0.count == 1
            }
            let isNew = subscription.pointee.bursts.noteScene(scene)
            if isFirst || isNew || mostOccurrences > 0 {
                keep(place, BurstExample(first: subscription.pointee.refresh.id, next: next, scene: scene), rules)
            }
        }
        return isInWindow ? windowTicks : ticks
    }

    /// Whether a batch makes one value of two writes: it holds a node's value back, and lets an emitter's handlers run at once.
    @inline(__always)
    private static func joinsWrites(to former: Int32, _ node: Int32, _ tables: FlowTables) -> Bool {
        former == node || node >= 0 && tables.nodes[Int(node)].traits.contains(.emitter)
    }

    /// Notes that the refresh just counted, or the next one, was in a feedback loop.
    func noteLoop(_ subscription: UnsafeMutablePointer<FlowSubscription>, _ rules: Verdict.Rules, at node: Int32) {
        BurstRule.change(&subscription.pointee.bursts, rules) {
            $0.inLoop &+= 1
            $0.loop = max($0.loop, node)
        }
    }

    /// Notes that the emission of the refresh just counted caused the next one, through hops and what a handler writes.
    func noteReturn(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, _ rules: Verdict.Rules, through handler: Int32
    ) {
        BurstRule.change(&subscription.pointee.bursts, rules) {
            $0.returned &+= 1
            if $0.via < 0 { $0.via = handler }
        }
    }

    /// Notes that a stale answer followed the refresh just counted.
    func noteStale(_ subscription: UnsafeMutablePointer<FlowSubscription>, _ rules: Verdict.Rules) {
        BurstRule.change(&subscription.pointee.bursts, rules) { $0.stale &+= 1 }
    }

    /// Judges and accounts for the last refresh of a subscription, if it is one of several that are counted by both ways of separating
    /// screens and have this scene; otherwise, changes nothing and returns nil.
    ///
    /// No other rule may judge it. It must be over, and of another turn in the same stimulus as the next one, or both outside of all.
    @inline(__always)
    func judgeUsual(
        _ subscription: UnsafeMutablePointer<FlowSubscription>, ticks: UInt64, handled: UInt64, _ next: RefreshOrigin,
        isLater: Bool, scene: BurstScene
    ) -> UInt64? {
        guard !subscription.pointee.refresh.isWanted, subscription.pointee.refresh.origin.screen == next.screen,
            subscription.pointee.refresh.origin.written == next.written, subscription.pointee.bursts.byBoth.count > 0,
            subscription.pointee.bursts.scene == scene
        else { return nil }
        let elapsed = ticks &- subscription.pointee.refresh.ticks
        let skipped = next.occasion == 0 ? 0 : min(handled &- subscription.pointee.refresh.handled, elapsed)
        let windowTicks = subscription.pointee.refresh.windowTicks &+ skipped
        guard elapsed &- skipped <= window, ticks &- windowTicks <= window else { return nil }
        subscription.pointee.bursts.byBoth.count &+= 1
        subscription.pointee.bursts.byBoth.ticks &+= subscription.pointee.refresh.handlerTicks
        if subscription.pointee.bursts.byBoth.written != next.written {
            subscription.pointee.bursts.byBoth.written = -1
        }
        if scene != .none { subscription.pointee.bursts.byBoth.ofOneWriter &+= 1 }
        if isLater { subscription.pointee.bursts.byBoth.later &+= 1 }
        return windowTicks
    }

    /// Changes the counts that hold the refreshes that these rules count.
    @inline(__always)
    private static func change<Result>(
        _ bursts: inout BurstCounts, _ rules: Verdict.Rules, _ body: (inout BurstCount) -> Result
    ) -> Result {
        if _fastPath(rules == .burst) { return body(&bursts.byBoth) }
        return rules == .burstByMarks ? body(&bursts.byMarksOnly) : body(&bursts.byTimeOnly)
    }

    /// Keeps the refresh just counted.
    private mutating func keep(
        _ place: Int32, _ example: BurstExample, _ rules: Verdict.Rules
    ) {
        if rules.contains(.burstByMarks) {
            examplesByMarks[place, default: []].note(example)
            if mostOccurrences > 0 { keptByMarks[place, default: []].append(example.first, most: mostOccurrences) }
        }
        if rules.contains(.burstByTime) {
            examplesByTime[place, default: []].note(example)
            if mostOccurrences > 0 { keptByTime[place, default: []].append(example.first, most: mostOccurrences) }
        }
    }

    /// Adds the handler time of a counted refresh.
    @inline(__always)
    func waste(_ subscription: UnsafeMutablePointer<FlowSubscription>, _ ticks: UInt64, _ rules: Verdict.Rules) {
        if !rules.isEmpty { BurstRule.change(&subscription.pointee.bursts, rules) { $0.ticks &+= ticks } }
    }

    /// The tallies, with screens separated by frame marks or by time.
    func tallies(_ tables: FlowTables, byMarks: Bool) -> [RuleTally] {
        (byMarks ? examplesByMarks : examplesByTime).map { place, examples in
            let subscription = tables.subscriptions[Int(place)]
            let counted = byMarks ? subscription.bursts.byMarks : subscription.bursts.byTime
            var tally = RuleTally(
                .burst, node: tables.nodes[Int(subscription.source)].id, subscription: subscription.id,
                example: examples[0].first, counterpart: examples[0].next)
            tally.examples = examples
            tally.occurrences = (byMarks ? keptByMarks : keptByTime)[place] ?? []
            tally.count = counted.count
            tally.refreshes = counted.count
            tally.wastedTicks = counted.ticks
            tally.ofOneWriter = counted.ofOneWriter
            tally.ofSeveralWriters = counted.ofSeveralWriters
            tally.betweenStimuli = counted.betweenStimuli
            tally.later = counted.later
            tally.stale = counted.stale
            tally.completedAtOnce = subscription.completedAtOnce
            tally.inLoop = counted.inLoop
            if counted.loop >= 0 { tally.loopNode = tables.nodes[Int(counted.loop)].id }
            tally.returned = counted.returned
            if counted.via >= 0 { tally.via = tables.subscriptions[Int(counted.via)].id }
            tally.isOfOneWriter = counted.written >= 0 && !counted.joinsNodes
            if counted.written >= 0 { tally.cause = tables.nodes[Int(counted.written)].id }
            return tally
        }
    }
}

/// Two refreshes of a burst.
package struct BurstExample: Sendable, Equatable {
    /// The refresh that was not seen.
    package let first: EventID
    /// The one that followed.
    package let next: EventID
    let scene: BurstScene

    /// Whether one part of the program made both, so that a batch there may join them.
    package var isOfOneScene: Bool { scene != .none }
}

extension [BurstExample] {
    /// The most scenes with an example of their own.
    fileprivate static let most = 5

    /// Adds the first example of each scene.
    fileprivate mutating func note(_ example: BurstExample) {
        if count < Self.most, !contains(where: { $0.scene == example.scene }) { append(example) }
    }
}

extension BurstCounts {
    /// Notes the scene of a refresh; returns whether it may be a new one.
    @inline(__always)
    fileprivate mutating func noteScene(_ next: BurstScene) -> Bool {
        if next == scene || sceneCount >= Self.mostChanges { return false }
        scene = next
        sceneCount &+= 1
        return true
    }

    /// Bounds the cost of a subscription whose scenes alternate.
    private static let mostChanges: UInt16 = 1000
}

extension BurstRule: DescribedRule {
    static let counted = CountedEvents.refreshes
    static let commonCause: CommonCause? = .writes
    static let followsLoops = true

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        let parts = BurstParts(finding.tallies, finding.lines)
        for place in finding.tallies.indices {
            finding.tallies[place].show(parts.examples(of: finding.tallies[place]))
        }
        // Each value may be a wanted event: a message, a call of a delegate. The later writes of a load or a task may be wanted, too: a
        // spinner ends, a download goes on.
        let isWanted =
            finding.technique == .asyncSequence || finding.technique == .callback || parts.isOfLaterWork
        return (isWanted ? .note : .warning, remedy(finding, parts))
    }

    private static func remedy(_ finding: FindingFacts, _ parts: BurstParts) -> Remedy? {
        let definitions = finding.definitions
        if parts.isOfLoop {
            return Remedy(
                .cutLaterLoop, nodes: finding.nodes, subscriptions: finding.inputs,
                site: definitions.subscriptions[finding.first.via]?.site ?? finding.subscriptionSite)
        }
        if let shared = parts.writtenByHandlers {
            return Remedy(
                .computeOnce, nodes: [shared], subscriptions: finding.subscriptions,
                site: definitions.nodes[shared]?.site)
        }
        guard parts.isBatched || parts.canThrottle else { return nil }
        var remedy = finding.changingSubscriptions(parts.isBatched ? .batch : .throttle)
        remedy.cannotBatch = !parts.canBatch
        remedy.isOfBody = definitions.nodes[finding.first.node]?.technique == .render
        remedy.isOfLaterWork = parts.isOfLaterWork
        return remedy
    }
}
