import WeirAnalysis
import WeirReport
import WeirTrace

/// The page that `weir demo` prints.
struct DemoPage {
    let style: Style

    func text(published: DemoRecording, cured: DemoRecording) -> String {
        var lines = [
            style(.strong, "One login screen, two view models, the same seven actions."),
            "",
            "The first model is as its author published it: the two validities depend on each other, and both",
            "write the instruction on the side. The second computes each from the fields alone, and takes what",
            "fills in both as one change. Weir recorded both while they ran. Below: each action with all that",
            "it caused, read back from the traces. 'a → b': b is all that came of a. 'stops': nothing further",
            "came of this. Passwords are private.",
            "",
        ]
        lines += chapter("As published", published) + chapter("Cured", cured)
        lines += [style(.strong, "What flowed"), ""]
        lines += Comparison(published.summary, cured.summary, words: ("published", "cured")).lines(
            style: style)
        lines += [""] + verdict(published.summary, cured.summary)
        lines += ["", style(.strong, "What was not needed"), ""]
        for (title, recording) in [("As published: ", published), ("Cured: ", cured)] {
            let findings = recording.redundancy.briefLines(style: style)
            lines += zip([title] + findings.map { _ in "" }, findings).map { "  " + $0 + $1 }
        }
        lines += ["", style(.strong, "What did not go away"), ""]
        for (title, recording) in [("As published: ", published), ("Cured: ", cured)] {
            let findings = recording.leaks.briefLines(style: style)
            lines += zip([title] + findings.map { _ in "" }, findings).map { "  " + $0 + $1 }
        }
        lines += [
            "",
            "The traces:",
            "  " + TerminalText.escaped(published.path),
            "  " + TerminalText.escaped(cured.path),
            "Look at both in a browser, side by side:",
            "  weir view \(TerminalText.escaped(published.path)) \(TerminalText.escaped(cured.path)) --open",
            "Look closer:",
            "  weir redundant \(TerminalText.escaped(published.path))",
            "  weir leaks \(TerminalText.escaped(published.path))",
            "  weir info \(TerminalText.escaped(published.path))",
            "  weir events --node instruction \(TerminalText.escaped(published.path))",
            "",
            style(.strong, summary(published, cured)),
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private func chapter(_ title: String, _ recording: DemoRecording) -> [String] {
        let chain = CascadeTree(
            recording.definitions, timeScale: TimeScale(recording.summary.header), style: style,
            hasShortNames: true)
        var lines = [style(.strong, title), ""]
        for cascade in recording.cascades { lines += chain.lines(cascade, limit: 40).map { "  " + $0 } }
        return lines + [""]
    }

    /// The last line: what the cure removes.
    private func summary(_ published: DemoRecording, _ cured: DemoRecording) -> String {
        let leaks = published.leaks.findings.found.count - cured.leaks.findings.found.count
        func count(_ rule: RedundancyRule) -> Int {
            func of(_ recording: DemoRecording) -> Int {
                recording.redundancy.findings.found.count { $0.rule == rule && !$0.isNormal }
            }
            return of(published) - of(cured)
        }
        let removed = [
            (leaks, "leak", "leaks"), (count(.feedback), "feedback loop", "feedback loops"),
            (count(.burst), "burst of refreshes", "bursts of refreshes"),
        ].filter { $0.0 > 0 }.map { Figures.count($0.0, $0.1, $0.2) }
        return "Weir found \(Wording.list(removed, "and")) in the published screen, and none in the cured one."
    }

    private func verdict(_ published: TraceSummary, _ cured: TraceSummary) -> [String] {
        [
            "The same screen, the same actions: \(cured.refreshes) refreshes instead of \(published.refreshes), "
                + "\(equal(cured)) values computed unnecessarily instead of \(equal(published))."
        ]
    }

    /// The number of evaluations with an unchanged value.
    private func equal(_ summary: TraceSummary) -> UInt64 {
        summary.nodes.reduce(0) { $0 + ($1.suppressions[SuppressionReason.equal.rawValue] ?? 0) }
    }
}
