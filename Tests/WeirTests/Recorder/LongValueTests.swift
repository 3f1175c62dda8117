import Testing
import Weir
import WeirTrace

extension Everything {
    /// While a value is described, a generation may begin, in which nothing is defined yet.
    @Suite struct LongValueTests {
        /// A value whose description records other events until a generation has begun.
        private struct Talker: CustomStringConvertible {
            let others: [Observable<String>]
            let isTalking: Bool

            var description: String {
                if isTalking { Everything.LongValueTests.emit(others, until: ThreadLog().generation + 1) }
                return "talker"
            }
        }

        private static func emit(_ others: [Observable<String>], until generation: UInt32) {
            var number = 0
            while ThreadLog().generation < generation, number < 100_000 {
                others[number % others.count].value = "\(number)"
                number += 1
            }
        }

        @Test(arguments: [false, true])
        func `A value during whose description a generation begins has a name in it`(isHeard: Bool) throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, values: .described(), limit: .bytes(1 << 20), snapshots: .none)
            let others = (0..<2).map { Observable("", line: UInt(4901 + $0)) }
            let talker = Observable(Talker(others: others, isTalking: false), line: 4900)
            if isHeard { talker.subscribe { _ in } }
            talker.value = Talker(others: others, isTalking: false)
            let generation = ThreadLog().generation
            talker.value = Talker(others: others, isTalking: true)
            let next = ThreadLog().generation
            #expect(next > generation)
            // The former generation may be overwritten now, that value usually not yet, and its node emits no more.
            Self.emit(others, until: next + 1)
            #expect(Trace.stop() == 0)
            let recording = try Recording(reading: file.path)
            #expect(recording.undefined == 0)
        }
    }
}
