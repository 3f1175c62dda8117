import Weir

/// A program that forks again and again while its threads use all of Weir.
struct ForkCase {
    /// Forks per round.
    static let forks = 50
    /// A child writes this number to the parent's observable; the parent's trace must not hold it.
    static let childNumber = 1_000_000
    /// The writer of the forking thread; the other threads' writers have lower numbers.
    static let writer = 9

    let seed: UInt64
    let isRecording: Bool
    let limit: TraceLimit
    let takesSnapshots: Bool
    let threads: Int

    /// The work of a child.
    enum Deed: Int, CaseIterable {
        case uses, adopts, tracks, records, takesSnapshot, recordsOnThreads
    }

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        isRecording = random.happens(80)
        limit = random.happens(30) ? .none : .bytes(SoakLimit.least + random.below(8 << 20))
        takesSnapshots = random.happens(30)
        threads = 2 + random.below(3)
    }
}
