import WeirAnalysis
import WeirTrace

/// The output of `weir diff`: what a second run has more, less, or otherwise.
public struct DiffReport {
    /// A heading and its lines.
    struct Section {
        let title: String
        var lines: [String]
    }

    let diff: RunDiff<FindingStory>
    let before: RunFigures, after: RunFigures
    /// The names of the two runs, such as their paths.
    let names: (before: String, after: String)

    /// A report on the comparison of two runs.
    public init(
        _ diff: RunDiff<FindingStory>, _ before: RunFigures, _ after: RunFigures, names: (before: String, after: String)
    ) {
        self.diff = diff
        self.before = before
        self.after = after
        self.names = names
    }

    /// The differences, in sections of at most `limit` lines.
    public func text(limit: Int = 50, style: Style = .plain) -> String {
        var lines = [style(.strong, heading), ""]
        for section in sections(style) {
            lines += [style(.strong, section.title)] + section.lines.prefix(limit).map { "  " + $0 }
            let rest = section.lines.count - min(section.lines.count, limit)
            if rest > 0 {
                lines.append(style(.faint, "  and \(Figures.count(rest)) more (--top \(section.lines.count))"))
            }
            lines.append("")
        }
        lines.append(summary)
        return lines.map { $0 + "\n" }.joined()
    }

    /// The differences for a pull request.
    public var markdown: String {
        var lines = ["### weir diff", "", Markup.markdown(heading), "", Markup.markdown(summary)]
        for section in sections(.plain) {
            lines += ["", "**\(Markup.markdown(section.title))**", ""]
            lines += section.lines.prefix(50).map { "- " + Markup.markdown($0) }
            let rest = section.lines.count - min(section.lines.count, 50)
            if rest > 0 { lines.append("- and \(Figures.count(rest)) more") }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private var heading: String {
        func run(_ name: String, _ figures: RunFigures) -> String {
            TerminalText.escaped(name) + (figures.traces == 1 ? "" : " (\(Figures.count(figures.traces, "trace")))")
        }
        return "\(run(names.before, before)) → \(run(names.after, after))"
    }

    /// One sentence.
    private var summary: String {
        if diff.isEmpty { return "No difference in nodes, edges, refreshes, end states and findings." }
        return "\(Figures.count(diff.new.count, "new finding")), \(Figures.count(diff.cured.count)) cured; "
            + "\(change(diff.allRefreshes)) refreshes, \(change(diff.redundantRefreshes)) of them redundant "
            + "(\(share(diff.redundantRefreshes.before, diff.allRefreshes.before)) → "
            + "\(share(diff.redundantRefreshes.after, diff.allRefreshes.after)))."
    }

    private func share(_ part: UInt64, _ all: UInt64) -> String { Figures.percent(part, of: all) }

    private func sections(_ style: Style) -> [Section] {
        let phrases = EventPhrases(TraceDefinitions(), style: style)
        let all = [
            Section(title: "New findings", lines: diff.new.map(line)),
            Section(title: "Cured findings", lines: diff.cured.map(line)),
            Section(
                title: "Refreshes by node",
                lines: diff.refreshes.map { "\(cut($0.subject))  \(change($0))\(factor($0.before, $0.after))" }),
            Section(
                title: "Refreshes by node and stimulus",
                lines: diff.effects.map {
                    let stimulus = $0.subject.stimulus.isEmpty ? "other stimuli" : "“\(cut($0.subject.stimulus))”"
                    return "\(cut($0.subject.node))  \(stimulus)  \(change($0))\(factor($0.before, $0.after))"
                }),
            Section(
                title: "End states",
                lines: diff.values.map { node, before, after in
                    "\(cut(node))  \(phrases.value(before)) → \(phrases.value(after, unlike: before))"
                }),
            Section(title: "Nodes that are gone", lines: diff.nodesGone.map(cut)),
            Section(title: "Nodes that came", lines: diff.nodesCame.map(cut)),
            Section(title: "Edges that are gone", lines: diff.edgesGone.map(line)),
            Section(title: "Edges that came", lines: diff.edgesCame.map(line)),
        ]
        return all.filter { !$0.lines.isEmpty }
    }

    private func line(_ entry: CheckTable<FindingStory>.Entry) -> String {
        let site = entry.finding.sites.first.map { " at \(TerminalText.escaped($0.description))" } ?? ""
        return "\(entry.finding.rule.name) · \(entry.finding.severity.word) · \(entry.story.headline)\(site)"
    }

    private func line(_ edge: RunFigures.Edge) -> String { "\(cut(edge.source)) → \(cut(edge.target))" }

    private func change<Subject>(_ change: RunDiff<FindingStory>.Change<Subject>) -> String {
        change.before == change.after
            ? Figures.count(change.before) : "\(Figures.count(change.before)) → \(Figures.count(change.after))"
    }

    /// " (× 3)", " (÷ 2)"; empty if one of both is 0.
    private func factor(_ before: UInt64, _ after: UInt64) -> String {
        guard before > 0, after > 0 else { return "" }
        let tenths = 10 * Double(max(before, after)) / Double(min(before, after))
        let rounded = UInt64(exactly: tenths.rounded()) ?? 0
        let number = Figures.count(rounded / 10) + (rounded % 10 == 0 ? "" : ".\(rounded % 10)")
        return " (\(after > before ? "×" : "÷") \(number))"
    }

    private func cut(_ text: String) -> String { TerminalText.cut(TerminalText.escaped(text), to: 80) }
}
