import Foundation
import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// The effect of remedies on hundreds of random programs, predicted and measured.
    @Suite struct RandomWhatIfTests {
        /// Predicts and runs the programs of the seeds; returns for how many every turn was computed.
        private func compare(_ seeds: Range<UInt64>, _ extras: RandomJoins.Extras, atLeast share: Double) throws {
            try compare(seeds, atLeast: share) { seed in
                try WhatIfExperiment {
                    RandomJoins.remedies(seed: seed, extras, $0)
                } program: { isCured, screen in
                    RandomJoins.run(seed: seed, extras, isCured, screen)
                }
            }
        }

        private func compare(
            _ seeds: Range<UInt64>, atLeast share: Double, _ run: (UInt64) throws -> WhatIfExperiment
        ) throws {
            var (computed, saved) = (0, 0)
            var reasons: [WhatIf.Reason: Int] = [:]
            // More seeds can be requested, which takes longer.
            let factor = ProcessInfo.processInfo.environment["WEIR_SEEDS"].flatMap(UInt64.init) ?? 1
            let seeds = seeds.lowerBound..<seeds.lowerBound + UInt64(seeds.count) * factor
            for seed in seeds {
                let experiment = try run(seed)
                for uncomputed in experiment.predicted.uncomputed { reasons[uncomputed.reason, default: 0] += 1 }
                #expect(experiment.predicted.uncomputed.allSatisfy { $0.reason != .notReproduced }, "seed \(seed)")
                guard experiment.predicted.uncomputed.isEmpty else { continue }
                computed += 1
                if experiment.predicted != experiment.recorded { saved += 1 }
                #expect(experiment.predicted == experiment.cured, "seed \(seed)")
            }
            print(
                "what-if: \(computed) of \(seeds.count) programs computed, \(saved) of them changed by the remedies;",
                "otherwise: \(reasons.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
            #expect(Double(computed) >= Double(seeds.count) * share)
            #expect(saved * 4 > computed)
        }

        @Test func `settled combiners among random joins`() throws {
            try compare(0..<200, [.settled], atLeast: 0.5)
        }

        @Test func `settled combiners, handlers that write, operators, events and batches`() throws {
            try compare(300..<500, [.settled, .writingHandlers, .operators, .events], atLeast: 0.5)
        }

        @Test func `removeDuplicates behind operators`() throws {
            try compare(600..<700, [.removeDuplicates, .writingHandlers, .operators, .events], atLeast: 0.9)
        }

        @Test func `batches around stimuli`() throws {
            try compare(750..<900, [.batch, .writingHandlers, .operators], atLeast: 0.5)
        }

        @Test func `one source for subscriptions that come and go`() throws {
            try compare(2000..<2200, atLeast: 0.5) { seed in
                try WhatIfExperiment([.share("source")]) { RandomRuns.run(seed: seed, $0, $1) }
            }
        }

        @Test func `one source whose values some receive through a hop`() throws {
            try compare(3000..<3200, atLeast: 0.25) { seed in
                try WhatIfExperiment([.share("source")]) { RandomRuns.run(seed: seed, hops: true, $0, $1) }
            }
        }

        @Test
        func `settled combiners in place of combineLatest`() throws {
            try compare(4000..<4200, [.settled, .latest, .writingHandlers, .operators], atLeast: 0.4)
        }

        @Test
        func `settled combiners in place of a combineLatest of maps and of others like it`() throws {
            try compare(5000..<5200, atLeast: 0.02) { seed in
                try WhatIfExperiment {
                    RandomLatest.remedies($0)
                } program: { isCured, screen in
                    RandomLatest.run(seed: seed, isCured, screen)
                }
            }
        }

        @Test func `all remedies together`() throws {
            try compare(1000..<1200, [.settled, .removeDuplicates, .batch, .writingHandlers, .operators], atLeast: 0.5)
        }
    }
}
