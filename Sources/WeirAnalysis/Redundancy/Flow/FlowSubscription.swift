import WeirTrace

/// Which rules say of a refresh that it was redundant.
struct Verdict {
    var isRepeated = false
    var isZombie = false
    /// A later turn of the same screen refreshed again, where marks decide.
    var isBurstByMarks = false
    /// As above, where the time decides.
    var isBurstByTime = false
    /// The tally of the glitch that superseded it; -1: none.
    var glitch: Int32 = -1

    /// A rule other than `burst` says so.
    var isOther: Bool { isRepeated || isZombie || glitch >= 0 }
}

/// A refresh, until the next one through its subscription.
struct LastRefresh {
    /// Its place in the order of the trace, from 1; 0: there was none.
    var order: UInt64 = 0
    /// That of the emission that was delivered.
    var emissionOrder: UInt64 = 0
    var turn: UInt64 = 0
    /// When it began.
    var ticks: UInt64 = 0
    /// When the window began in which it lies.
    var windowTicks: UInt64 = 0
    /// The stimulus around its turn, by the order of its beginning; 0: none.
    var occasion: UInt64 = 0
    var sequence: UInt64 = 0
    var handlerTicks: UInt64 = 0
    var thread: UInt32 = 0
    /// How many frames of the screen had been marked.
    var screen: UInt32 = 0
    var verdict = Verdict()
    /// The place of its frame on its thread.
    var frame: UInt16 = 0
    var isOpen = false
    /// Its value is an event, of which each counts, or the first that a new subscriber is given.
    var isWanted = false

    var id: EventID { EventID(thread, sequence) }
}

/// How often `burst` counted at a subscription.
struct BurstCount {
    var count: UInt64 = 0
    var ticks: UInt64 = 0
    var withinStimulus: UInt64 = 0
    var betweenStimuli: UInt64 = 0
    /// The longest time, in ticks, up to the refresh that followed.
    var longest: UInt64 = 0
}

/// What the rules know of a subscription. A small one, as it is what a delivery waits for most.
struct FlowSubscription {
    enum Life: UInt8 {
        case unmentioned
        case alive
        case ended
    }

    let id: UInt32
    let source: Int32
    /// -1: none.
    let target: Int32
    /// Rules whose findings at the source are meant so.
    let intended: UInt16
    let isTerminal: Bool
    let isOfEmitter: Bool
    var life = Life.unmentioned
    /// It counts among the live runs of its source.
    var isRunning = false
    /// An owner was released.
    var isOrphaned = false
    /// Something was emitted inside one of its refreshes.
    var carriesOn = false
    /// A value was delivered.
    var hasValue = false
    var value = ValueKey.notRecorded
    var refresh = LastRefresh()
    var burstsByMarks = BurstCount()
    var burstsByTime = BurstCount()
}
