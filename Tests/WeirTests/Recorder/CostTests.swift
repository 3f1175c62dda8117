import Testing
import Weir
import WeirTrace

/// Costs as exact counts: change them only knowingly, and give the reason.
extension Everything {
    @Suite struct CostTests {
        /// The bytes of a thousand emissions after the first one.
        private func bytesOfThousand(_ subscribers: Int) async throws -> Int {
            func run(_ emissions: Int) async throws -> Int {
                let number = Emitter<Int>()
                for _ in 0..<subscribers { number.subscribe { _ in } }
                return try await recordedBytes { for value in 0..<emissions { number.emit(value & 63) } }
            }
            return try await run(1001) - run(1)
        }

        @Test func `A small number that nobody hears takes five bytes, each delivery three more or less`() async throws
        {
            #expect(try await bytesOfThousand(0) == 5000)
            // Tag, node, stamp, form, value; tag and subscription; tag and stamp.
            #expect(try await bytesOfThousand(1) == 9000)
            // Each further subscriber: tag, subscription, stamp.
            #expect(try await bytesOfThousand(2) == 12_000)
            #expect(try await bytesOfThousand(10) == 36_000)
        }

        /// Elements that are found only from the one before, as those of a dictionary.
        private struct Chain: Collection, CustomReflectable, Sendable {
            final class Steps: @unchecked Sendable { var count = 0 }
            let steps = Steps()
            let startIndex = 0, endIndex = 500
            subscript(place: Int) -> Int { place }
            func index(after place: Int) -> Int {
                steps.count += 1
                return place + 1
            }
            var customMirror: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .set) }
        }
        private final class Model: Sendable { let chain = Chain() }

        @Test func `Adoption goes through the elements of a collection a few times, not from the start for each`()
            async throws
        {
            let model = Model()
            _ = try await recordedBytes { Trace.adopt(model) }
            #expect((500..<2500).contains(model.chain.steps.count))
        }
    }
}
