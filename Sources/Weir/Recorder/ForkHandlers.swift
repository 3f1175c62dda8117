#if Recording
import WeirRecording

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps the registries consistent across a fork, in the parent and in the child, with no name lookup in progress. The child
/// takes over other locks that a thread of the parent held, when it needs them: see `weir_era`.
enum ForkHandlers {
    static func install() { _ = once }

    private static let once: Void = {
        #if os(Linux)
        PendingSnapshots.shared.prepareForFork()
        #endif
        pthread_atfork(
            {
                #if os(Linux)
                PendingSnapshots.shared.lock.lock()
                #endif
                Registry.shared.lock.lock()
                ForkHandlers.held = LiveRegistry.shared.lock()
                RuntimeNames.lock.lock()
            }, { ForkHandlers.unlock() },
            {
                #if os(Linux)
                PendingSnapshots.shared.forgetInForkedChild()
                #endif
                ForkHandlers.unlock()
            })
    }()

    /// The gate of the registry of live objects, held across the fork.
    private nonisolated(unsafe) static var held: HeldGate?

    private static func unlock() {
        RuntimeNames.lock.unlock()
        if let held = held.take() { LiveRegistry.shared.unlock(held) }
        Registry.shared.lock.unlock()
        #if os(Linux)
        PendingSnapshots.shared.lock.unlock()
        #endif
    }
}
#endif
