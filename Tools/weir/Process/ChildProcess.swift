import WeirTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs another program in place of this one: same terminal, same input and output, forwarded signals.
struct ChildProcess {
    /// How it ended.
    enum Ending: Equatable {
        case exited(Int32)
        case killed(signal: Int32)

        /// The exit status that a shell would report.
        var status: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        }
    }

    /// Why it could not start: the system's error number.
    struct StartError: Error {
        let code: Int32
    }

    /// Runs `commandLine` to its end, and forwards SIGINT, SIGTERM, SIGHUP and SIGQUIT to it while it runs.
    ///
    /// Signals from the terminal reach both processes directly and are not sent twice. It may be called from one thread
    /// only.
    static func run(
        _ commandLine: [String], environment: [String: String], started: (pid_t) -> Void
    ) throws(StartError) -> Ending {
        // Signals stay blocked until the child's process id is known.
        var forwarded = sigset_t()
        sigemptyset(&forwarded)
        for signal in SignalForwarding.signals { sigaddset(&forwarded, signal) }
        var original = sigset_t()
        sigprocmask(SIG_BLOCK, &forwarded, &original)
        // The parent may have blocked these signals (worker threads often do). To be forwarded, they must arrive in both
        // processes.
        var unblocked = original
        for signal in SignalForwarding.signals { sigdelset(&unblocked, signal) }
        let dispositions = SignalForwarding.install()
        defer { SignalForwarding.restore(dispositions) }
        let child: pid_t
        do {
            child = try spawn(commandLine, environment, mask: unblocked)
        } catch {
            sigprocmask(SIG_SETMASK, &original, nil)
            throw error
        }
        SignalForwarding.child = child
        started(child)
        sigprocmask(SIG_SETMASK, &unblocked, nil)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw StartError(code: errno) }
        }
        // The process id is free from here on and must not be signalled any more.
        SignalForwarding.child = 0
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
    }

    /// Starts `commandLine` in the background: without input, and with its output in a new file.
    static func start(
        _ commandLine: [String], environment: [String: String], output: String
    ) throws(StartError) -> pid_t {
        var mask = sigset_t()
        sigemptyset(&mask)
        return try spawn(commandLine, environment, mask: mask, output: output)
    }

    /// Whether a started process has ended, and how; nil: it is running.
    static func ending(of child: pid_t) -> Ending? {
        var status: Int32 = 0
        guard waitpid(child, &status, WNOHANG) == child else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
    }

    /// Asks a started process to end, and waits for it.
    static func end(_ child: pid_t) {
        kill(child, SIGTERM)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }

    private static func spawn(
        _ commandLine: [String], _ environment: [String: String], mask: sigset_t, output: String? = nil
    ) throws(StartError) -> pid_t {
        #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
        #else
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = mask
        // The tool ignores SIGPIPE for itself alone.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments = commandLine.map(copy) + [nil]
        var variables = environment.map { copy("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child: pid_t = 0
        #if canImport(Darwin)
        var files: posix_spawn_file_actions_t?
        #else
        var files = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        if let output {
            posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            _ = SystemText.withBytes(of: output) {
                posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, $0, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            }
            posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO)
        }
        let code = SystemText.withBytes(of: commandLine[0]) {
            posix_spawnp(&child, $0, &files, &attributes, &arguments, &variables)
        }
        guard code == 0 else { throw StartError(code: code) }
        return child
    }

    /// A copy of the bytes for the system; the caller frees it.
    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
        SystemText.withBytes(of: text) { strdup($0) }
    }
}
