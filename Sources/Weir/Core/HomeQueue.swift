import CWeir

/// Work for one actor, done in order: at once where the code runs in the actor's isolation already and nothing waits, else
/// by a task that hops to the actor.
///
/// Invariants: `isBusy` while something waits or is being done; one thread at a time does what waits; what is added while
/// something waits comes after it, wherever it is added.
@usableFromInline
final class HomeQueue: @unchecked Sendable {  // The gate guards what varies; `isBusy` is atomic.
    @usableFromInline let home: Home
    @exclusivity(unchecked) private var gate = weir_gate()
    @exclusivity(unchecked) private var waiting = Queue<() -> Void>()
    @usableFromInline @exclusivity(unchecked) var isBusy = false
    /// Somebody is doing what waits.
    @exclusivity(unchecked) private var isServing = false
    /// A task is on its way to the actor.
    @exclusivity(unchecked) private var isScheduled = false
    /// Nothing is done any more.
    @exclusivity(unchecked) private var isOver = false

    @usableFromInline
    init(_ actor: any Actor) { home = Home(actor) }

    /// Whether what comes now need not wait.
    @inlinable @inline(__always)
    var isOpen: Bool { home.isHere && !weir_load_bool(&isBusy) }

    /// Does `work` now, or when all has been done that waits.
    @usableFromInline
    func run(_ work: @escaping () -> Void) { if isOpen { work() } else { add(work) } }

    /// Does `work` when all has been done that waits: before this returns if it is called in the actor's isolation, unless
    /// from what is being done.
    @usableFromInline
    func add(_ work: @escaping () -> Void) {
        let isHere = home.isHere
        let biased = weir_gate_enter(&gate)
        if isOver { return weir_gate_leave(&gate, biased) }
        waiting.append(work)
        weir_store_bool(&isBusy, true)
        let mustServe = isHere && !isServing
        let mustSchedule = !isHere && !isServing && !isScheduled
        if mustServe { isServing = true }
        if mustSchedule { isScheduled = true }
        weir_gate_leave(&gate, biased)
        if mustServe { serve(.max) } else if mustSchedule { schedule() }
    }

    /// Drops what waits, and whatever comes.
    func close() {
        var dropped = Queue<() -> Void>()
        let biased = weir_gate_enter(&gate)
        isOver = true
        swap(&waiting, &dropped)
        weir_gate_leave(&gate, biased)
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(dropped) {}
    }

    private func schedule() {
        Task.detached { [self] in await serveScheduled(in: home.actor) }
    }

    private func serveScheduled(in actor: isolated any Actor) {
        let biased = weir_gate_enter(&gate)
        isScheduled = false
        let isMine = !isServing && !waiting.isEmpty
        let count = waiting.items.count - waiting.head
        if isMine { isServing = true }
        weir_gate_leave(&gate, biased)
        if isMine { serve(count) }
    }

    /// Does what waits, up to `most` pieces: a thread that adds without end must not keep the actor from all else.
    private func serve(_ most: Int) {
        var left = most
        while let work = next(left) {
            work()
            left -= 1
        }
    }

    /// Nil: nothing waits, or another task has been scheduled for what does.
    private func next(_ left: Int) -> (() -> Void)? {
        let biased = weir_gate_enter(&gate)
        if left > 0, let work = waiting.popFirst() {
            weir_gate_leave(&gate, biased)
            return work
        }
        isServing = false
        let mustSchedule = !waiting.isEmpty && !isScheduled
        if mustSchedule { isScheduled = true }
        if waiting.isEmpty { weir_store_bool(&isBusy, false) }
        weir_gate_leave(&gate, biased)
        if mustSchedule { schedule() }
        return nil
    }
}
