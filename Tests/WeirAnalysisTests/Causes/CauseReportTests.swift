import Testing
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

struct CauseReportTests {
    private func report(chains: Int, omitted: Int = 0) -> CauseReport {
        var explanation = Explanation()
        explanation.chains = (1...UInt64(chains)).map { sequence in
            let event = TraceEvent(
                id: EventID(thread: 1, sequence: sequence), kind: .emitted, ticks: sequence, subject: 1,
                value: .signed(Int64(sequence)))
            let step = CauseStep(event: event, way: .root, heldValue: nil, mainCause: nil, inputs: [])
            return Explanation.Chain(steps: [step], joins: nil, missingCause: nil)
        }
        explanation.omitted = omitted
        let scale = TimeScale(ticksPerSecond: 1_000_000_000, startTicks: 0)
        return CauseReport(explanation, EventScript.definitions, timeScale: scale)
    }

    private func ends(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("Also") || $0.hasPrefix("and") || $0.hasPrefix("  and") }
            .map(String.init)
    }

    @Test func `of many chains four are reported, and all on demand`() {
        #expect(
            ends(report(chains: 6).text()) == [
                "Also a cause: Login.username = 2 (1:2)", "Also a cause: Login.username = 3 (1:3)",
                "Also a cause: Login.username = 4 (1:4)",
                "and 2 further chains of causes (weir why --all shows all)",
            ])
        var all = report(chains: 6, omitted: 1)
        all.chainLimit = nil
        #expect(ends(all.text()).count == 6)
        #expect(ends(all.text()).last == "  and 1 further cause, not followed")
        #expect(ends(report(chains: 1).text()) == [])
    }

    @Test func `a chain whose first event has no cause says so, unless a stimulus begins it`() {
        func lastLine(_ kind: EventKind, missing: EventID? = nil) -> String {
            let event = TraceEvent(id: EventID(thread: 1, sequence: 1), kind: kind, ticks: 1, subject: 1, text: "tap")
            let step = CauseStep(event: event, way: .root, heldValue: nil, mainCause: nil, inputs: [])
            var explanation = Explanation()
            explanation.chains = [.init(steps: [step], joins: nil, missingCause: missing)]
            let scale = TimeScale(ticksPerSecond: 1_000_000_000, startTicks: 0)
            let text = CauseReport(explanation, EventScript.definitions, timeScale: scale).text()
            return text.split(separator: "\n").last.map(String.init) ?? ""
        }
        #expect(lastLine(.emitted).hasPrefix("The trace shows no cause of 1:1: it happened outside"))
        #expect(!lastLine(.stimulusBegan).contains("no cause"))
        #expect(!lastLine(.emitted, missing: EventID(thread: 1, sequence: 0)).contains("no cause"))
    }

    @Test func `of two long values that begin alike, what differs is shown`() {
        let phrases = EventPhrases(TraceDefinitions())
        let start = String(repeating: "a line\n", count: 30)
        let (new, old) = (TraceValue.string(start + "new"), TraceValue.string(start + "old"))
        #expect(phrases.value(new, unlike: old).hasPrefix("…") && phrases.value(new, unlike: old).hasSuffix("new\""))
        #expect(phrases.value(old, unlike: new).hasSuffix("old\""))
        #expect(phrases.value(new, unlike: .string("short")) == phrases.value(new))
        #expect(phrases.value(new, unlike: new) == phrases.value(new))
    }
}
