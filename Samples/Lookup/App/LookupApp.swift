import Dispatch
import Foundation
import Weir
import WeirLookup

/// `weir-lookup`: looks users up and prints what it shows. With `WEIR_TRACE=lookup.weir` in the environment, it
/// leaves a trace.
@main
enum LookupApp {
    @MainActor static func main() {
        let network = QueueScheduler(DispatchQueue(label: "network"))
        LookupDemo.use(network: network, wait: runMain) { print($0) }
    }

    /// Serves the main queue until `isDone`.
    private static func runMain(until isDone: () -> Bool) {
        while !isDone() { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01)) }
    }
}
