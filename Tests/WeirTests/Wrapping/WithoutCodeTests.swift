import Foundation
import Testing
import WeirTrace

extension Everything {
    @Suite struct WithoutCodeTests {
        @Test func `A program that calls nothing of Trace is recorded where the environment asks for it`() throws {
            let file = try TemporaryTrace()
            #expect(try BuiltProgram("WeirPlainProgram").output() == "1\n")
            #expect(!FileManager.default.fileExists(atPath: file.path))
            #expect(try BuiltProgram("WeirPlainProgram").output(environment: ["WEIR_TRACE": file.path]) == "1\n")
            let recording = try Recording(reading: file.path)
            let lines = recording.story.map { $0.drop { $0 == " " } }
            #expect(lines.contains("observable main.swift:5 = 1"))
            #expect(lines.contains("observable main.swift:5 suppressed: equal"))
            #expect(lines.contains("show count = 1"))
            #expect(lines.contains("observable main.swift:7 = 3"))
            #expect(lines.contains("observable main.swift:6 = \"gift\""))
            let total = recording.events.first {
                recording.name($0.subject) == "observable main.swift:7" && $0.kind == .emitted
            }
            let count = recording.events.first {
                recording.name($0.subject) == "observable main.swift:5" && $0.kind == .emitted
            }
            #expect(count != nil && total?.cause == count?.id)
            #expect(recording.header.isClosed && recording.damage.isEmpty)
        }

        /// The first use of Weir, and what it must leave in the trace.
        private static let firstUses: KeyValuePairs = [
            "callback": "touch = 1", "callbackOfThread": "touch = 1", "callbackAfterStop": "touch = 1",
            "property": "observable main.swift:5 = 1", "probe": "feed = 1", "sequence": "numbers = 1",
            "stream": "numbers = 1", "throwingStream": "numbers completed", "task": "touch = 1", "carried": "touch = 1",
            "wrappedWrite": "Counter.number = 1", "wrappedRead": "Counter.isOdd nodeCreated",
            "observed": "Counter.number = 1", "rendered": "body = 0", "emitter": "emitter FirstUse.swift:59 = 1",
            "cold": "map FirstUse.swift:60 = 2", "stimulus": "stimulus tap", "frame": "frame",
            "checkpoint": "checkpoint closed", "isRecording": "touch = 1", "path": "touch = 1",
        ]

        @Test(arguments: firstUses.map(\.key))
        func `Whatever a program uses first and alone is recorded where the environment asks for it`(
            _ use: String
        ) throws {
            let file = try TemporaryTrace()
            let program = try BuiltProgram("WeirPlainProgram")
            #expect(try program.output([use], environment: ["WEIR_TRACE": file.path]).isEmpty)
            let recording = try Recording(reading: file.path)
            let lines = recording.story.map { $0.drop { $0 == " " } }
            let line = try #require(Self.firstUses.first { $0.key == use }?.value)
            #expect(lines.contains { $0.hasPrefix(line) }, "\(lines)")
            #expect(recording.header.isClosed && recording.damage.isEmpty)
            // The same without a recording.
            #expect(try program.output([use]).isEmpty)
        }
    }
}
