import Foundation
import Testing
import Weir

/// What `weir events` prints of what `body` does: from the first stimulus on, without ids, times and causes.
func eventLines(values: TraceValues = .scalars, _ body: () throws -> Void) throws -> [String] {
    let file = try TemporaryTrace("contract.weir")
    try Trace.start(writingTo: file.path, values: values, clock: VirtualClock(), snapshots: .none)
    do {
        defer { Trace.stop() }
        try body()
    }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: try BuiltProgram("weir").path)
    process.arguments = ["events", file.path, "--color", "never"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let lines = text.split(separator: "\n").map { line in
        // The id takes 8 columns, the time 13, and two are empty; then comes the cause.
        let event = String(line.dropFirst(23))
        return event.components(separatedBy: "  ← ")[0]
    }
    return Array(lines.drop { !$0.hasPrefix("stimulus") })
}
