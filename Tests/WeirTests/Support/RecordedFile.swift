import Weir

/// A recording in a file, for questions as a user asks them.
struct RecordedFile {
    let file: TemporaryTrace

    init(
        values: TraceValues = .scalars, snapshots: TraceSnapshots = .none, _ body: () throws -> Void
    ) throws {
        file = try TemporaryTrace()
        try Trace.start(writingTo: file.path, values: values, clock: VirtualClock(), snapshots: snapshots)
        defer { Trace.stop() }
        try body()
    }

    /// The output of `weir COMMAND` about it, including standard error, and the exit status.
    func weir(_ command: String, _ arguments: String...) throws -> Answer {
        try BuiltProgram("weir").run([command, file.path] + arguments + ["--color", "never"], isHeardWhole: true)
    }

    func read() throws -> Recording { try Recording(reading: file.path) }
}
