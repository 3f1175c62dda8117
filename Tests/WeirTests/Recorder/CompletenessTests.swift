import Foundation
import Testing
import Weir
import WeirAnalysis
import WeirTestSupport
import WeirTrace

extension Everything {
    /// Each kind of loss that a trace can have; no reader calls such a trace complete.
    @Suite struct CompletenessTests {
        private static let chunkSize = 1 << 16

        /// The bytes of a trace of three threads, with several chunks of events and of definitions, and a snapshot.
        private static func record(limit: TraceLimit = .bytes(64 << 20), rounds: Int = 5000) throws -> [UInt8] {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: limit)
            let kept = (0..<3000).map { Observable("node \($0)") }
            Trace.checkpoint("made")
            for number in 0..<3 {
                let done = DispatchSemaphore(value: 0)
                Thread {
                    for round in 0..<rounds { kept[round % 100].value = "\(number), \(round)" }
                    done.signal()
                }.start()
                done.wait()
            }
            Trace.stop()
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
        }

        private static let recorded = Result { try record() }

        /// - Parameter asksCommand: whether `weir info --strict`, which takes a while, must give the same answer.
        private func isComplete(_ bytes: [UInt8], asksCommand: Bool = true) throws -> Bool {
            let file = try TemporaryTrace(isQuick: true)
            try Data(bytes).write(to: URL(fileURLWithPath: file.path))
            let isComplete = try TraceSummary(of: TraceReader(path: file.path)).isComplete
            if asksCommand {
                let info = try BuiltProgram("weir").run(["info", "--strict", file.path])
                #expect(info.isExit && info.status == (isComplete ? 0 : 4))
            }
            return isComplete
        }

        private func offset(ofChunk chunk: Int) -> Int { 4096 + chunk * Self.chunkSize }

        private func put(_ value: UInt64, at offset: Int, bytes count: Int, _ bytes: inout [UInt8]) {
            for byte in 0..<count { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
        }

        @Test func `A trace that lost nothing is complete`() throws {
            #expect(try isComplete(Self.recorded.get()))
        }

        @Test func `A chunk that is empty, damaged or twice there is a loss, whichever it is`() throws {
            let whole = try Self.recorded.get()
            let chunks = (whole.count - 4096 + Self.chunkSize - 1) / Self.chunkSize
            #expect(chunks >= 10)
            let damages =
                [
                    "is empty": { $0.replaceSubrange($1, with: repeatElement(0, count: $1.count)) },
                    "has a damaged header": { $0[$1.lowerBound + 17] ^= 1 },
                    "has a damaged record": { $0[$1.lowerBound + 64 + 11] ^= 1 },
                    "is a copy of the one before": {
                        guard $1.lowerBound > 4096, $1.count == Self.chunkSize else { return }
                        $0.replaceSubrange($1, with: $0[$1.lowerBound - Self.chunkSize..<$1.lowerBound])
                    },
                ] as [String: (inout [UInt8], Range<Int>) -> Void]
            for chunk in 0..<chunks {
                let range = offset(ofChunk: chunk)..<min(offset(ofChunk: chunk + 1), whole.count)
                // Each chunk is damaged in two ways, or in all.
                for (number, damage) in damages.sorted(by: { $0.key < $1.key }).enumerated()
                where Repeats.factor > 1 || chunk == 1 || (chunk + number) % 2 == 0 {
                    var bytes = whole
                    damage.value(&bytes, range)
                    if bytes == whole { continue }
                    #expect(try !isComplete(bytes, asksCommand: chunk == 1), "chunk \(chunk) \(damage.key)")
                }
            }
        }

        @Test func `A file that ends too early is a loss, wherever that is`() throws {
            let whole = try Self.recorded.get()
            let step = Repeats.factor > 1 ? 16_384 : 49_152
            for length in stride(from: 4096, to: whole.count, by: step) + [whole.count - 1] {
                #expect(try !isComplete(Array(whole[..<length]), asksCommand: length == 4096), "cut at \(length)")
            }
        }

        @Test func `What the header counts as lost or overwritten, or does not know, is a loss`() throws {
            let whole = try Self.recorded.get()
            for (field, size) in [(4040, 8), (4056, 4), (4080, 8)] {
                var counted = whole
                put(1, at: field, bytes: size, &counted)
                put(~1, at: field + size, bytes: size, &counted)
                #expect(try !isComplete(counted), "the field at \(field) is 1")
            }
            for (field, size) in [(4040, 8), (4056, 4)] {
                var torn = whole
                put(3, at: field, bytes: size, &torn)
                #expect(try !isComplete(torn), "the field at \(field) disagrees with its complement")
            }
        }

        @Test func `Overwritten chunks are a loss, also where the header does not count their events`() throws {
            var bytes = try Self.record(limit: .bytes(4096 + 10 << 16), rounds: 20_000)
            #expect(try !isComplete(bytes))
            put(0, at: 4080, bytes: 8, &bytes)
            put(0, at: 4088, bytes: 8, &bytes)
            #expect(try !isComplete(bytes))
        }
    }
}
