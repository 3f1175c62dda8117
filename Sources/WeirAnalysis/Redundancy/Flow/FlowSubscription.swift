import WeirTrace

/// The rules that found a refresh redundant.
struct Verdict {
    struct Rules: OptionSet {
        let rawValue: UInt8

        static let repeated = Rules(rawValue: 1)
        static let zombie = Rules(rawValue: 2)
        /// An earlier subscription of the same line refreshes its handler, too.
        static let doubled = Rules(rawValue: 4)
        /// A later turn in the same screen frame refreshed again, judged by frame marks.
        static let burstByMarks = Rules(rawValue: 8)
        /// A later turn in the same window refreshed again, judged by time.
        static let burstByTime = Rules(rawValue: 16)
        static let burst: Rules = [.burstByMarks, .burstByTime]
        /// A later emission of the turn superseded it; `glitch` is the tally.
        static let superseded = Rules(rawValue: 32)
    }

    var rules: Rules = []
    /// The tally of the glitch that superseded it; meaningless if there is none.
    var glitch: Int32 = -1

    /// Whether a rule other than `burst` found it redundant.
    var isOther: Bool { !rules.subtracting(.burst).isEmpty }
}

/// The properties that all refreshes by one emission share.
struct RefreshOrigin {
    /// The position of the delivered emission.
    var emissionOrder: UInt64 = 0
    var turn: UInt64 = 0
    /// The named stimulus, by the order of its beginning; 0 if there is none.
    var occasion: UInt64 = 0
    var thread: UInt32 = 0
    /// How many screen frames had been marked.
    var screen: UInt32 = 0
    /// The node that the program wrote; -1: none is known.
    var written: Int32 = -1
}

/// A refresh; kept until the next one through its subscription.
struct LastRefresh {
    /// Its position in the order of the trace, from 1; 0 if there was no refresh.
    var order: UInt64 = 0
    /// When it began.
    var ticks: UInt64 = 0
    /// When its window began, later by the handler time in it that does not count.
    var windowTicks: UInt64 = 0
    /// The handler time of all earlier refreshes of its thread.
    var handled: UInt64 = 0
    var sequence: UInt64 = 0
    var handlerTicks: UInt64 = 0
    var origin = RefreshOrigin()
    /// The node of the feedback loop that it was in; -1: it was in none.
    var loop: Int32 = -1
    /// Its cell in `RefreshCounts`; -1: it is not counted there.
    var cell: Int32 = -1
    /// The index of its frame on its thread.
    var frame: UInt16 = 0
    var isOpen = false
    /// Whether it is wanted: its value is an event, each of which counts, or a new subscriber's first value.
    var isWanted = false
    var verdict = Verdict()

    var id: EventID { EventID(origin.thread, sequence) }
}

/// What `burst` keeps of the refresh before the last one; of the value before the first one, if there is none.
struct FormerRefresh {
    var value = ValueKey.notRecorded
    /// The order of the refresh that followed it; 0: it was no refresh.
    var next: UInt64 = 0
    /// The ways of separating screens by which it was followed by another write in the same screen.
    var rules: Verdict.Rules = []
}

/// Refreshes that `burst` counted at a subscription.
struct BurstCount {
    var count: UInt64 = 0
    var ticks: UInt64 = 0
    /// The node written for the refreshes that followed; -1: no single one is known.
    var written: Int32 = -1
    /// Whether another node was written for one of these refreshes than for the one that followed.
    var joinsNodes = false
    /// The refreshes that a batch around one write or several to the same node would join with the one that followed.
    var ofOneWriter: UInt64 = 0
    /// The same of writes to different nodes.
    var ofSeveralWriters: UInt64 = 0
    var betweenStimuli: UInt64 = 0
    var later: UInt64 = 0
    /// The refreshes that, or whose next ones, were in a feedback loop, and the node of one such loop.
    var inLoop: UInt64 = 0
    var loop: Int32 = -1
    /// The refreshes whose own emission caused the next one through hops, and a subscription whose handler wrote it.
    var returned: UInt64 = 0
    var via: Int32 = -1
    /// The refreshes that an answer to an earlier request followed, after that to a later one.
    var stale: UInt64 = 0

    static func + (left: BurstCount, right: BurstCount) -> BurstCount {
        if left.count == 0 || right.count == 0 { return left.count == 0 ? right : left }
        return BurstCount(
            count: left.count &+ right.count, ticks: left.ticks &+ right.ticks,
            written: left.written == right.written ? left.written : -1,
            joinsNodes: left.joinsNodes || right.joinsNodes,
            ofOneWriter: left.ofOneWriter &+ right.ofOneWriter,
            ofSeveralWriters: left.ofSeveralWriters &+ right.ofSeveralWriters,
            betweenStimuli: left.betweenStimuli &+ right.betweenStimuli, later: left.later &+ right.later,
            inLoop: left.inLoop &+ right.inLoop, loop: max(left.loop, right.loop),
            returned: left.returned &+ right.returned, via: max(left.via, right.via),
            stale: left.stale &+ right.stale)
    }
}

