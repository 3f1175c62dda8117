import WeirTrace

/// Everything that one stimulus caused, hops to other threads included: a tree, written outermost first.
public struct Turn: Sendable {
    /// One fact of a turn, with its place in the tree.
    public struct Item: Sendable {
        /// The fact; a delivery is one item, which stands where it began.
        public let event: TraceEvent
        /// How many items enclose it: 0 for the stimulus.
        public let level: Int
        /// For a delivery whose beginning and end are stamped: how long it took, in ticks.
        public internal(set) var deliveryTicks: UInt64?
    }

    /// The facts, each before what it caused; siblings in the order of time.
    public internal(set) var items: [Item] = []
    /// Facts beyond the bound, which were counted and not kept.
    public internal(set) var omitted: UInt64 = 0
    /// Whether its beginning is missing: lost, overwritten, or before the recording started.
    public internal(set) var isBeginningMissing = false
    /// Whether its end is missing: the recording stopped, or lost it.
    public internal(set) var isEndMissing = false
    /// The thread that it began on.
    public let thread: UInt32

    /// What started it; nil only when its beginning is missing.
    public var stimulus: TraceEvent? { isBeginningMissing ? nil : items.first?.event }

    /// Whether it goes on with an earlier turn: it starts with a hop whose cause belongs to one that had ended.
    public var isContinuation: Bool { stimulus?.kind == .hopBegan && stimulus?.cause != nil }

    init(thread: UInt32) {
        self.thread = thread
    }
}
