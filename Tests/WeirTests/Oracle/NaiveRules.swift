import WeirTrace

@testable import WeirAnalysis

/// The rules of redundancy as their page defines them, applied to all events for each question.
///
/// Only for traces whose threads were recorded without loss from their first event on.
struct NaiveRules {
    /// The subject of a tally.
    struct Subject: Hashable, CustomStringConvertible {
        let rule: RedundancyRule
        let node: UInt32
        let subscription: UInt32

        var description: String { "\(rule.rawValue) at node \(node), subscription \(subscription)" }
    }

    struct Tally: Equatable {
        var count: UInt64 = 0
        var refreshes: UInt64 = 0
        var wastedTicks: UInt64 = 0
        /// The position of the first event that was counted; nil if there is none yet.
        var first: Int?
        /// The positions of all events that were counted.
        var positions: [Int] = []
        var unsettled: UInt64 = 0
        var threads: [UInt32] = []
        var handlers: [UInt32] = []
        /// The flatMap whose failed request ended the subscription, or 0.
        var request: UInt32 = 0
        /// The counted events that a feedback loop made, and the refreshes that caused the next one, through hops.
        var inLoop: UInt64 = 0
        var returned: UInt64 = 0
        /// For a burst, the refreshes that a stale answer followed.
        var stale: UInt64 = 0
    }

    struct Limitation: Hashable {
        let rule: RedundancyRule
        let node: UInt32
        let reason: UnjudgedTally.Reason
    }

    struct Totals: Equatable {
        var refreshes: UInt64 = 0
        var redundantRefreshes: UInt64 = 0
        var handlerTicks: UInt64 = 0
        var wastedTicks: UInt64 = 0
        var evaluations: UInt64 = 0
        var noopEvaluations: UInt64 = 0
    }

    let naive: NaiveInterpreter
    let options: RedundancyOptions
    /// The length of a frame of the screen if the trace marks none, in ticks.
    let frameTicks: UInt64
    let hasFrameMarks: Bool
    /// The number of screen frames that were marked before each event.
    let screens: [Int]
    /// The frames around each event, outermost first, without the one that it opens.
    let around: [[NaiveFrame]]
    /// The frame that the event at a position opens.
    let opened: [Int: NaiveFrame]
    private(set) var refreshes: [NaiveRefresh] = []

    private(set) var tallies: [Subject: Tally] = [:]
    private(set) var unjudged: [Limitation: UInt64] = [:]
    private(set) var totals = Totals()
    /// For each superseded emission, the position of the emission that supersedes it.
    var superseding: [Int: Int] = [:]
    /// For each source that repeats another one, that one.
    var repeatedSources: [UInt32: UInt32] = [:]
    /// The nodes each of whose values is an event.
    var givingEvents: Set<UInt32> = []
    /// Those that emit the state of a command.
    var followingCommands: Set<UInt32> = []
    /// The nodes that emit values of emitters, unchanged.
    var emittedNodes: Set<UInt32> = []
    /// The refreshes, by position, that rules count and that are not intended.
    private var redundant: Set<Int> = []

    var events: [TraceEvent] { naive.events }

    init(_ naive: NaiveInterpreter, ticksPerSecond: UInt64, options: RedundancyOptions) {
        self.naive = naive
        self.options = options
        let ticks = options.frame.multipliedFullWidth(by: ticksPerSecond)
        frameTicks = ticks.high < 1_000_000_000 ? (1_000_000_000 as UInt64).dividingFullWidth(ticks).quotient : .max
        hasFrameMarks = naive.events.contains { $0.kind == .frame }
        var screen = 0
        screens = naive.events.map {
            if $0.kind == .frame { screen += 1 }
            return screen
        }
        around = naive.events.enumerated().map { position, event in
            (naive.frames[event.id.thread] ?? []).filter { $0.opening < position && position <= $0.closing }
        }
        opened = Dictionary(uniqueKeysWithValues: naive.frames.values.joined().map { ($0.opening, $0) })
        refreshes = NaiveRefresh.all(of: self)
        judge()
    }

