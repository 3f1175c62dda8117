import Weir

/// A recording in a file, for questions as a user asks them.
struct RecordedFile {
    let file: TemporaryTrace

    init(
        values: TraceValues = .scalars, snapshots: TraceSnapshots = .none, _ body: () throws -> Void
    ) throws {
        file = try TemporaryTrace(isQuick: true)
        try Trace.start(writingTo: file.path, values: values, clock: VirtualClock(), snapshots: snapshots)
        defer { Trace.stop() }
        try body()
    }

    private init(in file: TemporaryTrace) { self.file = file }

    /// A recording of work that awaits.
    static func ofTask(
        values: TraceValues = .scalars, snapshots: TraceSnapshots = .none,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws -> RecordedFile {
        let file = try TemporaryTrace(isQuick: true)
        try Trace.start(writingTo: file.path, values: values, clock: VirtualClock(), snapshots: snapshots)
        defer { Trace.stop() }
        try await body()
        return RecordedFile(in: file)
    }

    /// The output of `weir COMMAND` about it, including standard error, and the exit status.
    func weir(_ command: String, _ arguments: String...) throws -> Answer {
        try BuiltProgram("weir").run([command, file.path] + arguments + ["--color", "never"], isHeardWhole: true)
    }

    func read() throws -> Recording { try Recording(reading: file.path) }
}
