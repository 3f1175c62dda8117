import Testing
import Weir
import WeirSoak

extension Everything {
    /// A small part of `weir-bench soak`: random programs of two to eight threads, judged by the delivery contract.
    @Suite struct SoakTests {
        private static func run(_ soak: Soak) {
            let result = soak.run(watchedBy: nil, History())
            if let failure = result.failure { Issue.record("\(failure.description)") }
            #expect(result.runs > 0 && result.events > 20 * result.runs)
        }

        @Test func `Programs whose threads change between actions keep the contract`() {
            var soak = Soak(seed: 1, isScheduled: true)
            soak.isCoarse = true
            soak.mostRuns = 500
            Self.run(soak)
        }

        @Test func `Programs whose threads change in handlers keep the contract`() {
            var soak = Soak(seed: 1, isScheduled: true)
            soak.mostRuns = 500
            Self.run(soak)
        }

        @Test func `Programs whose threads run at the same time keep the contract`() {
            var soak = Soak(seed: 1, isScheduled: false)
            soak.mostRuns = 300
            Self.run(soak)
        }

        @Test(arguments: 1...40) func `A schedule repeats`(seed: UInt64) {
            let program = SoakProgram.random(seed: seed, mostActions: 5)
            let first = program.run(.random(seed: seed), History())
            let second = program.run(.random(seed: seed), History())
            #expect(first.events == second.events)
            #expect(first.switches == second.switches)
            let table = Dictionary(first.switches.map { ($0.step, $0.to) }) { $1 }
            let replayed = program.run(Schedule(seed: seed, .replay(table)), History())
            #expect(replayed.events == first.events)
        }

        @Test func `Programs have two to eight threads, and use everything`() {
            let programs = (1...2000).map { SoakProgram.random(seed: $0) }
            #expect(programs.allSatisfy { (2...8).contains($0.threads.count) })
            let text = programs.map(\.description).joined(separator: "\n")
            for word in [
                "state", "emitter", "every", "settled", "all", "first", "bound to", "and back", ".current", "initial",
                "share", "replay", "merge", "zip", "combineLatest", "concat", "latest", "map", "filter",
                "removeDuplicates", "scan", "buffer", "skip", "take", "deliver", "batch", "read", "subscribe",
                "dispose",
                "make", "complete", "fail", "withLatest", "at call",
            ] {
                #expect(text.contains(word), "\(word)")
            }
        }
    }
}
