import Foundation
import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// What-if results in the report, for handmade outcomes.
struct WhatIfReportTests {
    private static let tallies: [RuleTally] = [
        .made(.glitch, node: 3, count: 12, refreshes: 24, wasted: 1_200_000, example: 6, counterpart: 12),
        .made(.slowRefresh, node: 1, subscription: 5, wasted: 9000), .made(.noopEvaluation, node: 3, count: 4, via: 3),
    ]

    private func report(
        _ outcomes: [WhatIf.Outcome], together: WhatIf.Outcome, _ tallies: [RuleTally] = tallies,
        _ definitions: TraceDefinitions = Cart.definitions()
    ) -> RedundancyReport {
        var report = RedundancyReport(
            RedundancyFigures(refreshes: 36), Findings(tallies, definitions), definitions,
            timeScale: TimeScale(ticksPerSecond: 1_000_000_000, startTicks: 0), evidence: Cart.evidence(Cart.adding))
        report.whatIf = WhatIf(recorded: .made(36), outcomes: outcomes, together: together)
        return report
    }

    private let outcomes: [WhatIf.Outcome] = [
        .made(
            24, 800_000,
            uncomputed: [
                .made(.unknownEquality, 5, at: 3), .made(.unseenInputs, 4, at: 2), .made(.noStimulus, 3),
                .made(.tooLong, 2), .made(.structure, 1),
            ]),
        .made(36, isComputable: false), .made(36, evaluations: 21),
    ]

    private func reported(_ report: RedundancyReport) -> [Substring] {
        report.text().split(separator: "\n").drop { !$0.hasPrefix("  1  ") }
            .filter { !$0.contains("fingerprint") && !$0.contains("e.g. ") && !$0.contains("Remedy: ") }
    }

