import WeirTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file for a rendering; it replaces an existing file, unless that is a trace.
struct OutputFile {
    private let path: String
    private var isReplacedAtOnce = false

    /// Refuses the path of a trace.
    init(_ path: String) throws(UsageError) {
        self.path = path
        do {
            _ = try TraceReader(path: path)
        } catch TraceError.notATrace, TraceError.missing, TraceError.isDirectory, TraceError.notAFile {
            return
        } catch {
            // A damaged or newer trace is a trace as well; an empty or unreadable file is not known to be one.
            guard let state = FileState(path), state.size > 0 else { return }
        }
        throw .traceInTheWay(path: path)
    }

    /// The same file, which is replaced when all of it is written: a reader never meets a part.
    var replacingAtOnce: OutputFile {
        var copy = self
        copy.isReplacedAtOnce = true
        return copy
    }

    /// Writes the whole file.
    func write(_ text: String) throws {
        try write { try $0.write(text) }
    }

    /// Writes the file as `body` does, piece by piece.
    func write(_ body: (Output) throws -> Void) throws {
        // With this, exceeding the limit on file sizes is a write error, and does not end the process.
        signal(SIGXFSZ, SIG_IGN)
        let target = isReplacedAtOnce ? path + ".new" : path
        let descriptor = SystemText.withBytes(of: target) { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { throw UsageError.cannotWrite(path: path, code: errno) }
        defer { close(descriptor) }
        let output = Output(descriptor: descriptor)
        try body(output)
        try output.flush()
        guard isReplacedAtOnce else { return }
        let failure = SystemText.withBytes(of: target) { old in SystemText.withBytes(of: path) { rename(old, $0) } }
        guard failure == 0 else { throw UsageError.cannotWrite(path: path, code: errno) }
    }
}
