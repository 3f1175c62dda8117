import CWeirCore

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
