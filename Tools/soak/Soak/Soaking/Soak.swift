#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs one random program after another, until one breaks the contract or enough have run.
package struct Soak {
    package var seed: UInt64
    /// Whether threads run one at a time, as a schedule says; otherwise all run at the same time.
    package var isScheduled: Bool
    /// Whether a schedule switches threads between actions only.
    package var isCoarse = false
    /// The largest number of runs; nil for as many as time allows.
    package var mostRuns: Int?
    /// The time limit.
    package var seconds: Double?
    /// Whether the first failure ends it; otherwise all are counted.
    package var stopsAtFailure = true
    package var isShrinking = true

    package init(seed: UInt64, isScheduled: Bool) {
        self.seed = seed
        self.isScheduled = isScheduled
    }

    package struct Result: Sendable {
        package var runs = 0
        package var seconds = 0.0
        package var events = 0
        /// The first failure, shrunk.
        package var failure: SoakFailure?
        /// The number of failed runs, by the first rule that each has broken.
        package var failures: [Violation.Rule: Int] = [:]
        /// The first seed that broke each rule.
        package var seeds: [Violation.Rule: UInt64] = [:]
    }

    /// - Parameter progress: called every few seconds.
    package func run(watchedBy watchdog: Watchdog?, _ history: History, progress: (Result) -> Void = { _ in }) -> Result
    {
        let begin = Self.now
        let trial = Trial(history)
        var result = Result()
        var lastReport = begin
        while true {
            result.seconds = Self.now - begin
            if result.runs == mostRuns ?? .max || result.seconds > seconds ?? .infinity { break }
            if begin + result.seconds - lastReport > 10 {
                lastReport = begin + result.seconds
                progress(result)
            }
            let seed = seed &+ UInt64(result.runs)
            let program = SoakProgram.random(seed: seed, mostActions: isScheduled ? 5 : 12)
            watchdog?.watch(program, seed: seed)
            let schedule = isCoarse ? Schedule(seed: seed, .turns) : .random(seed: seed)
            let failure = trial.failure(of: program, isScheduled ? schedule : nil, seed: seed)
            result.runs += 1
            result.events += history.count
            guard let failure else { continue }
            for rule in Set(failure.violations.map(\.rule)) {
                result.failures[rule, default: 0] += 1
                if result.seeds[rule] == nil { result.seeds[rule] = seed }
            }
            if result.failure == nil {
                let limit = Self.now + 30
                // The threads of a deadlock never end: each attempt would add more of them.
                let mayShrink = isShrinking && failure.rule != .deadlock
                result.failure = mayShrink ? trial.shrunk(failure) { Self.now > limit } : failure
            }
            if stopsAtFailure { break }
        }
        result.seconds = Self.now - begin
        return result
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