/// The part of the program that contains the two writes of a burst: the handler, stimulus or hop around both.
struct BurstScene: Equatable {
    /// The writes are not of one part, or are already in a batch.
    static let none = BurstScene(key: 0, isOfOneWriter: false)

    /// The same for two bursts of one part.
    let key: Int32
    /// Whether a batch makes one value of the two writes.
    let isOfOneWriter: Bool

    /// A negative key for the name of a stimulus.
    static func hash(_ name: String) -> Int32 {
        let hash = name.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Int32(truncatingIfNeeded: hash) | Int32.min
    }
}

/// The refreshes that `burst` counted at a subscription, by how it separates screens.
struct BurstCounts {
    /// The scene of the latest one, and how many different ones are kept.
    var scene = BurstScene.none
    var sceneCount: UInt16 = 0
    /// Those counted whether frame marks or times separate them: nearly all.
    var byBoth = BurstCount()
    var byMarksOnly = BurstCount()
    var byTimeOnly = BurstCount()

    var byMarks: BurstCount { byBoth + byMarksOnly }
    var byTime: BurstCount { byBoth + byTimeOnly }
}

/// The state of a subscription that the rules use. Deliveries wait mostly for its memory: it fills cache lines of 64 bytes, of
/// which most refreshes need the first three.
struct FlowSubscription {
    enum Life: UInt8 {
        case unmentioned
        case alive
        case ended
    }

    /// The number of refreshes; wraps around.
    var refreshes: UInt32 = 0
    /// The thread or executor of its first refresh outside of all hops; 0: there was none.
    var runner: UInt32 = 0
    let isTerminal: Bool
    /// Whether its values are those of emitters, perhaps through operators that do not change them.
    let isOfEmitters: Bool
    /// Whether its values are events: those of an emitter, or of operators on emitters only.
    let isOfEvents: Bool
    /// Whether `burst` does not count its next refresh: it counts none, or this is the first run of a body.
    var wantsNext: Bool
    /// Whether its values are events, those of cold sources, or answers to requests (of a flatMap): not of a state.
    let areAnswers: Bool
    /// Whether each of its values starts a request of a flatMap, or whether it is such a request.
    var startsRequests = false
    var isRequest = false
    var life = Life.unmentioned
    /// Whether another one refreshed it, too.
    var hasSeveralRunners = false
    /// Whether an owner was released.
    var isOrphaned = false
    /// Whether one of its refreshes emitted something.
    var carriesOn = false
    /// Whether a value was delivered.
    var hasValue = false
    /// Rules whose findings at the source are intended.
    let intended: UInt32
    var value = ValueKey.notRecorded
    var refresh = LastRefresh()
    /// The handler time of its refreshes, in ticks.
    var handlerTicks: UInt64 = 0
    var bursts = BurstCounts()
    // Most refreshes need nothing of what follows.
    let id: UInt32
    let source: Int32
    /// -1 if there is none.
    let target: Int32
    /// The node that decides which values come through it; -1 if there is none.
    let filter: Int32
    /// Whether `burst` counts none of its refreshes: its values are events, or follow a command's state.
    let wantsAll: Bool
    /// Whether it repeats an earlier subscription of its line, which may still live.
    var isAgain = false
    /// Whether it counts among the live runs of its source.
    var isRunning = false
    /// Its redundant refreshes that no burst counts, with screens separated by frame marks or by time.
    var othersByMarks = RedundantCount()
    var othersByTime = RedundantCount()
    /// Whether it completed within a frame after a refresh.
    var completedAtOnce = false
    /// Makes the number of cache lines odd: with a power of two, the beginnings of all entries would share few sets of the cache.
    private let padding = (SIMD4<UInt64>(), SIMD2<UInt64>())

    /// Its redundant refreshes, each counted once, except those that are intended.
    func redundant(byMarks: Bool) -> RedundantCount {
        let (others, counted) = byMarks ? (othersByMarks, bursts.byMarks) : (othersByTime, bursts.byTime)
        let isMeant = intended & RedundancyRule.burst.bit != 0
        return isMeant ? others : others + RedundantCount(refreshes: counted.count, ticks: counted.ticks)
    }
}

/// Redundant refreshes, and their handler time in ticks.
struct RedundantCount {
    var refreshes: UInt64 = 0
    var ticks: UInt64 = 0

    static func + (left: RedundantCount, right: RedundantCount) -> RedundantCount {
        RedundantCount(refreshes: left.refreshes &+ right.refreshes, ticks: left.ticks &+ right.ticks)
    }
}
