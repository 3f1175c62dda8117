import Testing
import Weir
import WeirAnalysis
import WeirReport
import WeirTrace

extension Everything {
    /// The report on a program with several faults, as a user reads it.
    @Suite struct WhatIfReportTests {
        private func report(_ program: (Screen) -> Void) throws -> RedundancyReport {
            let file = try TemporaryTrace()
            let screen = Screen()
            try Trace.start(writingTo: file.path, clock: screen.clock, snapshots: .none)
            program(screen)
            Trace.stop()
            let reader = try TraceReader(path: file.path)
            let topology = Topology(try reader.definitions())
            let pass = RedundancyPass(reader, topology)
            let findings = Findings(pass, topology.definitions)
            var report = RedundancyReport(
                pass, findings, topology.definitions, timeScale: TimeScale(reader.header),
                options: RedundancyOptions()
            ) { Evidence(of: $0, in: reader) }
            report.whatIf = WhatIf(reader, topology, remedies: findings.found.compactMap(\.remedy))
            return report
        }

        /// The headline of each finding with its what-if result, and the lines after all findings.
        private func lines(_ report: RedundancyReport) -> String {
            let hidden = ["fingerprint", "e.g. ", "Remedy: "]
            let lines = report.text().split(separator: "\n").filter { line in
                !hidden.contains(where: line.contains) && !line.hasPrefix("          →")
            }
            return lines.prefix { $0 != "Could not be judged:" }.joined(separator: "\n")
        }

        @Test func `each remedy says what it would leave, and so do all together`() throws {
            #expect(
                lines(try report(ShopProgram.run)) == #"""
                    12 of 25 refreshes were redundant (48 %), 90 µs of 17.2 ms handler time.
                    2 of 28 evaluations gave an equal value.
                    6 findings, worst first:
                      1  Shop.address refreshed a handler once for longer than 16.7 ms; 300 µs beyond that
                         What if: refreshes and evaluations stay as they are; how much handler time is saved depends on what you move.
                      2  Shop.total emitted 4 values that the same turn replaced; 4 refreshes, 40 µs wasted
                         What if: 21 of 25 refreshes, 17.1 ms of 17.2 ms handler time and 24 of 28 evaluations would remain.
                      3  Shop.balance emitted 4 values that the same turn replaced; 4 refreshes, 32 µs wasted
                         What if: the effect cannot be estimated from this trace.
                           4 turns could not be computed, and count as recorded: whether two values are equal is not known: they are private, were not recorded, or only described (first: 1:20, at Shop.balance)
                      4  Shop.address refreshed a handler 2 times, and again in the same frame; 10 µs wasted
                         What if: 23 of 25 refreshes and all but 10 µs of 17.2 ms handler time would remain.
                      5  map ShopProgram.swift:37 refreshed a handler 2 times with an unchanged value; 8 µs wasted
                         What if: 23 of 25 refreshes and all but 8 µs of 17.2 ms handler time would remain.
                         The same unchanged values of map ShopProgram.swift:37 also caused:
                           noop-evaluation  map ShopProgram.swift:37 produced an unchanged value in 2 evaluations (WeirTests/ShopProgram.swift:37)
                      6  source ShopProgram.swift:24 was run once for another subscriber while it was already running
                         What if: 1 of 2 runs of sources would remain; refreshes stay as they are.
                    The 5 of 6 remedies that can be computed for every turn, together: 17 of 25 refreshes, 17.1 ms of 17.2 ms handler time, 24 of 28 evaluations and 1 of 2 runs of sources would remain.
                    """#)
        }
    }
}
