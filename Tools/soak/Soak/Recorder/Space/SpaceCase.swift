import Weir

/// A limit on the size of files, which may grow while the program runs.
struct SpaceCase {
    enum End: CaseIterable {
        case returns, stops, exits, leaves, isKilled

        /// Whether the recording is closed.
        var isOrderly: Bool { self != .leaves && self != .isKilled }
    }

    /// Emissions between two lines of the program's own output.
    static let stride = 100
    /// Room for all emissions.
    static let plenty = 64 << 20

    let bytes: Int
    /// The limit after half of the emissions; nil if it stays.
    let grownBytes: Int?
    let limit: TraceLimit
    let isStartedByEnvironment: Bool
    let threads: Int
    let emissions: Int
    let end: End

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        // Mostly arbitrary sizes, some at the edges of chunks; 0 would mean no limit.
        let chunks = 4096 + random.below(24) << 16
        bytes = max(1, random.happens(30) ? chunks + random.below(3) - 1 : random.below(1_500_000))
        grownBytes =
            random.happens(25) ? nil : random.happens(40) ? Self.plenty : bytes + random.below(1_500_000)
        limit = random.happens(60) ? .none : .bytes((1 << 20) + random.below(4 << 20))
        isStartedByEnvironment = random.happens(40)
        threads = 1 + random.below(3)
        emissions = 10_000 + random.below(40_000)
        end = random.element(of: End.allCases)
    }
}