    @Test func `each finding tells it below the remedy, and the end for all`() {
        let lines = reported(
            report(outcomes, together: .made(24, 800_000, evaluations: 21, uncomputed: [.made(.tooLong, 1)])))
        #expect(
            lines.joined(separator: "\n") == """
                  1  CartModel.total emitted 12 values that the same turn replaced; 24 refreshes, 1.2 ms wasted
                     What if: 24 of 36 refreshes and 800 µs of 1.4 ms handler time would remain (partial estimate).
                       5 turns could not be computed, and count as recorded: whether two values are equal is not known: they are private, were not recorded, or only described (first: 1:33, at CartModel.total)
                       4 turns could not be computed, and count as recorded: a node would compute from values that never met in the recording (first: 1:33, at CartModel.subtotal)
                       3 turns could not be computed, and count as recorded: the writes are in several turns outside of any named stimulus; put Trace.stimulus around what makes them (first: 1:33)
                       and 3 turns more, for 2 other reasons
                  2  CartModel.items refreshed a handler once for longer than 16.7 ms; 9 µs beyond that
                     What if: the effect cannot be estimated from this trace.
                  3  CartModel.total produced an unchanged value in 4 evaluations
                     What if: 21 of 25 evaluations would remain at best; refreshes stay as they are.
                The 2 of 3 remedies that can be computed, together: 24 of 36 refreshes, 800 µs of 1.4 ms handler time and 21 of 25 evaluations would remain at best (partial estimate).
                  1 turn could not be computed, and counts as recorded: too long, or nested too deep, to be played again (first: 1:33)
                The program marks no frames (Trace.frame()): one is 16.7 ms from a first refresh on (--frame).
                """)
    }

    @Test func `findings that are not shown count for all together, and their remedies are not mixed up`() {
        var report = report(outcomes, together: .made(20))
        report.limit = 1
        let lines = reported(report)
        #expect(lines.filter { $0.contains("What if: ") }.count == 1)
        #expect(
            lines.contains { $0.hasPrefix("The 2 of 3 remedies that can be computed, together: 20 of 36 refreshes") })
    }

    @Test func `what can be computed for every turn is distinguished where not all can`() throws {
        let tallies = Self.tallies + [.made(.repeatedValue, node: 10, subscription: 10)]
        var report = report(
            outcomes + [.made(30)], together: .made(29, uncomputed: [.made(.tooLong, 1)]), tallies)
        func withSure(_ refreshes: UInt64) -> WhatIf? {
            report.whatIf.map {
                WhatIf(recorded: $0.recorded, outcomes: $0.outcomes, together: $0.together, sure: .made(refreshes))
            }
        }
        // An estimate that counts turns as recorded is left out if fewer remedies are known to save more.
        report.whatIf = withSure(28)
        #expect(!reported(report).contains { $0.hasPrefix("The 3 of 4 remedies") })
        #expect(reported(report).contains { $0.hasPrefix("The 2 of 4 remedies") })
        #expect(report.json(path: "x", isComplete: true).text.contains("\"sure\":{\"refreshes\":28,"))
        report.whatIf = withSure(30)
        let lines = reported(report)
        let place = try #require(
            lines.firstIndex { $0.hasPrefix("The 3 of 4 remedies that can be computed, together: ") })
        #expect(lines[place].contains("29 of 36 refreshes") && lines[place + 1].hasPrefix("  1 turn could not be"))
        #expect(
            lines[place + 2]
                == "The 2 of 4 remedies that can be computed for every turn, together: "
                + "30 of 36 refreshes would remain at best.")
        report.whatIf = report.whatIf.map {
            WhatIf(recorded: $0.recorded, outcomes: $0.outcomes, together: $0.together)
        }
        #expect(report.json(path: "x", isComplete: true).text.contains("\"sure\":null"))
        report.whatIf = report.whatIf.map {
            WhatIf(recorded: $0.recorded, outcomes: $0.outcomes, together: $0.together, sure: .made(29))
        }
        #expect(!report.text().contains("for every turn"), "the same is not reported twice")
    }

    @Test func `one remedy is not reported twice, none computable is said, and what was not asked is not reported`() {
        let one = report([outcomes[0]], together: outcomes[0], [Self.tallies[0]]).text()
        #expect(one.contains("What if: 24 of") && !one.contains("together") && !one.contains("remedies"))
        let omitted = [WhatIf.Outcome](repeating: .made(36, isComputable: false), count: 2)
        let loops: [RuleTally] = [.made(.feedback, node: 3), .made(.crossThread, node: 1)]
        #expect(
            report(omitted, together: omitted[0], loops).text().contains(
                "\n\nNone of the 2 remedies can be computed.\n"))
        var unasked = report(outcomes, together: outcomes[0])
        unasked.whatIf = nil
        #expect(!unasked.text().contains("What if") && !unasked.text().contains("together"))
        #expect(!unasked.json(path: "x", isComplete: true).text.contains("whatIf"))
    }

    @Test func `the JSON has the same figures and words`() throws {
        let report = report(outcomes, together: .made(24, 800_000, evaluations: 21))
        let text = report.json(path: "x", isComplete: true).indentedText
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let all = try #require(object["whatIf"] as? [String: Any])
        let recorded = try #require(all["recorded"] as? [String: Any])
        #expect(recorded["refreshes"] as? Int == 36 && recorded["sourceRuns"] as? Int == 2)
        let together = try #require(all["together"] as? [String: Any])
        #expect(together["refreshes"] as? Int == 24 && together["complete"] as? Bool == true)
        let findings = try #require(object["findings"] as? [[String: Any]])
        let each = findings.compactMap { $0["whatIf"] as? [String: Any] }
        #expect(each.map { $0["handlerNanoseconds"] as? Int } == [800_000, 1_400_000, 1_400_000])
        #expect(each.map { $0["evaluations"] as? Int } == [25, 25, 21])
        #expect(each.map { $0["computable"] as? Bool } == [true, false, true])
        #expect(each.map { $0["complete"] as? Bool } == [false, false, true])
        for (finding, sentence) in zip(reported(report).filter { $0.contains("What if: ") }, each) {
            let words = try #require(sentence["sentence"] as? String)
            #expect(finding.hasSuffix("What if: \(words)."))
        }
        let uncomputed = try #require(each[0]["uncomputed"] as? [[String: Any]])
        #expect(uncomputed.map { $0["turns"] as? Int } == [5, 4, 3, 2, 1])
        #expect(uncomputed[0]["reason"] as? String == "unknownEquality" && uncomputed[0]["node"] as? Int == 3)
        #expect(uncomputed[0]["name"] as? String == "CartModel.total" && uncomputed[2]["name"] is NSNull)
        #expect(uncomputed[0]["example"] as? String == "1:33")
    }

    @Test func `whatever a trace says, it steers no terminal`() {
        var definitions = Cart.definitions()
        for id in definitions.nodes.keys { definitions.nodes[id]?.label = "\u{1B}[2J\n\u{202E}\u{9B}" }
        let report = report(outcomes, together: outcomes[0], Self.tallies, definitions)
        let text = report.text() + report.json(path: "x", isComplete: false).indentedText
        let evilScalars = text.unicodeScalars.filter { TerminalText.mustBeEscaped($0) && $0 != "\n" }
        #expect(evilScalars.isEmpty && text.contains("at \\u{1B}"))
    }
}
