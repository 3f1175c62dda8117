import Testing
import Weir
import WeirTesting

extension Everything {
    @Suite struct MarbleTests {
        struct Refusal: Error {}

        /// The text with which a marble test fails.
        func failure(_ body: (Marbles) throws -> Void) -> String {
            do {
                try marbles(body)
                return "no failure"
            } catch {
                return "\(error)"
            }
        }

        @Test func `A hot source, an operator, an expectation and the source's subscription`() throws {
            try marbles { m in
                let source = m.hot("  --1--2--3--|")
                m.expect(source.filter { $0 != 2 }, "--1-----3--|")
                m.expect(subscriptionsOf: source, "  ^----------!")
            }
        }

        @Test func `A cold source begins anew for every subscription`() throws {
            try marbles { m in
                let source = m.cold("      1-2-|")
                m.expect(source, "         1-2-|")
                m.expect(source, "         ---(^1)-2-|")
                m.expect(source, "         ---(^1)-!")
                m.expect(subscriptionsOf: source, "^---!", "---^---!", "---^-!")
            }
        }
    }
}
