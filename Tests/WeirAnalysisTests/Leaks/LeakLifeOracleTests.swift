import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

/// Random lives on several threads, judged at each checkpoint and at the end, compared with a naive recount.
struct LeakLifeOracleTests {
    private func script(seed: UInt64) -> LeakTrace {
        var random = SeededGenerator(seed: seed)
        var trace = LeakTrace(isClosed: seed % 4 > 0)
        // The collector knows low ids by a table, and 65,536 is none of them.
        let base: UInt32 = seed % 5 == 0 ? 65_530 : 0
        let ids = base + 1...base + 8 as ClosedRange<UInt32>
        for id in ids {
            trace.node(id, at: .login(Int.random(in: 1...3, using: &random)))
            trace.object(
                id, ["Screen", "Row"].randomElement(using: &random) ?? "", label: id == base + 3 ? "main" : nil)
        }
        for id in base + 1...base + 12 as ClosedRange<UInt32> {
            trace.subscription(
                id, to: .random(in: ids, using: &random),
                feeding: Bool.random(using: &random) ? .random(in: ids, using: &random) : nil,
                isInternal: .random(using: &random),
                at: Bool.random(using: &random) ? .screen(Int.random(in: 1...3, using: &random)) : nil,
                owner: Bool.random(using: &random) ? .random(in: ids, using: &random) : nil)
        }
        // If few lives end, counts may rise often enough.
        let ending = Int.random(in: 0...3, using: &random)
        for _ in 0..<Int.random(in: 0...90, using: &random) {
            let (id, thread) = (UInt32.random(in: ids, using: &random), UInt32.random(in: 1...2, using: &random))
            let subscription = base + UInt32.random(in: 1...13, using: &random)
            switch Int.random(in: 0...12 + ending, using: &random) {
            case 0: trace.created(node: id, on: thread)
            case 1, 2: trace.started(subscription, on: thread)
            case 3, 4: trace.tracked(id, on: thread)
            case 5, 6: trace.expected(id, on: thread)
            case 7, 8: trace.emitted(id, to: subscription, base + (subscription - base) % 12 + 1, on: thread)
            case 9: trace.completed(id, to: subscription, on: thread)
            case 10, 11: trace.checkpoint(["round", "closed"].randomElement(using: &random) ?? "", on: thread)
            case 12: trace.emitted(id, on: thread)
            case 13: trace.released(node: id, on: thread)
            case 14: trace.ended(subscription, on: thread)
            default: trace.released(id, on: thread)
            }
        }
        return trace
    }

    @Test func `lives are counted as a naive recount counts them`() throws {
        var (growths, misses, late, orphans) = (0, 0, 0, 0)
        for seed in Repeats.seeds(60) {
            try script(seed: seed).read { reader, topology in
                var events: [TraceEvent] = []
                reader.forEachEvent {
                    events.append($0)
                    return true
                }
                let naive = NaiveLives(events: events, definitions: topology.definitions, isClosed: seed % 4 > 0)
                let known = LeakCheckpoints(reader)
                try #require(known.all.count == naive.checkpoints.count)
                let moments = known.all.indices.map { ($0 as Int?, naive.checkpoints[$0] + 1) } + [(nil, events.count)]
                for (judged, end) in moments {
                    let pass = LeakPass(reader, topology, upTo: judged, of: known)
                    let found = LeakFindings(pass, reader, snapshot: reader.snapshot).found
                    #expect(pass.aliveCount == naive.aliveCount(before: end), "\(seed)")
                    let missed = naive.missed(before: end)
                    let outlived = found.filter { $0.rule == .outlivedScope }
                    #expect(outlived.reduce(0) { $0 + Int($1.count) } == missed.count, "\(seed)")
                    let gone = missed.keys.count { naive.isGone(object: $0, before: end) }
                    #expect(outlived.reduce(0) { $0 + Int($1.expectation?.late ?? 0) } == gone, "\(seed)")
                    #expect(
                        outlived.reduce(0) { $0 + ($1.expectation?.deliveries ?? 0) } == deliveries(naive, missed, end))
                    let homeless = orphaned(naive, end)
                    #expect(count(found) { if case .orphan = $0 { true } else { false } } == homeless.count, "\(seed)")
                    let open = judged == nil && naive.isClosed ? leftOver(naive, end).subtracting(homeless) : []
                    let reported = reported(naive, missed)
                    #expect(
                        count(found) { if case .openSubscription = $0 { true } else { false } }
                            == open.subtracting(reported).count, "\(seed)")
                    (misses, late, orphans) = (misses + missed.count, late + gone, orphans + homeless.count)
                    guard judged == nil else { continue }
                    let collector = LifeCollector(topology)
                    _ = RedundancyPass(reader, topology, keeping: 0, reporting: nil, lives: collector)
                    let collected = LeakPass(reader, topology, collector)
                    #expect(collected.lives.nodes == pass.lives.nodes, "\(seed)")
                    #expect(collected.lives.subscriptions == pass.lives.subscriptions, "\(seed)")
                    #expect(collected.lives.objects.map(\.life) == pass.lives.objects.map(\.life), "\(seed)")
                    #expect(collected.lives.lines.growths.map(text) == pass.lives.lines.growths.map(text), "\(seed)")
                    #expect(Set(pass.lives.lines.growths.map(text)) == naive.growths(), "\(seed)")
                    growths += naive.growths().count
                }
            }
        }
        // Cases that never occur would not be tested.
        #expect(growths > 5 && misses > 120 && late > 25 && orphans > 25)
    }

    private func count(_ found: [LeakFinding], _ isCounted: (LeakFinding.Example) -> Bool) -> Int {
        found.filter { isCounted($0.example) }.reduce(0) { $0 + Int($1.count) }
    }

    private func text(_ growth: LineGrowth) -> String {
        "\(growth.checkpoint): \(growth.line) \(growth.first) to \(growth.last)"
    }

    private func owned(_ naive: NaiveLives, by object: UInt32) -> [UInt32] {
        naive.definitions.subscriptions.values.filter { $0.owner == object }.map(\.id)
    }

    private func deliveries(_ naive: NaiveLives, _ missed: [UInt32: Int], _ end: Int) -> UInt64 {
        missed.reduce(0) { sum, miss in
            let owned = owned(naive, by: miss.key)
            let sources = owned.compactMap { naive.definitions.subscriptions[$0]?.source }
            // Of a chain of operators, the last subscription.
            let last = owned.filter { naive.definitions.subscriptions[$0]?.target.map(sources.contains) != true }
            return last.reduce(sum) { $0 + naive.deliveries(of: $1, from: miss.value, to: end) }
        }
    }

    private func reported(_ naive: NaiveLives, _ missed: [UInt32: Int]) -> Set<UInt32> {
        Set(missed.keys.flatMap { owned(naive, by: $0) })
    }

    private func alive(_ naive: NaiveLives, _ end: Int) -> [TraceSubscription] {
        naive.definitions.subscriptions.values.filter { naive.isAlive(subscription: $0.id, before: end) }
    }

    private func orphaned(_ naive: NaiveLives, _ end: Int) -> Set<UInt32> {
        Set(alive(naive, end).filter { $0.owner.map { naive.isGone(object: $0, before: end) } ?? false }.map(\.id))
    }

    private func leftOver(_ naive: NaiveLives, _ end: Int) -> Set<UInt32> {
        Set(alive(naive, end).filter { !$0.isInternal }.map(\.id))
    }
}
