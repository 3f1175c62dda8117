import WeirTrace

/// The deliveries that are open on one thread, according to its events.
///
/// Invariants: they are ordered from the outermost to the innermost, their depths rise, and there are no more than `most`.
struct OpenDeliveries {
    struct Delivery {
        var subscription: UInt32
        /// Deliveries of the same emission up to this one.
        var ordinal: UInt32
        var depth: Int
        /// The event that began it, and its time.
        var began: UInt64
        var beganTicks: UInt64
        /// The slot of the node whose value is delivered.
        var source: Int32?
        /// Whether the exact tick of its beginning is known.
        var isTimed: Bool
        /// Whether it is a terminal delivery of a value that the handler has not carried on so far.
        var isUncarried: Bool
    }

    // No reader keeps more frames; in a hostile trace, more may seem to be open.
    private static let most = 4096
    private var stack: [Delivery] = []

    /// Drops deliveries at the event's depth or deeper: their ends are missing (lost, or cut off).
    mutating func drop(downTo event: TraceEvent) {
        while let last = stack.last, last.depth >= event.depth { stack.removeLast() }
    }

    mutating func open(_ delivery: Delivery) {
        if stack.count < Self.most { stack.append(delivery) }
    }

    /// Closes the delivery that ends with the event, and returns it.
    mutating func close(_ event: TraceEvent) -> Delivery? {
        while let last = stack.last, last.depth >= event.depth {
            stack.removeLast()
            if last.depth == event.depth { return last }
        }
        return nil
    }

    /// The slot of the node whose value the innermost handler carries on by this write; returned once for each delivery.
    mutating func carryOn(by event: TraceEvent) -> Int32? {
        guard let last = stack.lastIndex(where: { $0.depth <= event.depth }), stack[last].isUncarried,
            stack[last].subscription == event.deliveringTo
        else { return nil }
        stack[last].isUncarried = false
        return stack[last].source
    }

    /// Traps if an invariant of the type does not hold; for tests.
    func checkInvariants() {
        precondition(stack.count <= Self.most, "no more are kept than a reader keeps frames")
        for (outer, inner) in zip(stack, stack.dropFirst()) {
            precondition(outer.depth < inner.depth, "the depths of open deliveries rise")
        }
    }
}