    private mutating func judge() {
        totals.refreshes = UInt64(refreshes.count)
        totals.handlerTicks = refreshes.reduce(0) { $0 + $1.handlerTicks }
        superseding = allSuperseding
        givingEvents = allEventNodes
        followingCommands = allCommandNodes
        emittedNodes = allEmittedNodes
        judgeRefreshes()
        judgeGlitches()
        judgeEvaluations()
        judgeSources()
        judgeThreads()
        judgeFailures()
        judgeAlikeSubscriptions()
        judgeRequests()
        judgeAnswers()
        judgeSourcesMadeAgain()
        totals.redundantRefreshes = UInt64(redundant.count)
        totals.wastedTicks = refreshes.filter { redundant.contains($0.position) }.reduce(0) { $0 + $1.handlerTicks }
    }

    // MARK: Counting

    /// Counts the event at a position, unless the rule is disabled.
    mutating func count(_ rule: RedundancyRule, _ position: Int, node: UInt32, subscription: UInt32 = 0) {
        change(rule, node, subscription) {
            $0.count += 1
            $0.first = min($0.first ?? position, position)
            $0.positions.append(position)
        }
    }

    /// Adds a refresh to those that a rule found redundant.
    mutating func waste(_ rule: RedundancyRule, _ refresh: NaiveRefresh, node: UInt32, subscription: UInt32 = 0) {
        change(rule, node, subscription) {
            $0.refreshes += 1
            $0.wastedTicks += refresh.handlerTicks
        }
        let intentions = naive.definitions.intentions[node] ?? []
        guard options.rules.contains(rule), !intentions.contains(where: { $0.rule == rule.rawValue }) else { return }
        redundant.insert(refresh.position)
    }

    mutating func change(
        _ rule: RedundancyRule, _ node: UInt32, _ subscription: UInt32, _ body: (inout Tally) -> Void
    ) {
        guard options.rules.contains(rule) else { return }
        body(&tallies[Subject(rule: rule, node: node, subscription: subscription), default: Tally()])
    }

    mutating func limitation(_ rule: RedundancyRule, _ node: UInt32, _ reason: UnjudgedTally.Reason) {
        guard options.rules.contains(rule) else { return }
        unjudged[Limitation(rule: rule, node: node, reason: reason), default: 0] += 1
    }

    mutating func countEvaluation(isNoop: Bool) {
        totals.evaluations += 1
        if isNoop { totals.noopEvaluations += 1 }
    }

    // MARK: Words

    func kind(_ node: UInt32) -> NodeKind? { naive.definitions.nodes[node]?.kind }

    /// Whether it exists only once, regardless of the number of subscribers.
    func isHot(_ node: UInt32) -> Bool {
        let hot: [NodeKind] = [
            .observable, .emitter, .combiner, .observer, .command, .channel, .array, .binding, .execution, .share,
            .replay,
        ]
        return kind(node).map(hot.contains) ?? false
    }

    /// The run of a cold node that the emission at a position belongs to; nil if there is none, or if the node is hot.
    func run(_ emission: Int) -> UInt32? {
        let first = opened[emission]?.deliveries.first?.subscription
        return isHot(events[emission].subject) || first == 0 ? nil : first
    }

    /// Whether the emissions at both positions are from one run of one node.
    func areOfOneRun(_ former: Int, _ latter: Int) -> Bool {
        guard events[former].subject == events[latter].subject else { return false }
        return isHot(events[former].subject) || run(former) != nil && run(former) == run(latter)
    }

    /// The position of the event that begins an event's turn.
    func turn(_ position: Int) -> Int {
        let frames = around[position] + [opened[position]].compactMap(\.self)
        return frames.first { events[$0.opening].kind != .stimulusBegan }?.opening ?? position
    }

    /// The frames of emissions around an event.
    func emissions(around position: Int) -> [NaiveFrame] {
        around[position].filter { events[$0.opening].kind == .emitted }
    }
}
