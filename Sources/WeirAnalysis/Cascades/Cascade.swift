import WeirTrace

/// A cascade, everything that one stimulus causes, hops included: a tree, listed outermost first.
package struct Cascade: Sendable {
    /// One fact of a cascade, with its level in the tree.
    package struct Item: Sendable {
        /// The fact; a delivery is one item, at the position of its beginning.
        package let event: TraceEvent
        /// How many items enclose it; 0 for the stimulus.
        package let level: Int
        /// For a delivery whose beginning and end have stamps, its duration in ticks.
        package internal(set) var deliveryTicks: UInt64?
    }

    /// The facts, each before its effects; siblings are in the order of time.
    package internal(set) var items: [Item] = []
    /// Facts beyond the limit, which were counted but not kept.
    package internal(set) var omitted: UInt64 = 0
    /// Whether its beginning is missing: lost, overwritten, or before the recording started.
    package internal(set) var isBeginningMissing = false
    /// Whether its end is missing: the recording stopped, or lost it.
    package internal(set) var isEndMissing = false
    /// The thread that it began on.
    package let thread: UInt32

    /// The event that started it; nil only if its beginning is missing.
    package var stimulus: TraceEvent? { isBeginningMissing ? nil : items.first?.event }

    /// Whether it continues an earlier cascade: it starts with a hop whose cause belongs to a cascade that had ended.
    package var isContinuation: Bool { stimulus?.kind == .hopBegan && stimulus?.cause != nil }

    init(thread: UInt32) {
        self.thread = thread
    }
}
