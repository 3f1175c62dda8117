import CWeirCore

/// Runs work for one actor in order: at once if the code already runs in the actor's isolation and no work waits, otherwise in a
/// task that hops to the actor.
///
/// Invariants: `isBusy` is true while work waits or runs; one thread at a time runs the waiting work; work that is added while
/// other work waits follows it, on whatever thread it is added.
@usableFromInline
final class HomeQueue: @unchecked Sendable {  // The gate guards the mutable state; `isBusy` is atomic.
    @usableFromInline let home: Home
    @exclusivity(unchecked) private var gate = weir_gate()
    @exclusivity(unchecked) private var waiting = Queue<() -> Void>()
    @usableFromInline @exclusivity(unchecked) var isBusy = false
    /// Whether a thread is running the waiting work.
    @exclusivity(unchecked) private var isServing = false
    /// Whether a task has been scheduled on the actor.
    @exclusivity(unchecked) private var isScheduled = false
    /// Whether the queue is closed: it runs no more work.
    @exclusivity(unchecked) private var isOver = false

    @usableFromInline
    init(_ actor: any Actor) { home = Home(actor) }

    /// Whether new work can run without waiting.
    @inlinable @inline(__always)
    var isOpen: Bool { home.isHere && !weir_load_bool(&isBusy) }

    /// Runs `work` now, or after all waiting work.
    @usableFromInline
    func run(_ work: @escaping () -> Void) { if isOpen { work() } else { add(work) } }

    /// Runs `work` after all waiting work: before this returns if it is called in the actor's isolation, except from work that
    /// the queue runs.
    @usableFromInline
    func add(_ work: @escaping () -> Void) {
        let isHere = home.isHere
        let held = HeldGate(&gate)
        if isOver { return held.leave(&gate) }
        waiting.append(work)
        weir_store_bool(&isBusy, true)
        let mustServe = isHere && !isServing
        let mustSchedule = !isHere && !isServing && !isScheduled
        if mustServe { isServing = true }
        if mustSchedule { isScheduled = true }
        held.leave(&gate)
        if mustServe { serve(.max) } else if mustSchedule { schedule() }
    }

    /// Drops the waiting work and all later work.
    func close() {
        var dropped = Queue<() -> Void>()
        let held = HeldGate(&gate)
        isOver = true
        swap(&waiting, &dropped)
        held.leave(&gate)
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(dropped) {}
    }

    private func schedule() {
        Task.detached { [self] in await serveScheduled(in: home.actor) }
    }

    private func serveScheduled(in actor: isolated any Actor) {
        let held = HeldGate(&gate)
        isScheduled = false
        let isMine = !isServing && !waiting.isEmpty
        let count = waiting.items.count - waiting.head
        if isMine { isServing = true }
        held.leave(&gate)
        if isMine { serve(count) }
    }

    /// Runs up to `most` pieces of waiting work: a thread that keeps adding work must not block the actor for everything else.
    private func serve(_ most: Int) {
        var left = most
        while let work = next(left) {
            work()
            left -= 1
        }
    }

    /// Returns nil if no work waits, or if another task has been scheduled for it.
    private func next(_ left: Int) -> (() -> Void)? {
        let held = HeldGate(&gate)
        if left > 0, let work = waiting.popFirst() {
            held.leave(&gate)
            return work
        }
        isServing = false
        let mustSchedule = !waiting.isEmpty && !isScheduled
        if mustSchedule { isScheduled = true }
        if waiting.isEmpty { weir_store_bool(&isBusy, false) }
        held.leave(&gate)
        if mustSchedule { schedule() }
        return nil
    }
}

/// The actor in whose isolation a handler was made, and runs.
@usableFromInline
struct Home: @unchecked Sendable {  // Has constants; the executor's identity is only compared.
    @usableFromInline let actor: any Actor
    @usableFromInline let isMain: Bool
    /// The actor's executor; `actor` keeps it alive.
    private let executor: UnownedSerialExecutor

    init(_ actor: any Actor) {
        self.actor = actor
        isMain = actor === MainActor.shared
        executor = actor.unownedExecutor
    }

    /// Whether the code that runs on this thread is now in the actor's isolation.
    ///
    /// Cost: a load of a thread-local flag on the main thread; elsewhere a call into the runtime, about 15 ns.
    @inlinable @inline(__always)
    var isHere: Bool { isMain && weir_on_main_thread() || isCurrentExecutor }

    @usableFromInline @inline(never)
    var isCurrentExecutor: Bool {
        let (identity, implementation) = unsafeBitCast(executor, to: (UnsafeRawPointer?, UInt).self)
        // A block on the main queue is not a task, so the runtime recognises the main actor's isolation by the thread alone.
        return weir_executor_is_current(identity, implementation) || isMain && MainQueue.isCurrent
    }

    /// Runs `work` in the isolation: now, if this is that isolation.
    func run(_ work: @escaping () -> Void) {
        if isHere { return work() }
        nonisolated(unsafe) let work = work
        Task.detached { [self] in await Self.run(work, in: actor) }
    }

    private static func run(_ work: () -> Void, in actor: isolated any Actor) { work() }
}
