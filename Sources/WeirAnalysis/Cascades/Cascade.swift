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

/// A cascade under construction: its facts in the order of arrival, each with its parent.
///
/// Invariant: a fact comes after its parent.
struct GrowingCascade {
    private struct Fact {
        var event: TraceEvent
        /// The index of the parent fact; nil for a root.
        var parent: Int?
        var deliveryTicks: UInt64?
    }

    let thread: UInt32
    var isBeginningMissing = false
    var isEndMissing = false
    /// The number of its open frames, on any thread.
    var openFrames = 0

    private var facts: [Fact] = []
    private var omitted: UInt64 = 0

    init(thread: UInt32) { self.thread = thread }

    var isEmpty: Bool { facts.isEmpty }
    var count: Int { facts.count }
    var events: some Sequence<TraceEvent> { facts.lazy.map(\.event) }

    subscript(place: Int) -> TraceEvent { facts[place].event }

    /// Keeps a fact below `parent`, or only counts it if there are `limit` facts already.
    mutating func keep(_ event: TraceEvent, below parent: Int?, limit: Int) -> Int? {
        guard facts.count < limit else {
            omitted &+= 1
            return nil
        }
        facts.append(Fact(event: event, parent: parent))
        return facts.count - 1
    }

    mutating func setDeliveryTicks(_ ticks: UInt64, at place: Int) { facts[place].deliveryTicks = ticks }

    /// The finished cascade, with each fact before its children.
    var cascade: Cascade {
        var cascade = Cascade(thread: thread)
        cascade.omitted = omitted
        cascade.isBeginningMissing = isBeginningMissing
        cascade.isEndMissing = isEndMissing
        cascade.items.reserveCapacity(facts.count)
        // From the last to the first, so that each list of children is in the order of time.
        var firstChild = [Int](repeating: -1, count: facts.count)
        var nextSibling = firstChild
        var top = -1
        for place in facts.indices.reversed() {
            if let parent = facts[place].parent {
                nextSibling[place] = firstChild[parent]
                firstChild[parent] = place
            } else {
                nextSibling[place] = top
                top = place
            }
        }
        var levels = [Int](repeating: 0, count: facts.count)
        var pending = top < 0 ? [] : [top]
        while let place = pending.popLast() {
            let fact = facts[place]
            cascade.items.append(
                Cascade.Item(event: fact.event, level: levels[place], deliveryTicks: fact.deliveryTicks))
            if nextSibling[place] >= 0 {
                levels[nextSibling[place]] = levels[place]
                pending.append(nextSibling[place])
            }
            if firstChild[place] >= 0 {
                levels[firstChild[place]] = levels[place] + 1
                pending.append(firstChild[place])
            }
        }
        return cascade
    }
}
