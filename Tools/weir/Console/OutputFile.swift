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

    /// Writes the whole file.
    func write(_ text: String) throws {
        try write { try $0.write(text) }
    }

    /// Writes the file as `body` does, piece by piece.
    func write(_ body: (Output) throws -> Void) throws {
        // With this, exceeding the limit on file sizes is a write error, and does not end the process.
        signal(SIGXFSZ, SIG_IGN)
        let descriptor = SystemText.withBytes(of: path) { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { throw UsageError.cannotWrite(path: path, code: errno) }
        defer { close(descriptor) }
        let output = Output(descriptor: descriptor)
        try body(output)
        try output.flush()
    }
}
