#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Notes a signal that asks this process to end, so that it can finish what it is writing.
enum EndingSignal {
    /// The signal; 0: none came. The handler writes it; its initialization runs no code.
    nonisolated(unsafe) static var received: sig_atomic_t = 0

    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    static func install() {
        received = 0
        for number in signals { signal(number) { EndingSignal.received = $0 } }
    }

    static func uninstall() {
        for number in signals { signal(number, SIG_DFL) }
    }
}
