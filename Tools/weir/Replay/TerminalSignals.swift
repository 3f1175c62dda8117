#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The signals for a terminal that was taken over; the handlers' variables are initialized without running any code.
enum TerminalSignals {
    /// The terminal's previous settings.
    nonisolated(unsafe) static var saved = termios()
    /// 1 while the terminal is taken over.
    nonisolated(unsafe) static var isTaken: sig_atomic_t = 0
    /// A signal that asked the process to end; 0: none has.
    nonisolated(unsafe) static var ending: sig_atomic_t = 0
    /// 1 if the terminal's size has changed, or if it must be redrawn.
    nonisolated(unsafe) static var wasResized: sig_atomic_t = 0

    private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    static func install() {
        // Everything that a handler uses exists before the first one can run.
        (ending, wasResized, isTaken) = (0, 0, 0)
        for signal in endings { handle(signal) { TerminalSignals.ending = $0 } }
        for number in crashes {
            handle(number) {
                TerminalSignals.giveBack()
                signal($0, SIG_DFL)
                raise($0)
            }
        }
        // A parent may have started this process with signals blocked.
        var mine = sigset_t()
        sigemptyset(&mine)
        for number in endings + crashes + [SIGWINCH, SIGTSTP] { sigaddset(&mine, number) }
        sigprocmask(SIG_UNBLOCK, &mine, nil)
        handle(SIGWINCH) { _ in TerminalSignals.wasResized = 1 }
        // A stop that another process sends.
        handle(SIGTSTP) { _ in
            let interrupted = errno
            var raw = termios()
            tcgetattr(STDIN_FILENO, &raw)
            TerminalSignals.giveBack()
            raise(SIGSTOP)
            tcsetattr(STDIN_FILENO, TCSANOW, &raw)
            TerminalSignals.show()
            TerminalSignals.wasResized = 1
            errno = interrupted
        }
    }

    static func uninstall() {
        for number in endings + crashes + [SIGWINCH, SIGTSTP] { signal(number, SIG_DFL) }
    }

    /// Restores the terminal; safe in a signal handler.
    static func giveBack() {
        guard isTaken != 0 else { return }
        isTaken = 0
        emit("\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSANOW, &saved)
    }

    private static func show() {
        isTaken = 1
        emit("\u{1B}[?1049h\u{1B}[?25l")
    }

    private static func emit(_ text: StaticString) { _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount) }

    private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        signal(number, handler)
    }
}
