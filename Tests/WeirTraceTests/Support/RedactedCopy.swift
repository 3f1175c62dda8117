import Foundation

@testable import WeirTrace

/// A redacted copy of a trace, according to a plan.
struct RedactedCopy {
    let bytes: [UInt8]
    let counts: RedactionCounts

    init(_ original: [UInt8], _ plan: RedactionPlan = RedactionPlan()) throws {
        let trace = try TemporaryTrace(original)
        let target = try TemporaryTrace([UInt8]())
        let reader = try TraceReader(path: trace.path)
        _ = try reader.definitions()
        reader.forEachEvent { _ in true }
        let file = open(target.path, O_WRONLY)
        defer { close(file) }
        counts = try TraceRedactor(reader, plan).write(to: file)
        bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: target.path)))
    }

    /// Reads the copy.
    func read<Result>(_ body: (TraceReader) throws -> Result) throws -> Result {
        let trace = try TemporaryTrace(bytes)
        return try body(try TraceReader(path: trace.path))
    }

    func holds(_ text: String) -> Bool { Data(bytes).range(of: Data(text.utf8)) != nil }
}
