#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The registries are in order at a fork, in the parent and in the child. The child takes over other locks that a thread of the
/// parent held, when it needs them: see `weir_era`.
enum ForkHandlers {
    static func install() { _ = once }

    private static let once: Void = {
        pthread_atfork(
            {
                Registry.shared.lock.lock()
                ForkHandlers.isBiased = LiveRegistry.shared.lock()
            }, { ForkHandlers.unlock() }, { ForkHandlers.unlock() })
    }()

    private nonisolated(unsafe) static var isBiased = false

    private static func unlock() {
        LiveRegistry.shared.unlock(isBiased)
        Registry.shared.lock.unlock()
    }
}
