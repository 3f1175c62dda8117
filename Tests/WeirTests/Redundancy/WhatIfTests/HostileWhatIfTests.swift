import Foundation
import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// Remedies for random programs with threads, hops, failures and commands, and for damaged traces of these.
    @Suite struct HostileWhatIfTests {
        /// Remedies of all kinds for all nodes and subscriptions.
        private func remedies(_ topology: Topology, _ seed: UInt64) -> [Remedy] {
            var random = SeededGenerator(seed: seed)
            return Remedy.Kind.allCases.map { kind in
                Remedy(
                    kind, nodes: topology.nodeIDs.filter { _ in Bool.random(using: &random) },
                    subscriptions: topology.subscriptions.map(\.id).filter { _ in Bool.random(using: &random) },
                    site: nil)
            }
        }

        @Test func `what the turns hold adds up to what the events hold, and nearly all can be played again`() throws {
            var (turns, reproduced) = (0, 0)
            for seed in Repeats.seeds(30) {
                let program = try RandomProgram(seed: seed)
                let topology = Topology(program.definitions)
                var counter = FigureCounter(topology)
                var figures = Figures()
                let isThreaded = Set(program.events.map(\.id.thread)).count > 1
                RecordedPass.run(program.reader, topology, holdsStimuli: seed % 2 == 0, reporting: nil) {
                    counter.take($0)
                } take: { found, recorded in
                    for turn in found {
                        TurnReading.read(turn, in: recorded)
                        figures = figures + turn.figures
                        if !isThreaded, turn.figures.refreshes > 0 {
                            turns += 1
                            if (try? Replay.prove(turn, recorded)) != nil { reproduced += 1 }
                        }
                        recorded.take(turn)
                    }
                }
                #expect(figures == counter.figures, "seed \(seed)")
            }
            print("what-if: \(reproduced) of \(turns) turns of random programs can be played again")
            #expect(reproduced * 100 >= turns * 90)
        }

        @Test func `no remedy changes nothing, and none can trap`() throws {
            for seed in Repeats.seeds(30) {
                let program = try RandomProgram(seed: seed)
                let topology = Topology(program.definitions)
                let none = WhatIf(program.reader, topology, remedies: [])
                #expect(none.together == none.recorded)
                let rules = RedundancyPass(program.reader, topology)
                #expect(none.recorded.refreshes == rules.refreshes, "seed \(seed)")
                #expect(none.recorded.handlerTicks == rules.handlerTicks, "seed \(seed)")
                #expect(none.recorded.evaluations == rules.evaluations, "seed \(seed)")
                let some = WhatIf(program.reader, topology, remedies: remedies(topology, seed))
                #expect(some.recorded == none.recorded)
                #expect(some.outcomes.count == Remedy.Kind.allCases.count)
            }
        }

        @Test func `a trace that is cut off or damaged anywhere is no trap`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            RandomJoins.run(
                seed: 7, [.settled, .writingHandlers, .operators, .events, .removeDuplicates], false, Screen())
            Trace.stop()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
            var random = SeededGenerator(seed: 3)
            for _ in 0..<Repeats.count(40) {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    damaged[Int.random(in: 4096..<bytes.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                if Bool.random(using: &random) {
                    damaged.removeLast(Int.random(in: 0..<bytes.count - 4200, using: &random))
                }
                let path = file.folder + "/damaged.weir"
                try damaged.write(to: URL(fileURLWithPath: path))
                let reader = try TraceReader(path: path)
                let topology = Topology(try reader.definitions())
                _ = WhatIf(reader, topology, remedies: remedies(topology, random.next()))
            }
        }

        @Test func `a turn that is too long is said to be`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            let start = Emitter<Int>()
            let number = Observable(0)
            let double = Observable.combine(number, number, strategy: .every) { $0 + $1 }
            double.subscribe { _ in }
            start.subscribe { for value in 1...$0 { number.value = value } }
            start.emit(3)
            start.emit(20_000)
            start.emit(3)
            Trace.stop()
            let reader = try TraceReader(path: file.path)
            let topology = Topology(try reader.definitions())
            let combiner = try #require(topology.definitions.nodes.values.first { $0.kind == .combiner }?.id)
            let later = WhatIf(reader, topology, remedies: [Remedy(.narrowInput, nodes: [combiner], site: nil)])
            #expect(later.together.uncomputed.map(\.reason) == [.tooLong])
            let whatIf = WhatIf(reader, topology, remedies: [Remedy(.settled, nodes: [combiner], site: nil)])
            #expect(whatIf.together.uncomputed.map(\.reason) == [.tooLong])
            #expect(whatIf.together.uncomputed.map(\.turns) == [1])
            let saved = whatIf.recorded.refreshes - whatIf.together.refreshes
            #expect(saved == 4, "the short turns are computed: three refreshes become one, twice")
        }
    }
}
