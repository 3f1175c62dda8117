import CWeirSoak
import Foundation

/// A program that a round runs in its own process.
final class SoakChild {
    /// Its limits; 0 for none.
    struct Limits {
        /// Largest file, which the program may raise.
        var fileBytes: UInt64 = 0
        /// Address space.
        var memoryBytes: UInt64 = 0
        var cpuSeconds: UInt32 = 0
    }

    /// How it ended.
    struct Ending {
        enum Way: Equatable {
            case exit(Int32)
            case signal(Int32)
            /// It had not ended by the deadline.
            case hung
        }

        var way: Way
        var cpuSeconds: Double
        var peakMebibytes: Double

        /// In words.
        var words: String {
            switch way {
            case .exit(let code): "exited with \(code)"
            case .signal(let number): "was ended by signal \(number) (\(String(cString: strsignal(number))))"
            case .hung: "did not end"
            }
        }
    }

    let process: pid_t
    /// The reading end of its standard output.
    private let output: Int32
    private let errorsPath: String
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// - Parameter errors: the file that takes its standard error.
    init(
        _ program: String, _ arguments: [String], environment: [String: String], limits: Limits, errors: String
    ) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SoakError("no pipe could be made: error \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let errorFile = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard errorFile >= 0 else { throw SoakError("\(errors) could not be made: error \(errno)") }
        errorsPath = errors
        let variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("WEIR_") }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var bounds = weir_soak_limits(
            file_bytes: limits.fileBytes, memory_bytes: limits.memoryBytes, cpu_seconds: limits.cpuSeconds)
        var process: pid_t = 0
        let failure = weir_soak_spawn(program, &words, &settings, ends[1], errorFile, &bounds, &process)
        close(ends[1])
        close(errorFile)
        guard failure == 0 else { throw SoakError("\(program) could not be started: error \(failure)") }
        self.process = process
        output = ends[0]
    }

    deinit { close(output) }

    /// Waits for output until `deadline`, in seconds of `SoakClock`, and passes it to `body`. Returns false if the output has ended.
    func read(until deadline: Double, _ body: (ArraySlice<UInt8>) -> Void) -> Bool {
        var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let milliseconds = max(0, deadline - SoakClock.now) * 1000
        guard poll(&waiting, 1, Int32(min(milliseconds, 1e6))) > 0 else { return true }
        let count = Foundation.read(output, &buffer, buffer.count)
        if count < 0 { return errno == EINTR }
        body(buffer[..<count])
        return count > 0
    }

    func kill() { _ = Foundation.kill(process, SIGKILL) }

    /// Reads the rest of its output and waits for its end; kills it if it has not ended by `deadline`.
    func end(by deadline: Double, _ body: (ArraySlice<UInt8>) -> Void = { _ in }) -> Ending {
        while SoakClock.now < deadline, read(until: deadline, body) {}
        var (status, usage) = (Int32(0), rusage())
        var isHung = false
        while true {
            let found = wait4(process, &status, isHung ? 0 : WNOHANG, &usage)
            if found == process { break }
            if found < 0 && errno != EINTR { break }
            if !isHung, SoakClock.now > deadline {
                isHung = true
                kill()
            } else if !isHung {
                usleep(100)
            }
        }
        let way: Ending.Way =
            isHung
            ? .hung
            : weir_soak_has_exited(status) != 0
                ? .exit(weir_soak_exit_code(status)) : .signal(weir_soak_signal(status))
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        #if canImport(Darwin)
        let bytes = Double(usage.ru_maxrss)
        #else
        let bytes = Double(usage.ru_maxrss) * 1024
        #endif
        return Ending(
            way: way, cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), peakMebibytes: bytes / 1_048_576)
    }

    /// Its standard error.
    var errors: String { (try? String(contentsOfFile: errorsPath, encoding: .utf8)) ?? "" }
}

/// Why a round could not run, as a sentence.
struct SoakError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
