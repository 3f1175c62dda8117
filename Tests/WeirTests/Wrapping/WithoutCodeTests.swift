import Foundation
import Testing
import WeirTrace

extension Everything {
    @Suite struct WithoutCodeTests {
        @Test func `A program that calls nothing of Trace is recorded where the environment asks for it`() throws {
            func run(_ environment: [String: String]) throws -> String {
                let process = Process()
                let pipe = Pipe()
                process.executableURL = URL(fileURLWithPath: try BuiltProgram("PlainProgram").path)
                process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
                process.standardOutput = pipe
                try process.run()
                let said = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
                return String(decoding: said, as: UTF8.self)
            }
            let file = try TemporaryTrace()
            #expect(try run([:]) == "1\n")
            #expect(!FileManager.default.fileExists(atPath: file.path))
            #expect(try run(["WEIR_TRACE": file.path]) == "1\n")
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
    }
}
