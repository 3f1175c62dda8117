import Foundation
import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirSoak

extension Everything {
    /// The criteria of `weir-bench soak --recorder`, and the cases that it makes from a seed.
    @Suite struct RecorderSoakTests {
        private func record(_ path: String, emissions: Int, limit: TraceLimit = .none) throws {
            try Trace.start(writingTo: path, limit: limit, snapshots: .none)
            let writer = NumberedWriter(0, isHeard: true)
            for number in 1...emissions { writer.emit(number, withText: true) }
            Trace.stop()
        }

        @Test func `An emission that is neither kept nor counted is found`() throws {
            let file = try TemporaryTrace()
            try record(file.path, emissions: 1000)
            let trace = try KeptNumbers(file.path)
            #expect(trace.writers[0]?.count == 1000 && trace.writers[0]?.last == 1000)
            #expect(trace.problems(emitted: [0: 1000]) == [])
            #expect(
                trace.problems(emitted: [0: 1001]) == [
                    "1 emissions are missing, but only 0 events are counted as lost and 0 as overwritten",
                    "1 emissions are missing after kept ones or at the end, but only 0 events are counted as lost",
                ])
            #expect(trace.problems(emitted: [0: 1000, 1: 5]).count == 2)
        }

        @Test func `What a flight recorder has overwritten may be missing at the beginning only`() throws {
            let file = try TemporaryTrace()
            try record(file.path, emissions: 200_000, limit: .bytes(SoakLimit.least))
            let trace = try KeptNumbers(file.path)
            let kept = try #require(trace.writers[0])
            #expect(kept.first > 1 && kept.last == 200_000 && kept.gaps == 0)
            #expect(trace.problems(emitted: [0: 200_000]) == [])
            #expect(trace.problems(emitted: [0: 200_001]).count == 1)
            #expect(trace.problems(emitted: [0: 2_000_000]).count == 2)
        }

        @Test func `A damaged trace is found`() throws {
            let file = try TemporaryTrace()
            try record(file.path, emissions: 1000)
            var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file.path)))
            for place in Mutation.chunks(of: bytes) { bytes[place + TraceFormat.ChunkField.serial] ^= 1 }
            try Data(bytes).write(to: URL(fileURLWithPath: file.path))
            #expect(try KeptNumbers(file.path).problems(emitted: [:]).contains { $0.hasPrefix("damage: ") })
        }

        @Test func `A seed repeats its damage, and every mutation changes something`() throws {
            let file = try TemporaryTrace()
            try record(file.path, emissions: 30_000)
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file.path)))
            let sample = SampleTrace(name: "numbers", bytes: bytes, nodes: ["w0.number"], stimuli: ["nothing"])
            var (seen, readable) = (Set<Mutation>(), 0)
            for seed in Repeats.seeds(150, from: 1) {
                let first = MutatedTrace(seed: seed, of: [sample])
                let second = MutatedTrace(seed: seed, of: [sample])
                #expect(first.bytes == second.bytes && first.arguments == second.arguments)
                #expect(first.arguments.contains("TRACE"))
                if first.mutations.count == 1, first.bytes != bytes { seen.formUnion(first.mutations) }
                try Data(first.bytes).write(to: URL(fileURLWithPath: file.path))
                if let reader = try? TraceReader(path: file.path), reader.chunkCount > 0 { readable += 1 }
            }
            #expect(seen == Set(Mutation.allCases))
            // Damage that the first check rejects tests nothing more.
            #expect(readable > Repeats.count(90))
        }

        @Test func `Notices are put together from any pieces`() {
            let one = (Notice.Kind.emitted.rawValue, UInt32(3), UInt64(4711))
            let bytes = withUnsafeBytes(of: one) { Array($0) }
            var parser = Notice.Parser()
            var heard: [UInt64] = []
            for piece in [bytes[..<5], bytes[5...] + bytes[..<15], bytes[15...]] {
                parser.take(ArraySlice(piece)) { heard.append($0.writer == 3 ? $0.number : 0) }
            }
            #expect(heard == [4711, 4711])
        }
    }
}
