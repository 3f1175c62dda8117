import Dispatch
import Foundation
import Weir
import WeirLookup

/// `weir-lookup`: looks users up and prints what it shows. With `WEIR_TRACE=lookup.weir` in the environment, it
/// leaves a trace.
@main
enum LookupApp {
    private static let network = DispatchQueue(label: "network")

    @MainActor static func main() {
        LookupDemo.use(network: QueueScheduler(network), acting: holdNetwork, wait: runMain) { print($0) }
    }

    /// Runs an action; no answer arrives before its end, however slow the machine is. So each run makes the same requests.
    private static func holdNetwork(during action: () -> Void) {
        network.suspend()
        action()
        network.resume()
    }

    /// Serves the main queue until `isDone`.
    private static func runMain(until isDone: () -> Bool) {
        while !isDone() { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01)) }
    }
}
