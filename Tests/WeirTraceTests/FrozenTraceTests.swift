import Foundation
import Testing
import WeirTrace

/// A small trace of every released format version, and its expected content; neither is ever changed.
@Suite struct FrozenTraceTests {
    private func file(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Frozen/\(name)").path
    }

    private func story(_ path: String) throws -> [String] {
        let reader = try TraceReader(path: path)
        let definitions = try reader.definitions()
        var lines: [String] = []
        reader.forEachEvent { event in
            let name = definitions.nodes[event.subject]?.name ?? ""
            let isOfNode = [.emitted, .suppressed, .nodeCreated, .nodeReleased].contains(event.kind)
            let parts = [
                "\(event.id)", "\(reader.header.nanoseconds(at: event.ticks))", "\(event.kind)",
                isOfNode ? name : "\(event.subject)", event.kind == .emitted ? "\(event.value)" : "",
                event.reason == 0 ? "" : "reason \(event.reason)", event.text, event.cause.map { "cause \($0)" } ?? "",
            ]
            lines.append(parts.filter { !$0.isEmpty }.joined(separator: " "))
            return true
        }
        #expect(reader.isIntact)
        return lines
    }

    @Test(arguments: [1])
    func `A trace of every released version reads as it always did`(version: Int) throws {
        let found = try story(file("version-\(version).weir"))
        let text = try String(contentsOfFile: file("version-\(version).txt"), encoding: .utf8)
        let expected = text.split(separator: "\n").map(String.init)
        #expect(found == expected)
        #expect(expected.count > 150)
    }

    @Test func `Every version up to the current one has its frozen trace`() {
        for version in 1...Int(TraceFormat.version) {
            #expect(FileManager.default.fileExists(atPath: file("version-\(version).weir")))
        }
    }
}
