import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// The complete report on handmade tallies.
struct RedundancyReportTests {
    private static let tallies: [RuleTally] = [
        .made(.glitch, node: 3, count: 12, refreshes: 24, wasted: 1_200_000, example: 6, counterpart: 12),
        .made(.noopEvaluation, node: 2, count: 4, example: 4, counterpart: 2, via: 1),
        .made(.repeatedValue, node: 10, subscription: 10, count: 2, refreshes: 2, wasted: 9000, example: 90),
        .made(.repeatedValue, node: 11, subscription: 11, count: 3, refreshes: 3, wasted: 10_000, example: 91),
    ]

    private func report(
        _ tallies: [RuleTally] = tallies, _ definitions: TraceDefinitions = Cart.definitions(),
        _ change: (inout RedundancyFigures) -> Void = { _ in }, options: RedundancyOptions = RedundancyOptions()
    ) -> RedundancyReport {
        var figures = RedundancyFigures(
            refreshes: 96, redundantRefreshes: 61, handlerTicks: 55_000_000, wastedTicks: 38_000_000, evaluations: 25,
            noopEvaluations: 12, hasFrameMarks: true)
        change(&figures)
        return RedundancyReport(
            figures, Findings(tallies, definitions), definitions,
            timeScale: TimeScale(ticksPerSecond: 1_000_000_000, startTicks: 0), options: options,
            evidence: Cart.evidence(Cart.adding))
    }

