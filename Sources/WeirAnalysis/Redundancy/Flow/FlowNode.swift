import WeirTrace

/// The data of an emission that the rules compare with later emissions.
struct EmissionMark {
    /// Its position in the order of the trace, from 1; 0 if there was no emission.
    var order: UInt64 = 0
    /// The turn, identified by the order of its opening event.
    var turn: UInt64 = 0
    /// How many screen frames had been marked.
    var screen: UInt64 = 0
    /// The order of the innermost emission around it; 0 if there is none.
    var parentOrder: UInt64 = 0
    /// The node of that emission; -1 if there is none.
    var parentNode: Int32 = -1
    var thread: UInt32 = 0
    var sequence: UInt64 = 0

    var id: EventID { EventID(thread: thread, sequence: sequence) }

    /// A mark without emission.
    init() {}

    @inline(__always)
    init(
        _ id: EventID, _ order: UInt64, _ turn: UInt64, _ screen: UInt64, around: UnsafeMutablePointer<FlowFrame>?
    ) {
        self.order = order
        self.turn = turn
        self.screen = screen
        thread = id.thread
        sequence = id.sequence
        if let around {
            parentOrder = around.pointee.order
            parentNode = around.pointee.node
        }
    }
}

/// The events of an emission, from the first to the end of its deliveries.
struct EmissionSpan {
    var thread: UInt32 = 0
    var first: UInt64 = 1
    var last: UInt64 = 0

    func contains(_ id: EventID) -> Bool { id.thread == thread && first <= id.sequence && id.sequence <= last }
}

/// The state of a node that the rules use. It fills cache lines of 64 bytes, of which most emissions need the first.
struct FlowNode {
    /// Traits that follow from the node's kind.
    struct Traits: OptionSet {
        let rawValue: UInt16

        /// It exists once, however many subscribers it has.
        static let hot = Traits(rawValue: 1)
        static let emitter = Traits(rawValue: 2)
        static let source = Traits(rawValue: 4)
        /// It evaluates.
        static let computes = Traits(rawValue: 8)
        /// An evaluation that produces an equal value is redundant.
        static let compares = Traits(rawValue: 16)
        /// A value that it receives is shown, or kept to be read.
        static let shows = Traits(rawValue: 32)
        /// Flows join in it: all of its inputs or writers share one value.
        static let joins = Traits(rawValue: 64)
        /// Its creation is recorded.
        static let isMade = Traits(rawValue: 128)
        /// An equal value means something new: what its subscribers show may have changed without it (one side of a two-way binding), or
        /// each value changes that (the changes of an array).
        static let mayRepeat = Traits(rawValue: 256)
        /// Each value that it receives starts a request.
        static let requests = Traits(rawValue: 512)
        /// It is an operator that makes events of events.
        static let passesEvents = Traits(rawValue: 1024)
        /// It represents one call of `bind`.
        static let isBinding = Traits(rawValue: 2048)
        /// It represents the calls of a callback.
        static let isCallback = Traits(rawValue: 4096)
        /// It is an operator that emits the state of its other sources again when one of them emits.
        static let repeatsState = Traits(rawValue: 8192)
        /// It represents the elements of an asynchronous sequence.
        static let isSequence = Traits(rawValue: 16384)
        /// It is a body, which runs again when what it has read changes.
        static let isBody = Traits(rawValue: 32768)
    }

    /// Whether a live terminal subscription can be reached from it.
    enum Sight: UInt8 {
        case notAsked
        case observed
        case unobserved
        case unknown
        /// The search took too long.
        case unsearched
    }

    /// The number of the first thread or executor that drove it without a hop; 0 if there is none yet.
    var runner: UInt32 = 0
    var traits: Traits
    /// Whether it was made during the recording.
    var isBorn = false
    /// Whether an event mentions a subscription from or to it whose beginning was not recorded.
    var hasUnbegun = false
    /// Rules whose findings are intended, as a set of bits.
    var intended: UInt32 = 0
    /// Its open emissions, on all threads.
    var openFrames: Int32 = 0
    /// Its last emission, if the node is hot.
    var last = EmissionMark()

    /// Its last emission or end whose deliveries have ended.
    var span = EmissionSpan()

    /// The turn of its last evaluation.
    var evaluated: UInt64 = 0
    /// Whether it has evaluated while an input delivered, rather than waiting for the turn to settle.
    var isEager = false

    let id: UInt32

    var sight = Sight.notAsked
    /// The count of subscriptions begun (ended, if observed) when `sight` was computed.
    var sightVersion: UInt64 = 0
    /// The number of the last search that visited it.
    var visit: UInt64 = 0

    /// For a flatMap, the live subscriptions that give it values, each of which starts a request.
    var liveInputs: Int32 = 0
    /// The number of live subscriptions to a source, and the beginning of the last one.
    var liveRuns: Int32 = 0
    var lastRun = EventID(thread: 0, sequence: 0)
    /// Whether a subscription to a source has had a value since the first of those that overlap began.
    var hasGivenToRuns = false
    /// The orders of the first recorded beginning of a subscription, and of the last end of all runs of a source; 0: there was none.
    var firstRun: UInt64 = 0
    var lastEnd: UInt64 = 0
    /// Whether that run is a request of a flatMap, or serves one.
    var isRequested = false
    /// Whether the source has given a value.
    var hasGiven = false
    /// The order of the last value that it did not let pass; 0: there was none.
    var heldBack: UInt64 = 0

    init(_ id: UInt32, rawKind: UInt8) {
        self.id = id
        traits = NodeKind(rawValue: rawKind).map(Traits.init) ?? []
    }
}

extension FlowNode.Traits {
    /// Whether it is a source (kind 5), and not a flatMap, which makes sources.
    @inline(__always) var isCold: Bool { contains(.source) && !contains(.requests) }

    init(_ kind: NodeKind) {
        switch kind {
        case .emitter: self = [.emitter, .isMade]
        case .combiner: self = [.compares, .joins, .isMade]
        case .observer, .command, .array: self = [.shows, .isMade]
        case .binding: self = [.shows, .isBinding]
        case .observable: self = [.shows, .joins, .isMade]
        case .channel: self = [.shows, .joins, .isMade, .mayRepeat]
        case .changes: self = .mayRepeat
        // The function of a flatMap makes a source for each value, and does so for each subscription.
        case .source: self = .source
        case .flatMap: self = [.source, .requests]
        case .combineLatest: self = [.compares, .joins, .repeatsState]
        case .startWith: self = .repeatsState
        case .map, .compactMap, .scan, .zip, .withLatest: self = .compares
        default: self = []
        }
        if kind.isHot { insert(.hot) }
        if kind.computes { insert(.computes) }
        if kind.passesEventsOn { insert(.passesEvents) }
    }
}
