import WeirTrace

/// Everything that one stimulus caused, including hops to other threads: a tree, listed outermost first.
public struct Cascade: Sendable {
    /// One fact of a cascade, with its level in the tree.
    public struct Item: Sendable {
        /// The fact; a delivery is one item, at the position of its beginning.
        public let event: TraceEvent
        /// How many items enclose it; 0 for the stimulus.
        public let level: Int
        /// For a delivery whose beginning and end have stamps, its duration in ticks.
        public internal(set) var deliveryTicks: UInt64?
    }

    /// The facts, each before its effects; siblings are in the order of time.
    public internal(set) var items: [Item] = []
    /// Facts beyond the limit, which were counted but not kept.
    public internal(set) var omitted: UInt64 = 0
    /// Whether its beginning is missing: lost, overwritten, or before the recording started.
    public internal(set) var isBeginningMissing = false
    /// Whether its end is missing: the recording stopped, or lost it.
    public internal(set) var isEndMissing = false
    /// The thread that it began on.
    public let thread: UInt32

    /// The event that started it; nil only if its beginning is missing.
    public var stimulus: TraceEvent? { isBeginningMissing ? nil : items.first?.event }

    /// Whether it continues an earlier cascade: it starts with a hop whose cause belongs to a cascade that had ended.
    public var isContinuation: Bool { stimulus?.kind == .hopBegan && stimulus?.cause != nil }

    init(thread: UInt32) {
        self.thread = thread
    }
}
