import Testing
import Weir

extension Everything {
    /// A combiner that nobody keeps is released at once, and its subscribers hear nothing more: the graph tells.
    @Suite struct ForgottenCombinerTests {
        private final class Cart {
            let price = Observable(1)
            let count = Observable(1)
            var total: ReadOnlyObservable<Int>?
        }

        private func graph(keepsCombiner: Bool, _ arguments: String...) throws -> String {
            let recorded = try RecordedFile {
                let cart = Cart()
                Trace.adopt(cart)
                let total = Observable.combine(cart.price, cart.count) { $0 * $1 }
                total.subscribe { _ in }
                if keepsCombiner { cart.total = total }
                func buy() { Trace.stimulus("buy") { cart.count.value += 1 } }
                withExtendedLifetime(total) {}
                _ = consume total
                buy()
            }
            let answer = try BuiltProgram("weir").run(
                ["graph", recorded.file.path, "--color", "never"] + arguments, isHeardWhole: true)
            #expect(answer.status == 0)
            return answer.text
        }

        @Test func `A combiner that nobody kept is drawn as released, one that was kept is not`() throws {
            let forgotten = try graph(keepsCombiner: false)
            #expect(
                forgotten.contains(" †") && forgotten.contains("†: released while it had subscribers"), "\(forgotten)")
            let kept = try graph(keepsCombiner: true)
            #expect(!kept.contains("†"), "\(kept)")
            #expect(try graph(keepsCombiner: false, "--format", "json").contains("\"alive\": false"))
            #expect(try graph(keepsCombiner: false, "--format", "svg").contains("no longer alive"))
            #expect(try graph(keepsCombiner: false, "--format", "mermaid").contains("†"))
        }
    }
}
