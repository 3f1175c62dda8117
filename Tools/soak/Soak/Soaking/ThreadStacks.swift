import CWeirSoak

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The stacks of a run's threads; each thread writes its own when a signal asks for it.
enum ThreadStacks {
    private static let threads = LockedBox<[pthread_t]>([])

    static func begin() { threads.change { $0.append(pthread_self()) } }
    static func end() { threads.change { all in all.removeAll { pthread_equal($0, pthread_self()) != 0 } } }

    /// Installs the signal's handler.
    static func prepare() { weir_stacks_prepare() }

    /// Asks one thread after the other; an ended thread writes nothing.
    static func write() {
        for thread in threads.value {
            weir_stacks_ask(thread)
            usleep(200_000)
        }
    }
}
