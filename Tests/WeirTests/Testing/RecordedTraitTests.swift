import Foundation
import Testing
import Weir
import WeirTrace

@testable import WeirTesting

extension Everything {
    /// `.recorded(in:)` gives each test a trace that has its name.
    @Suite struct RecordedTraitTests {
        private struct Stop: Error {}

        private func record(in folder: String, _ body: @escaping @Sendable () async throws -> Void) async throws {
            let test = try #require(Test.current)
            try await (.recorded(in: folder) as RecordedTrait).provideScope(
                for: test, testCase: Test.Case.current, performing: body)
        }

        private func emissions(in path: String) throws -> Int {
            let reader = try TraceReader(path: path)
            #expect(reader.header.isClosed)
            var count = 0
            reader.forEachEvent { event in
                if event.kind == .emitted { count += 1 }
                return true
            }
            return count
        }

        @Test func `A trace has the name of its test`() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await record(in: folder) { Observable(1).value = 2 }
            await #expect(throws: Stop.self) {
                try await record(in: folder) {
                    Observable(1).value = 2
                    throw Stop()
                }
            }
            #expect(!Trace.isRecording)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(
                names == [
                    "Everything.RecordedTraitTests.A-trace-has-the-name-of-its-test-2.weir",
                    "Everything.RecordedTraitTests.A-trace-has-the-name-of-its-test.weir",
                ])
            for name in names {
                #expect(try emissions(in: "\(folder)/\(name)") == 1)
            }
        }

        @Test func `Tests that come at the same time are recorded one after the other`() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await record(in: folder) {
                            let count = Observable(0)
                            await Task.yield()
                            count.value = 1
                        }
                    }
                }
                try await group.waitForAll()
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.count == 8)
            for name in names {
                #expect(try emissions(in: "\(folder)/\(name)") == 1)
            }
        }

        @Test func `Names that differ in more than letters, or are long, stay apart`() throws {
            let long = String(repeating: "é", count: 200)
            #expect(TestTrace.safe("a/b:c d") == "a-b-c-d")
            #expect(TestTrace.safe(long) == String(repeating: "é", count: 100))
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let files = try ["add", "Add", long + "1", long + "2"].map { name in
                let trace = try #require(try TestTrace(of: "Cart", name, in: folder, values: .none))
                Trace.stop()
                return trace.fileName
            }
            #expect(files.prefix(2) == ["Cart.add.weir", "Cart.Add-2.weir"])
            #expect(files[3] == files[2].dropLast(5) + "-2.weir")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == files.sorted())
        }

        @Test func `A recording of the whole process goes on`() async throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path)
            let folder = "\(file.path)-none"
            try await record(in: folder) { Observable(1).value = 2 }
            #expect(Trace.isRecording && !FileManager.default.fileExists(atPath: folder))
            Trace.stop()
            #expect(try emissions(in: file.path) == 1)
        }
    }
}
