import CWeirSoak

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where the threads of a run are, written by themselves when a signal asks them.
enum ThreadStacks {
    private static let threads = LockedBox<[pthread_t]>([])

    static func begin() { threads.change { $0.append(pthread_self()) } }
    static func end() { threads.change { all in all.removeAll { pthread_equal($0, pthread_self()) != 0 } } }

    /// Installs the signal's handler.
    static func prepare() { weir_stacks_prepare() }

    /// One thread after the other; a thread that has ended says nothing.
    static func write() {
        for thread in threads.value {
            weir_stacks_ask(thread)
            usleep(200_000)
        }
    }
}
