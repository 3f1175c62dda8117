import Foundation
import Weir

/// What the command `weir` prints of a recording, and how it exits.
struct Answer {
    let text: String
    let status: Int32
}

/// A recording in a file, to be asked as a user asks.
struct RecordedFile {
    let file: TemporaryTrace

    init(snapshots: TraceSnapshots = .none, _ body: () throws -> Void) throws {
        file = try TemporaryTrace()
        try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: snapshots)
        defer { Trace.stop() }
        try body()
    }

    /// What `weir COMMAND` says of it.
    func weir(_ command: String, _ arguments: String...) throws -> Answer {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try BuiltProgram("weir").path)
        process.arguments = [command, file.path] + arguments + ["--color", "never"]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Answer(text: text, status: process.terminationStatus)
    }

    func read() throws -> Recording { try Recording(reading: file.path) }
}
