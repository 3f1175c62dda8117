import WeirTrace

/// What the rules remember of an emission, to tell how a later one stands to it.
struct EmissionMark {
    /// Its place in the order of the trace, from 1; 0: there was none.
    var order: UInt64 = 0
    /// The turn, by the order of what opened it.
    var turn: UInt64 = 0
    /// How many frames of the screen had been marked.
    var screen: UInt64 = 0
    /// The order of the innermost emission around it; 0: none.
    var parentOrder: UInt64 = 0
    /// The node of that emission; -1: none.
    var parentNode: Int32 = -1
    var thread: UInt32 = 0
    var sequence: UInt64 = 0

    var id: EventID { EventID(thread: thread, sequence: sequence) }

    /// There was none.
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

/// What the rules know of a node.
struct FlowNode {
    /// What its kind says of it.
    struct Traits: OptionSet {
        let rawValue: UInt8

        /// It exists once, however many listen.
        static let hot = Traits(rawValue: 1)
        static let emitter = Traits(rawValue: 2)
        static let source = Traits(rawValue: 4)
        /// It evaluates.
        static let computes = Traits(rawValue: 8)
        /// An evaluation that gives an equal value was for nothing.
        static let compares = Traits(rawValue: 16)
        /// Feeding it shows something, or keeps it to be read.
        static let shows = Traits(rawValue: 32)
        /// Flows join in it: it has one value for all of its inputs or writers.
        static let joins = Traits(rawValue: 64)
        /// Its making is recorded.
        static let isMade = Traits(rawValue: 128)
    }

    /// Whether a live terminal subscription can be reached from it.
    enum Sight: UInt8 {
        case notAsked
        case observed
        case unobserved
        case unknown
        /// Searching took too long.
        case unsearched
    }

    var id: UInt32
    var traits: Traits
    /// It was made while recording.
    var isBorn = false
    /// A subscription from or to it was heard of whose beginning was not recorded.
    var hasUnbegun = false
    /// Rules whose findings are meant so, as a set of bits by their order.
    var intended: UInt16 = 0
    /// Emissions of it that are open, on all threads.
    var openFrames: Int32 = 0
    /// Its last emission, of a hot node.
    var last = EmissionMark()

    /// The first that drove it without a hop: a thread, or who works on several; 0: none yet.
    var runner: UInt32 = 0

    var sight = Sight.notAsked
    /// When that was found.
    var sightVersion: UInt64 = 0
    /// By which search it was visited.
    var visit: UInt64 = 0

    /// Live subscriptions to a source, and the last one's beginning.
    var liveRuns: Int32 = 0
    var lastRun = EventID(thread: 0, sequence: 0)

    init(_ id: UInt32, rawKind: UInt8) {
        self.id = id
        traits = NodeKind(rawValue: rawKind).map(Traits.init) ?? []
    }
}

extension FlowNode.Traits {
    init(_ kind: NodeKind) {
        switch kind {
        case .emitter: self = [.emitter, .isMade]
        case .combiner: self = [.compares, .joins, .isMade]
        case .observer, .command, .array: self = [.shows, .isMade]
        case .binding: self = .shows
        case .observable, .channel: self = [.shows, .joins, .isMade]
        // The function of a flatMap makes a source for each value, and again for each subscription.
        case .source, .flatMap: self = .source
        case .combineLatest: self = [.compares, .joins]
        case .map, .compactMap, .scan, .zip, .withLatest: self = .compares
        default: self = []
        }
        if kind.isHot { insert(.hot) }
        if kind.computes { insert(.computes) }
    }
}
