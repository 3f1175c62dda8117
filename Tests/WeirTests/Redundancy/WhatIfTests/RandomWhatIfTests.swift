import Foundation
import Testing
import Weir
import WeirTestSupport
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
            _ seeds: Range<UInt64>, atLeast share: Double, changedOneIn: Int? = 4,
            _ run: (UInt64) throws -> WhatIfExperiment
        ) throws {
            var (computed, saved) = (0, 0)
            var reasons: [WhatIf.Reason: Int] = [:]
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
            if let changedOneIn { #expect(saved * changedOneIn > computed) }
        }

        @Test func `work that another thread does while the turn that caused it is open`() throws {
            let queue = DispatchQueue(label: "answers")
            try WhatIfExperiment { topology in
                let inputs = topology.subscriptions.filter { subscription in
                    subscription.target.map { topology.definitions.nodes[$0]?.kind == .deliver } == true
                }
                return [Remedy(.removeDuplicates, nodes: [], subscriptions: inputs.map(\.id), site: nil)]
            } program: { isCured, screen in
                let source = Observable(0)
                let halves = source.map { $0 / 2 }
                let delivered = (isCured ? halves.removeDuplicates() : halves).deliver(on: .queue(queue))
                    .subscribe { _ in screen.show(0) }
                source.subscribe { _ in
                    queue.sync {}
                    // The turn ends later than what it caused.
                    screen.show()
                }
                for number in 1...6 {
                    source.value = number
                    // At one time, the order of the threads is open.
                    screen.clock.advance(nanoseconds: 1000)
                }
                delivered.dispose()
            }.expectExact()
        }

        @Test func `settled combiners among random joins`() throws {
            try compare(Repeats.seeds(50), [.settled], atLeast: 0.5)
        }

        @Test func `settled combiners, handlers that write, operators, events and batches`() throws {
            try compare(Repeats.seeds(50, from: 300), [.settled, .writingHandlers, .operators, .events], atLeast: 0.5)
        }

        @Test func `removeDuplicates behind operators`() throws {
            try compare(
                Repeats.seeds(40, from: 600), [.removeDuplicates, .writingHandlers, .operators, .events], atLeast: 0.9)
        }

        @Test func `batches around stimuli`() throws {
            try compare(Repeats.seeds(50, from: 750), [.batch, .writingHandlers, .operators], atLeast: 0.5)
        }

        @Test func `batches around stimuli, and in handlers that write a node several times`() throws {
            try compare(
                Repeats.seeds(50, from: 14_000), [.batch, .writingTwice, .writingHandlers, .operators], atLeast: 0.3)
        }

        @Test func `batches around stimuli with later work`() throws {
            try compare(
                Repeats.seeds(50, from: 15_000), [.batch, .laterWork, .writingHandlers, .operators], atLeast: 0.4)
        }

        @Test func `one source for subscriptions that would receive other values`() throws {
            try compare(Repeats.seeds(60, from: 16_000), atLeast: 0.1) { seed in
                try WhatIfExperiment([.share("source")]) { RandomRuns.run(seed: seed, differs: true, $0, $1) }
            }
        }

        @Test func `what slow handlers write, at once or later`() throws {
            try compare(Repeats.seeds(60, from: 17_000), atLeast: 0.25, changedOneIn: nil) { seed in
                try WhatIfExperiment([.lightenHandler("Names.price")]) { RandomLaterChanges.run(seed: seed, $0, $1) }
            }
        }

        @Test(arguments: [RandomJoins.Extras.settled, .removeDuplicates, .batch])
        func `handlers of an actor`(remedy: RandomJoins.Extras) throws {
            try compare(Repeats.seeds(50, from: 9000), atLeast: 0.5, changedOneIn: 6) { seed in
                let extras: RandomJoins.Extras = [remedy, .actors, .writingHandlers]
                return try WhatIfExperiment {
                    RandomJoins.remedies(seed: seed, extras, $0)
                } program: { isCured, screen in
                    RandomJoins.run(seed: seed, extras, isCured, screen)
                }
            }
        }

        @Test func `one source whose values handlers of an actor receive`() throws {
            try compare(Repeats.seeds(60, from: 3000), atLeast: 0.12) { seed in
                try WhatIfExperiment([.share("source")]) { RandomRuns.run(seed: seed, actors: true, $0, $1) }
            }
        }

        @Test func `one source for subscriptions that come and go`() throws {
            // In 60 % of the programs, someone comes late and does miss a value: that is no weakness of the prediction.
            try compare(Repeats.seeds(60, from: 2000), atLeast: 0.3) { seed in
                var received: [[Int]] = []
                let experiment = try WhatIfExperiment([.share("source")]) {
                    received.append(RandomRuns.run(seed: seed, $0, $1))
                }
                if experiment.predicted.uncomputed.contains(where: { $0.reason == .missedValue }) {
                    #expect(zip(received[0], received[1]).contains { $0 > $1 }, "seed \(seed): nobody misses a value")
                }
                return experiment
            }
        }

        @Test func `values that their own handlers change`() throws {
            try compare(Repeats.seeds(60, from: 8000), atLeast: 0.9) { seed in
                try WhatIfExperiment([.cutLoop("Names.price")]) { RandomLoops.run(seed: seed, $0, $1) }
            }
        }

        @Test func `values of another thread that arrive later`() throws {
            try compare(Repeats.seeds(60, from: 9000), atLeast: 0.2, changedOneIn: nil) { seed in
                try WhatIfExperiment([.deliver("Names.status")]) { RandomLaterWrites.run(seed: seed, $0, $1) }
            }
        }

        @Test func `one source whose last value late subscribers receive`() throws {
            try compare(Repeats.seeds(60, from: 6000), atLeast: 0.3) { seed in
                try WhatIfExperiment([.replay("source")]) { RandomRuns.run(seed: seed, sharing: .replay, $0, $1) }
            }
        }

        @Test(arguments: [false, true]) func `one source in place of several`(replays: Bool) throws {
            try compare(Repeats.seeds(60, from: 7000), atLeast: 0.3) { seed in
                try WhatIfExperiment([.makeOnce("source", replays: replays)]) {
                    RandomRuns.run(seed: seed, sharing: replays ? .replay : .share, makes: true, $0, $1)
                }
            }
        }

        @Test func `one source whose values some receive through a hop`() throws {
            try compare(Repeats.seeds(60, from: 3000), atLeast: 0.15) { seed in
                try WhatIfExperiment([.share("source")]) { RandomRuns.run(seed: seed, hops: true, $0, $1) }
            }
        }

        @Test
        func `settled combiners in place of combineLatest`() throws {
            try compare(Repeats.seeds(60, from: 4000), [.settled, .latest, .writingHandlers, .operators], atLeast: 0.4)
        }

        @Test
        func `settled combiners in place of a combineLatest of maps and of others like it`() throws {
            try compare(Repeats.seeds(60, from: 5000), atLeast: 0.02) { seed in
                try WhatIfExperiment {
                    RandomLatest.remedies($0)
                } program: { isCured, screen in
                    RandomLatest.run(seed: seed, isCured, screen)
                }
            }
        }

        @Test
        func `settled combiners in place of a combineLatest that begins with current values`() throws {
            try compare(Repeats.seeds(60, from: 18_000), atLeast: 0.1) { seed in
                try WhatIfExperiment {
                    RandomLatest.remedies($0)
                } program: { isCured, screen in
                    RandomLatest.run(seed: seed, areCurrent: true, isCured, screen)
                }
            }
        }

        @Test(arguments: [
            RandomJoins.Extras.settled, .removeDuplicates, .batch, [.settled, .latest], [.settled, .writingHandlers],
            [.removeDuplicates, .operators, .events], [.batch, .writingHandlers, .operators],
        ])
        func `joins that programs write by hand`(remedies: RandomJoins.Extras) throws {
            try compare(Repeats.seeds(30, from: 12_000), remedies.union(.handJoins), atLeast: 0.3)
        }

        @Test func `all remedies together`() throws {
            try compare(
                Repeats.seeds(60, from: 1000), [.settled, .removeDuplicates, .batch, .writingHandlers, .operators],
                atLeast: 0.5)
        }
    }
}
