#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Forwards signals from this process to its child.
enum SignalForwarding {
    static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// The process that receives the signals; 0 for none. The handler reads it; its initialization runs no code.
    nonisolated(unsafe) static var child: pid_t = 0

    /// Installs the handlers, except for ignored signals (as with `nohup`), and returns the previous actions.
    static func install() -> [(signal: Int32, action: sigaction)] {
        var replaced: [(signal: Int32, action: sigaction)] = []
        for signal in signals {
            var old = sigaction()
            sigaction(signal, nil, &old)
            guard !isIgnored(old) else { continue }
            var new = handler
            sigaction(signal, &new, nil)
            replaced.append((signal, old))
        }
        return replaced
    }

    static func restore(_ replaced: [(signal: Int32, action: sigaction)]) {
        for entry in replaced {
            var action = entry.action
            sigaction(entry.signal, &action, nil)
        }
    }

    private static var handler: sigaction {
        var action = sigaction()
        let forward: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
            signal, information, _ in
            guard SignalForwarding.child > 0, let information else { return }
            // The terminal signals the whole foreground group, the child included.
            #if canImport(Darwin)
            let isFromProcess = information.pointee.si_pid != 0
            #else
            let isFromProcess = information.pointee.si_code <= 0
            #endif
            guard isFromProcess else { return }
            // The interrupted code may be about to read its own error number.
            let interrupted = errno
            kill(SignalForwarding.child, signal)
            errno = interrupted
        }
        #if canImport(Darwin)
        action.__sigaction_u.__sa_sigaction = forward
        #elseif canImport(Musl)
        action.__sa_handler.sa_sigaction = forward
        #else
        action.__sigaction_handler.sa_sigaction = forward
        #endif
        action.sa_flags = SA_SIGINFO
        return action
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Musl)
        let handler = action.__sa_handler.sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
