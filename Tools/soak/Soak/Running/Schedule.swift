/// Decides which of the paced threads continues at each yield point.
package struct Schedule: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// At each point another thread continues with a probability of 1 in `oneIn`.
        case walk(oneIn: Int)
        /// The thread with the highest priority continues; at some points its priority becomes the lowest.
        ///
        /// Burckhardt, Kothari, Musuvathi, Nagarakatte, 'A randomized scheduler with probabilistic guarantees of finding
        /// bugs', 2010.
        case priorities(changes: Int, steps: Int)
        /// Another thread continues between actions only, never in a handler: as if each action held one lock.
        case turns
        /// Switches at these steps, and where the thread cannot continue.
        case replay([Int: Int])
    }

    /// One thread stopped, another continued.
    package struct Switch: Sendable, Equatable {
        package let step: Int
        package let from: Int
        package let to: Int
        let point: String
    }

    package var seed: UInt64
    package var kind: Kind

    package init(seed: UInt64, _ kind: Kind) {
        self.seed = seed
        self.kind = kind
    }

    /// The schedule of a seed.
    package static func random(seed: UInt64) -> Schedule {
        var random = SeededRandom(seed: seed &+ 0x5EED)
        if random.happens(50) { return Schedule(seed: seed, .walk(oneIn: random.element(of: [2, 4, 8, 16, 40]))) }
        return Schedule(
            seed: seed,
            .priorities(changes: 1 + random.below(6), steps: random.element(of: [100, 400, 1500])))
    }

    struct Decider {
        private let schedule: Schedule
        private var random: SeededRandom
        private var priorities: [Int] = []
        private var changes: Set<Int> = []
        private var lowest = 0
        /// From here on all threads take turns at random: a spinning thread could otherwise wait forever for one of lower priority.
        private let mostSteps = 20_000

        init(_ schedule: Schedule, lanes: Int) {
            self.schedule = schedule
            random = SeededRandom(seed: schedule.seed)
            guard case .priorities(let count, let steps) = schedule.kind else { return }
            priorities = Array(1...lanes).shuffled(using: &random)
            for _ in 0..<count { changes.insert(1 + random.below(steps)) }
        }

        mutating func first(_ count: Int) -> Int {
            switch schedule.kind {
            case .walk, .turns: random.below(count)
            case .priorities: best(of: Array(0..<count))
            case .replay(let switches): switches[0] ?? 0
            }
        }

        mutating func next(after lane: Int, _ step: Int, _ point: Pacer.Point, _ ready: [Int]) -> Int {
            let mayGoOn = point != .blocked
            switch schedule.kind {
            case .walk(let oneIn):
                return mayGoOn && random.below(oneIn) != 0 ? lane : random.element(of: ready)
            case .turns: return mayGoOn && point != .action ? lane : random.element(of: ready)
            case .priorities:
                if step > mostSteps { return random.element(of: ready) }
                if changes.contains(step) {
                    lowest -= 1
                    priorities[lane] = lowest
                }
                return best(of: ready)
            case .replay(let switches):
                if let wanted = switches[step], ready.contains(wanted) { return wanted }
                if mayGoOn && step <= mostSteps { return lane }
                return step > mostSteps ? random.element(of: ready) : ready.first { $0 > lane } ?? ready[0]
            }
        }

        private func best(of ready: [Int]) -> Int { ready.max { priorities[$0] < priorities[$1] } ?? 0 }
    }
}
