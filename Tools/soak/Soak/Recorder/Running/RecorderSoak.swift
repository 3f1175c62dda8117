import Foundation

/// Attacks the recorder and the reader with random cases, part by part; each case runs in a process of its own.
package struct RecorderSoak {
    /// A part of the attack.
    package enum Part: String, CaseIterable, Sendable {
        case kills, mutations, limits, forks, space

        /// Rounds of a full run.
        var fullRounds: Int {
            switch self {
            case .kills: 600
            case .mutations: 50_000
            case .limits: 200
            case .forks: 10_000 / ForkCase.forks
            case .space: 1000
            }
        }

        /// Rounds of a brief run: a hundredth, but some of each.
        var briefRounds: Int { max(fullRounds / 100, self == .forks ? 2 : 10) }
    }

    package var parts = Part.allCases
    /// The seed of each part's first round; each further round has the next.
    package var seed: UInt64 = 1
    /// Rounds of each part.
    package var rounds: Int?
    /// The total time in seconds; the parts share it equally.
    package var seconds: Double?
    package var isBrief = false
    /// Whether a part continues after a failure until all its rounds are done.
    package var countsAll = false
    private let place: SoakPlace

    /// - Parameters:
    ///   - program: `weir-bench`, which runs itself as the attacked process.
    ///   - folder: for traces; failing ones stay there.
    package init(program: String, folder: String) { place = SoakPlace(program: program, folder: folder) }

    /// Runs the parts. Returns true if none has failed.
    package func run(say: (String) -> Void) throws -> Bool {
        var isClean = true
        for part in parts where try !run(part, say: say) { isClean = false }
        return isClean
    }

    private func run(_ part: Part, say: (String) -> Void) throws -> Bool {
        let attack = try attack(part)
        let most = rounds ?? (seconds != nil ? .max : isBrief ? part.briefRounds : part.fullRounds)
        let limit = seconds.map { $0 / Double(parts.count) } ?? .infinity
        let begin = SoakClock.now
        var (done, failed, lastReport) = (0, 0, begin)
        while done < most, SoakClock.now - begin < limit {
            let seed = seed &+ UInt64(done)
            let problems = try attack.problems(seed: seed)
            done += 1
            if !problems.isEmpty {
                failed += 1
                say("\(part.rawValue), seed \(seed):")
                for problem in problems { say("    \(problem)") }
                say("    Repeat it with: weir-bench soak --recorder \(part.rawValue) --seed \(seed) --rounds 1")
                if !countsAll { break }
            }
            if SoakClock.now - lastReport > 30 {
                lastReport = SoakClock.now
                say("\(part.rawValue): \(done) rounds so far, \(failed) failed; \(attack.figures)")
            }
        }
        let time = Int(SoakClock.now - begin)
        say("\(part.rawValue): \(done) rounds from seed \(seed) in \(time) s, \(failed) failed; \(attack.figures)")
        return failed == 0
    }

    private func attack(_ part: Part) throws -> any RecorderAttack {
        switch part {
        case .kills: KillAttack(place)
        case .mutations: try MutationAttack(place)
        case .limits: LimitAttack(place)
        case .forks: ForkAttack(place)
        case .space: SpaceAttack(place)
        }
    }

    /// Runs the program that a round attacks: `weir-bench soak-child PART SEED PATH`.
    package static func runChild(_ words: [String]) -> Never {
        guard words.count == 3, let part = Part(rawValue: words[0]), let seed = UInt64(words[1]) else { _exit(2) }
        let path = words[2]
        switch part {
        case .kills: KilledProgram(KillCase(seed: seed), path: path).run()
        case .mutations: SampleProgram(seed: seed, path: path).run()
        case .limits: LimitedProgram(LimitCase(seed: seed), path: path).run()
        case .forks: ForkingProgram(ForkCase(seed: seed), path: path).run()
        case .space: CrampedProgram(SpaceCase(seed: seed), path: path).run()
        }
        exit(0)
    }
}

/// One part of the attack.
protocol RecorderAttack: AnyObject {
    /// Runs the case of `seed`; returns the problems as sentences.
    func problems(seed: UInt64) throws -> [String]
    /// Sums over all rounds so far.
    var figures: String { get }
}

/// The program and the folder that rounds use.
struct SoakPlace {
    let program: String
    let folder: String

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Starts this program as the attacked process of a part.
    func child(
        _ part: RecorderSoak.Part, seed: UInt64, path: String, environment: [String: String] = [:],
        limits: SoakChild.Limits = SoakChild.Limits()
    ) throws -> SoakChild {
        try SoakChild(
            program, ["soak-child", part.rawValue, "\(seed)", path], environment: environment, limits: limits,
            errors: self.path("errors"))
    }
}

/// Seconds of a monotonic clock.
enum SoakClock {
    static var now: Double { Double(nanoseconds) / 1e9 }

    static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