    @Test func `a report reads like this`() {
        var definitions = Cart.definitions()
        definitions.intentions[1] = [TraceIntention(node: 1, rule: "burst", reason: "a progress \u{1B}[2Jbar")]
        let tallies =
            Self.tallies + [
                .made(
                    .burst, node: 1, subscription: 5, count: 8, refreshes: 8, wasted: 3000, example: 14, counterpart: 90
                )
            ]
        let text = report(tallies, definitions) { figures in
            figures.unjudged = [
                UnjudgedTally(rule: .repeatedValue, node: 1, reason: .withheld, count: 3),
                UnjudgedTally(rule: .repeatedValue, node: 2, reason: .withheld, count: 4),
                UnjudgedTally(rule: .unobserved, node: 3, reason: .madeBefore, count: 1),
            ]
        }.text()
        #expect(
            text == #"""
                61 of 96 refreshes were redundant (64 %), 38 ms of 55 ms handler time.
                12 of 25 evaluations gave an equal value.

                2 findings, worst first:

                  1  CartModel.total emitted 12 values that the same turn replaced; 24 refreshes, 1.2 ms wasted
                     glitch · warning · at Cart/CartModel.swift:18 · fingerprint 57411ec4fb100a50
                     e.g. “tap Add” → items (1:2) → subtotal (1:4) → total = 12 (1:6), replaced by 1:12 in the same turn
                     Remedy: combine(…, strategy: .settled) at Cart/CartModel.swift:18.

                  2  item 1.title and 1 other of this line refreshed a handler 5 times with an unchanged value; 19 µs wasted
                     repeated-value · warning · at Cart/CartCell.swift:20 · fingerprint db0bc70924419fe7
                     e.g. 1:91, which the trace no longer holds
                     Remedy: .removeDuplicates() before the subscription at Cart/CartCell.swift:20.

                Conditions whose inputs changed and whose value did not; nothing needs to change:
                  CartModel.subtotal (4)

                Meant so, by the program's word:
                  burst: CartModel.items refreshed a handler 8 times, and again in the same frame; 3 µs wasted (Cart/CartView.swift:33): “a progress \u{1B}[2Jbar”

                Could not be judged:
                  repeated-value: 7 refreshes of CartModel.subtotal, CartModel.items: the values are private;
                    record test data, with .disclosed() or without .private
                  unobserved: 1 evaluation of CartModel.total: what it may reach was made before the recording began;
                    start the recording before the model is made

                A frame is what lies between two marks of the program (Trace.frame()).

                """#)
    }

    @Test func `nodes of one name that could not be judged are counted`() {
        var definitions = Cart.definitions()
        for id in 20...21 as ClosedRange<UInt32> {
            definitions.nodes[id] = TraceNode(id: id, rawKind: 16, site: TraceSite(file: "Cart/Row.swift", line: 7))
        }
        let text = report([], definitions) { figures in
            figures.unjudged = [20, 1, 21, 2, 3].map {
                UnjudgedTally(rule: .repeatedValue, node: $0, reason: .withheld, count: 30 - UInt64($0))
            }
        }.text()
        let line =
            "  repeated-value: 103 refreshes of CartModel.items, CartModel.subtotal, CartModel.total and 2 more: "
            + "the values are private;\n"
        #expect(text.contains(line), "\(text)")
        let few = report([], definitions) { figures in
            figures.unjudged = [20, 21].map {
                UnjudgedTally(rule: .repeatedValue, node: $0, reason: .withheld, count: 4)
            }
        }.text()
        let both = "  repeated-value: 8 refreshes of map Row.swift:7 ×2: the values are private;\n"
        #expect(few.contains(both), "\(few)")
    }

    @Test func `where nothing was found, one sentence says what was looked at`() {
        let text = report([]) { figures in
            (figures.redundantRefreshes, figures.noopEvaluations, figures.hasFrameMarks) = (0, 0, false)
            (figures.handlerTicks, figures.wastedTicks) = (0, 0)
        }.text()
        #expect(
            text == """
                0 of 96 refreshes were redundant (0 %).
                0 of 25 evaluations gave an equal value.
                Nothing was found by any rule.

                The program marks no frames (Trace.frame()): one is 16.7 ms from a first refresh on (--frame).

                """)
    }

    @Test func `as many findings are reported as are asked for, and the rest counted`() {
        var short = report()
        short.limit = 1
        let lines = short.text().split(separator: "\n")
        #expect(lines.contains("2 findings, worst first:"))
        #expect(lines.contains("and 1 more (--top 2 shows all)"))
        #expect(!lines.contains { $0.hasPrefix("  2  ") })
        guard case .object(let members) = short.json(path: "x", isComplete: true) else { return }
        #expect(members.first { $0.name == "omittedFindings" }?.value == .signed(2))
    }

    @Test func `the short form has the summary and the remedy of each`() {
        var short = report()
        short.limit = 1
        #expect(
            short.briefLines() == [
                "61 of 96 refreshes were redundant (64 %), 38 ms of 55 ms handler time.",
                "12 of 25 evaluations gave an equal value.",
                "  glitch · warning  CartModel.total emitted 12 values that the same turn replaced; 24 refreshes, 1.2 ms wasted",
                "     → combine(…, strategy: .settled) at Cart/CartModel.swift:18", "  and 1 more",
            ])
    }

    @Test func `long chains lose their middle, and lines are wrapped`() {
        var script = EventScript()
        script.stimulus("scroll")
        for _ in 0..<30 {
            script.emit(1, .signed(1))
            script.deliver(5)
        }
        let evidence = Cart.evidence(script.events)
        let parts = EvidenceLine(Cart.definitions(), style: .plain).parts(evidence(script.last) ?? Evidence(steps: []))
        #expect(parts.count == 9)
        #expect(parts[0] == "“scroll”" && parts[3] == "… 53 more …" && parts[8] == "handler CartView.swift:33 (1:61)")
        let lines = EvidenceLine.wrapped(parts, end: ", at last", width: 60, indent: "  ")
        #expect(lines.count > 2 && lines.allSatisfy { $0.hasPrefix("  ") && $0.count <= 64 })
        #expect(lines.map { $0.dropFirst(2) }.joined(separator: " ") == parts.joined(separator: " → ") + ", at last")
    }

    @Test func `whatever a trace says, no report steers a terminal`() {
        var definitions = Cart.definitions()
        let evil = "\u{1B}[2J\n\u{202E}\u{9B}"
        for id in definitions.nodes.keys {
            definitions.nodes[id]?.label = evil
            definitions.nodes[id]?.site?.file = evil
        }
        for id in definitions.subscriptions.keys {
            definitions.subscriptions[id]?.site?.file = evil
            definitions.subscriptions[id]?.owner = 1
        }
        definitions.objects[1] = TraceObject(id: 1, type: evil, label: evil)
        definitions.intentions[1] = [TraceIntention(node: 1, rule: "burst", reason: evil)]
        var script = EventScript()
        script.stimulus(evil)
        script.emit(3, .string(evil))
        script.deliver(4)
        let tallies = RedundancyRule.allCases.flatMap { rule in
            [1, 3, 10].map { id in
                RuleTally.made(rule, node: id, subscription: rule == .glitch ? 0 : id + 3, example: 3, via: 5)
            }
        }
        var report = RedundancyReport(
            RedundancyFigures(
                refreshes: 1,
                unjudged: [UnjudgedTally(rule: .repeatedValue, node: 1, reason: .withheld, count: 3)]),
            Findings(tallies, definitions), definitions,
            timeScale: TimeScale(ticksPerSecond: 0, startTicks: .max), evidence: Cart.evidence(script.events))
        report.nodes = nil
        let text =
            report.text() + report.briefLines().joined() + report.json(path: evil, isComplete: false).indentedText
        #expect(text.contains("u{1B}") && text.contains("u001b"))
        let evilScalars = text.unicodeScalars.filter { TerminalText.mustBeEscaped($0) && $0 != "\n" }
        #expect(evilScalars.isEmpty)
    }
}
