import Foundation
import Weir

/// A flight recorder, and the threads that share it.
struct LimitCase {
    let bytes: Int
    let threads: Int
    let values: TraceValues
    let isHeard: Bool
    let hasTexts: Bool
    /// Emissions of each thread.
    let emissions: Int

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        bytes = SoakLimit.random(&random)
        threads = random.happens(30) ? 1 : random.happens(30) ? 2 + random.below(7) : 1 + random.below(64)
        values = random.element(of: [.none, .scalars, .scalars, .described()])
        isHeard = random.happens(50)
        hasTexts = random.happens(50)
        // Enough to fill the file up to three times.
        let all = bytes / (isHeard ? 20 : 7) * (1 + random.below(3))
        emissions = max(2000, all / threads)
    }

    /// Whether threads compete for processors. The keeper needs one, too.
    var isCrowded: Bool { threads >= ProcessInfo.processInfo.activeProcessorCount }
}
