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

    /// A pipe that holds a byte after a signal: a wait that has just looked at the variables ends at once.
    nonisolated(unsafe) private static var wake: (read: Int32, write: Int32) = (-1, -1)

    private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    static func install() {
        // Everything that a handler uses exists before the first one can run.
        (ending, wasResized, isTaken) = (0, 0, 0)
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        wake = (ends[0], ends[1])
        for signal in endings {
            handle(signal) {
                TerminalSignals.ending = $0
                TerminalSignals.endWait()
            }
        }
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
        handle(SIGWINCH) { _ in
            TerminalSignals.wasResized = 1
            TerminalSignals.endWait()
        }
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
            TerminalSignals.endWait()
            errno = interrupted
        }
    }

    static func uninstall() {
        for number in endings + crashes + [SIGWINCH, SIGTSTP] { signal(number, SIG_DFL) }
        close(wake.read)
        close(wake.write)
        wake = (-1, -1)
    }

    /// Waits for input, a signal or the end of a time; whether there is input.
    static func waitsForInput(milliseconds: Int32) -> Bool {
        // A descriptor of -1 is ignored.
        var events = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&events, 2, milliseconds) > 0 else { return false }
        if events[1].revents != 0 {
            var bytes: UInt64 = 0
            while read(wake.read, &bytes, 8) > 0 {}
        }
        return events[0].revents != 0
    }

    /// Ends a wait; safe in a signal handler.
    private static func endWait() {
        let interrupted = errno
        var byte: UInt8 = 1
        _ = write(wake.write, &byte, 1)
        errno = interrupted
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
