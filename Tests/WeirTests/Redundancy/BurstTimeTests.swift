import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// The times that a burst reports.
    @Suite struct BurstTimeTests {
        @Test func `a burst knows what brought about what it counts; refreshes far apart are none`() throws {
            let file = try TemporaryTrace()
            let clock = VirtualClock()
            try Trace.start(writingTo: file.path, clock: clock, snapshots: .none)
            let shown = Observable(0)
            shown.subscribe { _ in }
            for (value, milliseconds) in [(1, 20), (2, 170), (3, 5)] {
                Trace.stimulus("tap") { shown.value = value }
                clock.advance(nanoseconds: UInt64(milliseconds) * 1_000_000)
            }
            Trace.stimulus("fill") {
                shown.value = 4
                shown.value = 5
            }
            Trace.frame()
            Trace.stop()
            let reader = try TraceReader(path: file.path)
            let pass = RedundancyPass(reader, Topology(try reader.definitions()))
            let burst = try #require(pass.tallies.first { $0.rule == .burst })
            #expect(burst.count == 2)
            #expect(burst.ofOneWriter == 1 && burst.betweenStimuli == 1)
            withExtendedLifetime(shown) {}
        }

        @Test func `what a command shows of itself in one execution is no burst and no glitch`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            let (count, isAllowed, taps) = (Observable(0), Observable(true), Emitter<Void>())
            let step = Command<Void, Void>(enabledIf: isAllowed.current) {
                count.value += 1
                isAllowed.value = count.value % 2 == 0
                isAllowed.value = true
            }
            step.isEnabled.current.map { !$0 }.removeDuplicates().subscribe { _ in }
            // `isEnabled` becomes true as the execution ends, and false in the same turn.
            step.isExecuting.subscribe { if !$0 { isAllowed.value = false } }
            let isReady = Observable.combine(step.isEnabled, count) { $0 && $1 < 9 }
            isReady.subscribe { _ in }
            taps.subscribe { step.execute(()) }
            for _ in 0..<3 {
                isAllowed.value = true
                Trace.stimulus("tap") { taps.emit(()) }
            }
            Trace.stop()
            let reader = try TraceReader(path: file.path)
            let definitions = try reader.definitions()
            let found = RedundancyPass(reader, Topology(definitions)).tallies.filter {
                [.burst, .glitch].contains($0.rule)
            }
            // The program can join the writes to `isAllowed`, and a settled combiner its two inputs.
            #expect(!found.isEmpty)
            let commands = Set(definitions.nodes.values.filter { $0.kind == .command }.map(\.site))
            for node in found.compactMap({ definitions.nodes[$0.node] }) {
                #expect([.combiner, .observable].contains(node.kind) && !commands.contains(node.site), "\(node)")
            }
            withExtendedLifetime((count, isAllowed, taps, step, isReady)) {}
        }

        @Test func `a burst shows the part of the program that a batch helps`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            let (shown, answers) = (Observable(0), Emitter<Int>())
            shown.subscribe { _ in }
            answers.subscribe { first in for value in first...first + 2 { shown.value = value } }
            Trace.stimulus("load") { shown.value = 1 }
            answers.emit(2)
            Trace.stop()
            let reader = try TraceReader(path: file.path)
            let topology = Topology(try reader.definitions())
            let pass = RedundancyPass(reader, topology)
            let tally = try #require(pass.tallies.first { $0.rule == .burst })
            #expect(tally.count == 3 && tally.later == 1 && tally.ofOneWriter == 2)
            #expect(tally.examples.map(\.isOfOneScene) == [false, true])
            let finding = try #require(Findings(pass, topology.definitions).found.first { $0.rule == .burst })
            #expect(finding.remedy?.kind == .batch)
            #expect(finding.tallies[0].examples == [tally.examples[1]])
            #expect(finding.example == tally.examples[1].first && finding.example != tally.example)
            withExtendedLifetime((shown, answers)) {}
        }
    }
}
