import Dispatch
import Foundation
import Weir
import WeirTravel

/// `weir-travel`: uses the travel list and prints what it shows. With `WEIR_TRACE=travel.weir` in the environment, it
/// leaves a trace.
@main
enum TravelApp {
    private static let network = DispatchQueue(label: "network")

    @MainActor static func main() {
        TravelDemo.use(network: QueueScheduler(network), acting: holdNetwork, wait: runMain) { print($0) }
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
