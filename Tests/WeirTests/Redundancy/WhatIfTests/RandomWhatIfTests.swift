import Synchronization
import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

/// The effect of remedies on hundreds of random programs, predicted and measured.
@Suite struct RandomWhatIfTests {
    /// Records the programs of the seeds, without and with the remedies, and predicts the second from the first.
    private func compare(
        _ seeds: Range<UInt64>, atLeast share: Double, changedOneIn: Int? = 4,
        _ remedies: @escaping @Sendable (_ seed: UInt64, Topology) throws -> [Remedy],
        program: @escaping @Sendable (_ seed: UInt64, _ isCured: Bool, Screen) -> Void,
        also: (_ seed: UInt64, WhatIfExperiment) -> Void = { _, _ in }
    ) async throws {
        let programs = try await RecorderTurn.take {
            try seeds.map { seed in
                let recorded = try WhatIfExperiment.Recorded {
                    try remedies(seed, $0)
                } program: {
                    program(seed, $0, $1)
                }
                return (seed, recorded)
            }
        }
        var (computed, saved) = (0, 0)
        var reasons: [WhatIf.Reason: Int] = [:]
        for (seed, recorded) in programs {
            let experiment = try WhatIfExperiment(recorded)
            also(seed, experiment)
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

    private func compare(
        _ seeds: Range<UInt64>, _ extras: RandomJoins.Extras, atLeast share: Double, changedOneIn: Int? = 4
    ) async throws {
        try await compare(seeds, atLeast: share, changedOneIn: changedOneIn) {
            RandomJoins.remedies(seed: $0, extras, $1)
        } program: {
            RandomJoins.run(seed: $0, extras, $1, $2)
        }
    }

    private func compare(
        _ seeds: Range<UInt64>, _ cure: WhatIfExperiment.Cure, atLeast share: Double, changedOneIn: Int? = 4,
        program: @escaping @Sendable (_ seed: UInt64, _ isCured: Bool, Screen) -> Void,
        also: (_ seed: UInt64, WhatIfExperiment) -> Void = { _, _ in }
    ) async throws {
        try await compare(
            seeds, atLeast: share, changedOneIn: changedOneIn, { [try cure.remedy($1)] }, program: program, also: also)
    }

    @Test func `settled combiners among random joins`() async throws {
        try await compare(Repeats.seeds(50), [.settled], atLeast: 0.5)
    }

    @Test func `settled combiners, handlers that write, operators, events and batches`() async throws {
        try await compare(
            Repeats.seeds(50, from: 300), [.settled, .writingHandlers, .operators, .events], atLeast: 0.5)
    }

    @Test func `removeDuplicates behind operators`() async throws {
        try await compare(
            Repeats.seeds(40, from: 600), [.removeDuplicates, .writingHandlers, .operators, .events], atLeast: 0.9)
    }

    @Test func `batches around stimuli`() async throws {
        try await compare(Repeats.seeds(50, from: 750), [.batch, .writingHandlers, .operators], atLeast: 0.5)
    }

    @Test(arguments: [RandomJoins.Extras.settled, .removeDuplicates, .batch])
    func `handlers of an actor`(remedy: RandomJoins.Extras) async throws {
        try await compare(
            Repeats.seeds(50, from: 9000), [remedy, .actors, .writingHandlers], atLeast: 0.5, changedOneIn: 6)
    }

    @Test func `one source whose values handlers of an actor receive`() async throws {
        try await compare(Repeats.seeds(60, from: 3000), .share("source"), atLeast: 0.12) {
            RandomRuns.run(seed: $0, actors: true, $1, $2)
        }
    }

    @Test func `one source for subscriptions that come and go`() async throws {
        // In 60 % of the programs, someone comes late and does miss a value: that is no weakness of the prediction.
        let received = Mutex<[UInt64: [[Int]]]>([:])
        try await compare(Repeats.seeds(60, from: 2000), .share("source"), atLeast: 0.3) { seed, isCured, screen in
            let values = RandomRuns.run(seed: seed, isCured, screen)
            received.withLock { $0[seed, default: []].append(values) }
        } also: { seed, experiment in
            guard experiment.predicted.uncomputed.contains(where: { $0.reason == .missedValue }) else { return }
            let values = received.withLock { $0[seed] ?? [] }
            #expect(zip(values[0], values[1]).contains { $0 > $1 }, "seed \(seed): nobody misses a value")
        }
    }

    @Test func `values that their own handlers change`() async throws {
        try await compare(Repeats.seeds(60, from: 8000), .cutLoop("Names.price"), atLeast: 0.9) {
            RandomLoops.run(seed: $0, $1, $2)
        }
    }

    @Test func `values of another thread that arrive later`() async throws {
        try await compare(Repeats.seeds(60, from: 9000), .deliver("Names.status"), atLeast: 0.2, changedOneIn: nil) {
            RandomLaterWrites.run(seed: $0, $1, $2)
        }
    }

    @Test func `one source whose last value late subscribers receive`() async throws {
        try await compare(Repeats.seeds(60, from: 6000), .replay("source"), atLeast: 0.3) {
            RandomRuns.run(seed: $0, sharing: .replay, $1, $2)
        }
    }

    @Test(arguments: [false, true]) func `one source in place of several`(replays: Bool) async throws {
        try await compare(Repeats.seeds(60, from: 7000), .makeOnce("source", replays: replays), atLeast: 0.3) {
            RandomRuns.run(seed: $0, sharing: replays ? .replay : .share, makes: true, $1, $2)
        }
    }

    @Test func `one source whose values some receive through a hop`() async throws {
        try await compare(Repeats.seeds(60, from: 3000), .share("source"), atLeast: 0.15) {
            RandomRuns.run(seed: $0, hops: true, $1, $2)
        }
    }

    @Test
    func `settled combiners in place of combineLatest`() async throws {
        try await compare(
            Repeats.seeds(60, from: 4000), [.settled, .latest, .writingHandlers, .operators], atLeast: 0.4)
    }

    @Test
    func `settled combiners in place of a combineLatest of maps and of others like it`() async throws {
        try await compare(Repeats.seeds(60, from: 5000), atLeast: 0.02) { _, topology in
            RandomLatest.remedies(topology)
        } program: {
            RandomLatest.run(seed: $0, $1, $2)
        }
    }

    @Test(arguments: [
        RandomJoins.Extras.settled, .removeDuplicates, .batch, [.settled, .latest], [.settled, .writingHandlers],
        [.removeDuplicates, .operators, .events], [.batch, .writingHandlers, .operators],
    ])
    func `joins that programs write by hand`(remedies: RandomJoins.Extras) async throws {
        try await compare(Repeats.seeds(30, from: 12_000), remedies.union(.handJoins), atLeast: 0.3)
    }

    @Test func `all remedies together`() async throws {
        try await compare(
            Repeats.seeds(60, from: 1000), [.settled, .removeDuplicates, .batch, .writingHandlers, .operators],
            atLeast: 0.5)
    }

    @Test func `a new value cancels the former request`() async throws {
        try await compare(Repeats.seeds(60, from: 9500), .latestRequest("flatMap"), atLeast: 0.41) {
            RandomRequests.run(seed: $0, latest: true, $1, $2)
        }
    }

    @Test func `equal values start no request`() async throws {
        try await compare(Repeats.seeds(60, from: 9000), .removeDuplicateRequests("flatMap"), atLeast: 0.41) {
            RandomRequests.run(seed: $0, $1, $2)
        }
    }
}
