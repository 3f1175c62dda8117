#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whoever forks finds the registries in order, and so does the child. Other locks that a thread of the parent held are taken from
/// it in the child when they are needed: see `weir_era`.
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
