import Foundation
import Testing
import Weir

/// The output of `weir events` for `body`, from the first stimulus on, without ids, times and causes.
func eventLines(values: TraceValues = .scalars, _ body: () throws -> Void) throws -> [String] {
    let recorded = try RecordedFile(values: values, body)
    let text = try BuiltProgram("weir").output(["events", recorded.file.path, "--color", "never"])
    let lines = text.split(separator: "\n").map { line in
        // The id takes 8 columns, the time 13, and two are empty; then the cause follows.
        let event = String(line.dropFirst(23))
        return event.components(separatedBy: "  ← ")[0]
    }
    return Array(lines.drop { !$0.hasPrefix("stimulus") })
}
