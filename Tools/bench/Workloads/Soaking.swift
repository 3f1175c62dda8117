import Foundation
import Weir
import WeirSoak

/// Runs random programs of several threads and judges each by the delivery contract.
struct Soaking {
    let seed: UInt64
    let isScheduled: Bool
    let isCoarse: Bool
    let schedules: Int?
    let minutes: Double?
    let countsAll: Bool
    let isShrinking: Bool
    /// The path of the trace that records everything; nil for none.
    let trace: String?

    /// The exit status.
    func run() throws -> Int32 {
        if isScheduled { try Self.fixHashing() }
        let kind = isScheduled ? "schedules" : "programs"
        if isScheduled && !SoakProgram.hasYieldPoints {
            Console.error(
                "Only handlers and actions are yield points: build with -Xcc -DWEIR_YIELD for those of the core.")
        }
        let history = History()
        let watchdog = Watchdog(history, seconds: 10)
        var soak = Soak(seed: seed, isScheduled: isScheduled)
        soak.isCoarse = isCoarse
        soak.mostRuns = schedules
        soak.seconds = minutes.map { $0 * 60 }
        soak.isShrinking = isShrinking
        soak.stopsAtFailure = !countsAll
        if let trace { try Trace.start(writingTo: trace, snapshots: .none) }
        let result = soak.run(watchedBy: watchdog, history) {
            Console.error("\($0.runs) \(kind), \(Int($0.seconds)) s")
        }
        watchdog.stop()
        if trace != nil { Trace.stop() }
        let rate = Int(Double(result.runs) / max(result.seconds, 0.001))
        print(
            "\(result.runs) \(kind) from seed \(seed) in \(Int(result.seconds)) s, \(rate) a second, \(result.events) events"
        )
        for (rule, count) in result.failures.sorted(by: { $0.value > $1.value }) {
            print("  \(count) × \(rule.rawValue); first with --seed \(result.seeds[rule] ?? 0)")
        }
        guard let failure = result.failure else {
            print("0 failures")
            return 0
        }
        print(failure.description)
        print(
            "Repeat it with: weir-bench soak \(isCoarse ? "--coarse" : isScheduled ? "--scheduled" : "--free") --seed \(failure.seed) --schedules 1"
        )
        return 1
    }

    /// Sets are iterated in another order in each process unless this is set; schedules must repeat.
    private static func fixHashing() throws {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        if ProcessInfo.processInfo.environment[name] != nil { return }
        setenv(name, "1", 1)
        var words: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) } + [nil]
        execv(Bundle.main.executablePath ?? CommandLine.arguments[0], &words)
        throw BenchmarkError("the program could not start itself anew: error \(errno)")
    }
}
