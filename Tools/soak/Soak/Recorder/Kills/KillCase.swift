import Weir

/// A recording, and when it is killed.
struct KillCase {
    /// The program is killed some microseconds after it has reported this.
    enum Moment {
        case spawned, ready, started, stopping
        case acknowledged(Int)
    }

    let limit: TraceLimit
    let values: TraceValues
    let takesSnapshots: Bool
    let isStartedByEnvironment: Bool
    let threads: Int
    let isHeard: Bool
    let hasTexts: Bool
    /// The number of emissions of a thread between acknowledgements.
    let stride: Int
    /// Emissions of each thread, unless it is killed earlier.
    let emissions: Int
    let moment: Moment
    let microseconds: Int

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        limit =
            random.happens(35)
            ? .none : .bytes(SoakLimit.least + random.below(random.happens(50) ? 1 << 19 : 8 << 20))
        values = random.element(of: [.none, .scalars, .scalars, .scalars, .described()])
        takesSnapshots = random.happens(40)
        isStartedByEnvironment = random.happens(40)
        threads = random.happens(40) ? 1 : 2 + random.below(6)
        isHeard = random.happens(60)
        hasTexts = random.happens(50)
        stride = random.element(of: [1, 1, 1, 8, 64])
        let kind = random.below(10)
        switch kind {
        case 0:
            moment = .spawned
            microseconds = random.below(30_000)
        case 1, 2:
            moment = .ready
            microseconds = random.below(kind == 1 ? 300 : 5000)
        case 3:
            moment = .started
            microseconds = random.below(2000)
        case 4:
            moment = .stopping
            microseconds = random.below(random.happens(50) ? 200 : 3000)
        default:
            moment = .acknowledged(1 << random.below(17) + random.below(100))
            microseconds = random.below(random.happens(50) ? 20 : 500)
        }
        if case .stopping = moment { emissions = 100 + random.below(20_000) } else { emissions = 1_000_000 }
    }
}

/// Sizes of flight recorders.
enum SoakLimit {
    /// The smallest one.
    static let least = 4096 + 8 << 16
    static let most = 64 << 20

    /// A random size; small ones are as frequent as large ones.
    static func random(_ random: inout SeededRandom) -> Int {
        if random.happens(10) { return least }
        let doublings = random.below(7)
        let low = least << doublings
        return min(most, low + random.below(low))
    }
}
