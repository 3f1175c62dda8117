import Foundation

/// Another program, run to its end.
///
/// Runs through the shell: Foundation's `Process` takes tens of milliseconds to notice an end, too long for timing.
enum Child {
    /// Runs `program` (a path, or a name to be found in PATH). Returns what it wrote to standard error.
    ///
    /// Discards its standard output. Returns nil if there is no such program, or if it failed.
    static func run(_ program: String, _ arguments: [String]) throws -> String? {
        try read(program, arguments, " 2>&1 >/dev/null")
    }

    /// Runs `program` and returns its standard output; its standard error goes to this program's. Nil as with `run`.
    static func output(_ program: String, _ arguments: [String]) throws -> String? {
        try read(program, arguments, "")
    }

    private static func read(_ program: String, _ arguments: [String], _ redirection: String) throws -> String? {
        guard let path = find(program) else { return nil }
        let command = ([path] + arguments).map(quoted).joined(separator: " ") + redirection
        guard let stream = popen(command, "r") else { throw BenchmarkError("\(path) could not be started") }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            guard count > 0 else { break }
            output += buffer[..<count]
        }
        return pclose(stream) == 0 ? String(decoding: output, as: UTF8.self) : nil
    }

    /// The time of a run, and its peak memory.
    struct Cost {
        let milliseconds: Double
        /// Processor time, on which other processes have little effect.
        let processorMilliseconds: Double
        /// At least this program's own memory, which its children start with.
        let mebibytes: Double
    }

    /// Runs `program` without its output and measures it. Returns nil if there is no such program, or if it failed.
    ///
    /// - Parameter highestStatus: the highest exit status that counts as success.
    static func measure(_ program: String, _ arguments: [String], highestStatus: Int32 = 0) throws -> Cost? {
        guard let path = find(program) else { return nil }
        #if canImport(Darwin)
        var files: posix_spawn_file_actions_t?
        #else
        var files = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let start = Stopwatch.now
        var process: pid_t = 0
        guard posix_spawn(&process, path, &files, nil, &words, environ) == 0 else {
            throw BenchmarkError("\(path) could not be started")
        }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
        let time = Double(Stopwatch.now - start) / 1e6
        // The exit status is in the second byte; a signal would be in the first.
        let hasEnded = status & 0x7F == 0 && status >> 8 <= highestStatus
        guard hasEnded else { return nil }
        return Cost(
            milliseconds: time, processorMilliseconds: usage.processorMilliseconds,
            mebibytes: usage.peakKibibytes / 1024)
    }

    /// The full path of `program`; nil if there is none.
    static func find(_ program: String) -> String? {
        if program.contains("/") {
            return FileManager.default.isExecutableFile(atPath: program) ? program : nil
        }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func quoted(_ word: String) -> String {
        "'" + word.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}

extension rusage {
    fileprivate var processorMilliseconds: Double {
        Double(ru_utime.tv_sec + ru_stime.tv_sec) * 1000 + Double(ru_utime.tv_usec + ru_stime.tv_usec) / 1000
    }

    /// The peak memory.
    var peakKibibytes: Double {
        #if canImport(Darwin)
        Double(ru_maxrss) / 1024
        #else
        Double(ru_maxrss)
        #endif
    }
}
