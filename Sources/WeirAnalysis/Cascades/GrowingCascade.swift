import WeirTrace

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
