import Testing
import Weir
import WeirTrace

/// Costs that are counts, frozen: whoever changes one should know, and say why.
extension Everything {
    @Suite struct CostTests {
        private func bytes(_ body: () -> Void) throws -> Int {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(step: 100), snapshots: .none)
            body()
            Trace.stop()
            var count = 0
            try TraceReader(path: file.path).forEachEventChunk { header, _ in
                count += Int(header.committed)
                return true
            }
            return count
        }

        /// What a thousand emissions take beyond the first.
        private func bytesOfThousand(_ subscribers: Int) throws -> Int {
            func run(_ emissions: Int) throws -> Int {
                let number = Emitter<Int>()
                for _ in 0..<subscribers { number.subscribe { _ in } }
                return try bytes { for value in 0..<emissions { number.emit(value & 63) } }
            }
            return try run(1001) - run(1)
        }

        @Test func `A small number that nobody hears takes five bytes, each delivery three more or less`() throws {
            #expect(try bytesOfThousand(0) == 5000)
            // Tag, node, stamp, form, value; tag and subscription; tag and stamp.
            #expect(try bytesOfThousand(1) == 9000)
            // Each further subscriber: tag, subscription, stamp.
            #expect(try bytesOfThousand(2) == 12_000)
            #expect(try bytesOfThousand(10) == 36_000)
        }
    }
}
