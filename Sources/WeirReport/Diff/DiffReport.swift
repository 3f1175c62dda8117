import WeirAnalysis
import WeirTrace

/// The output of `weir diff`: what a second run has more, less, or otherwise.
package struct DiffReport {
    /// A heading and its lines.
    struct Section {
        let title: String
        var lines: [String]
    }

    let diff: RunDiff<FindingStory>
    let before: RunFigures, after: RunFigures
    /// The names of the two runs, such as their paths.
    let names: (before: String, after: String)
    let sources: SourceTree

    /// A report on the comparison of two runs; `sources` has the files of the second one.
    package init(
        _ diff: RunDiff<FindingStory>, _ before: RunFigures, _ after: RunFigures,
        names: (before: String, after: String), sources: SourceTree
    ) {
        self.diff = diff
        self.before = before
        self.after = after
        self.names = names
        self.sources = sources
    }

    /// Whether a trace is incomplete, which limits what the summary says.
    package var isPartial = false

    /// The differences, in sections of at most `limit` lines.
    package func text(limit: Int = 50, style: Style = .plain) -> String {
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
    package var markdown: String {
        var lines = ["### weir diff", "", Markup.markdown(heading), "", Markup.markdown(summary)]
        for section in sections(.plain) {
            lines += ["", "**\(Markup.markdown(section.title))**", ""]
            lines += section.lines.prefix(50).map { "- " + Markup.markdown($0) }
            let rest = section.lines.count - min(section.lines.count, 50)
            if rest > 0 { lines.append("- and \(Figures.count(rest)) more") }
        }
        return (lines + drawing).map { $0 + "\n" }.joined()
    }

    /// The most edges in the drawing: more are a list, not a picture.
    private static let mostDrawnEdges = 60

    /// The nodes and edges that are gone or came, in Mermaid; empty if there are none, or too many.
    private var drawing: [String] {
        let edges = diff.edgesGone.map { ($0, isNew: false) } + diff.edgesCame.map { ($0, isNew: true) }
        let lone = Set(diff.nodesGone + diff.nodesCame).subtracting(edges.flatMap { [$0.0.source, $0.0.target] })
        guard !edges.isEmpty || !lone.isEmpty, edges.count + lone.count <= Self.mostDrawnEdges else { return [] }
        let names = lone.union(edges.flatMap { [$0.0.source, $0.0.target] }).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        let (gone, came) = (Set(diff.nodesGone), Set(diff.nodesCame))
        var lines = ["", "```mermaid", "flowchart LR", "%% dashed: gone; thick: new"]
        lines += names.enumerated().map { number, name in
            let kind = gone.contains(name) ? ":::gone" : came.contains(name) ? ":::new" : ""
            return "    n\(number)[\"\(GraphMermaid.escaped(name))\"]\(kind)"
        }
        lines += edges.map { edge, isNew in
            "    n\(numbers[edge.source] ?? 0) \(isNew ? "==>|new|" : "-.->|gone|") n\(numbers[edge.target] ?? 0)"
        }
        return lines + [
            "    classDef gone stroke:#b3261e,stroke-dasharray:4", "    classDef new stroke:#1b7f3b,stroke-width:3px",
            "```",
        ]
    }

    private var heading: String {
        func run(_ name: String, _ figures: RunFigures) -> String {
            TerminalText.escaped(name) + (figures.traces == 1 ? "" : " (\(Figures.count(figures.traces, "trace")))")
        }
        return "\(run(names.before, before)) → \(run(names.after, after))"
    }

    /// One sentence.
    var summary: String {
        let times = before.areRepeated ? ", handler times" : ""
        let compared = "nodes, edges, refreshes, end states\(times) and findings."
        if diff.isEmpty {
            return isPartial
                ? "No difference was found in the parts of the traces that could be read: \(compared)"
                : "No difference in \(compared)"
        }
        let (all, redundant) = (diff.allRefreshes, diff.redundantRefreshes)
        return "\(Figures.count(diff.new.count, "new finding")), \(Figures.count(diff.cured.count)) cured; "
            + "\(change(all)) refreshes, \(change(redundant)) of them redundant "
            + "(\(Figures.percent(redundant.before.middle, of: all.before.middle)) → "
            + "\(Figures.percent(redundant.after.middle, of: all.after.middle)))."
    }

    private func sections(_ style: Style) -> [Section] {
        let phrases = EventPhrases(TraceDefinitions(), style: style)
        let all = [
            Section(title: "New findings", lines: diff.new.map(line)),
            Section(title: "Cured findings", lines: diff.cured.map(line)),
            Section(
                title: "Refreshes by node",
                lines: diff.refreshes.map { node in
                    let redundant = node.redundant
                    let isShown = redundant.before.most > 0 || redundant.after.most > 0
                    return "\(cut(node.refreshes.subject))  \(change(node.refreshes))\(factor(node.refreshes))"
                        + (isShown ? "; redundant \(change(redundant))" : "")
                }),
            Section(
                title: "Refreshes by node and stimulus",
                lines: diff.effects.map {
                    let stimulus = $0.subject.stimulus.isEmpty ? "other stimuli" : "“\(cut($0.subject.stimulus))”"
                    return "\(cut($0.subject.node))  \(stimulus)  \(change($0))\(factor($0))"
                }),
            Section(
                title: "Handler time by node, where it differs by more than repeated runs do",
                lines: diff.times.map {
                    "\(cut($0.subject))  \(change($0) { Figures.duration(nanoseconds: $0) })\(factor($0))"
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
            Section(title: "Lines without one path", lines: ambiguousFiles.map(CheckSentences.ambiguous)),
        ]
        return all.filter { !$0.lines.isEmpty }
    }

    private func line(_ entry: CheckTable<FindingStory>.Entry) -> String {
        let site = sources.place(of: entry).map { " at \($0.text)" } ?? ""
        return "\(entry.finding.rule.name) · \(entry.finding.severity.word) · \(entry.story.headline)\(site)"
    }

    /// The files of shown findings that several paths may have, sorted.
    var ambiguousFiles: [(file: String, paths: [String])] { sources.ambiguousFiles(of: diff.new + diff.cured) }

    private func line(_ edge: TraceFigures.Edge) -> String { "\(cut(edge.source)) → \(cut(edge.target))" }

    /// "8 → 7"; for repeated runs, "8–9 → 7".
    private func change<Subject>(
        _ change: RunDiff<FindingStory>.Change<Subject>, _ written: (UInt64) -> String = { Figures.count($0) }
    ) -> String {
        func range(_ spread: RunFigures.Spread) -> String {
            let (least, most) = (written(spread.least), written(spread.most))
            return least == most ? least : "\(least)–\(most)"
        }
        let (before, after) = (range(change.before), range(change.after))
        return before == after ? before : "\(before) → \(after)"
    }

    /// " (× 3)", " (÷ 2)"; empty if one of both is 0, or they round to the same.
    private func factor<Subject>(_ change: RunDiff<FindingStory>.Change<Subject>) -> String {
        guard let factor = change.factor, factor > 0, factor != 1 else { return "" }
        let rounded = UInt64(exactly: (10 * max(factor, 1 / factor)).rounded()) ?? 0
        guard rounded > 10 else { return "" }
        let number = Figures.count(rounded / 10) + (rounded % 10 == 0 ? "" : ".\(rounded % 10)")
        return " (\(factor > 1 ? "×" : "÷") \(number))"
    }

    private func cut(_ text: String) -> String { TerminalText.cut(TerminalText.escaped(text), to: 80) }
}
