import Foundation

/// Another program, run to its end.
///
/// By the shell: Foundation's `Process` takes tens of milliseconds to notice an end, too long for what is timed here.
enum Child {
    /// Runs `program` (a path, or a name to be found in PATH). Returns what it wrote to standard error.
    ///
    /// Its standard output is thrown away. Nil: there is no such program, or it failed.
    static func run(_ program: String, _ arguments: [String]) throws -> String? {
        guard let path = find(program) else { return nil }
        let command = ([path] + arguments).map(quoted).joined(separator: " ") + " 2>&1 >/dev/null"
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

    /// The full path of `program`; nil: there is none.
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
