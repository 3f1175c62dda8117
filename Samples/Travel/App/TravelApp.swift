import Dispatch
import Foundation
import Weir
import WeirTravel

/// `weir-travel`: uses the travel list and prints what it shows. With `WEIR_TRACE=travel.weir` in the environment, it
/// leaves a trace.
@main
enum TravelApp {
    @MainActor static func main() {
        let network = QueueScheduler(DispatchQueue(label: "network"))
        TravelDemo.use(network: network, wait: runMain) { print($0) }
    }

    /// Serves the main queue until `isDone`.
    private static func runMain(until isDone: () -> Bool) {
        while !isDone() { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01)) }
    }
}
