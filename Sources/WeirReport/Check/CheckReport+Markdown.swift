import WeirAnalysis

extension CheckReport {
    /// The most findings with a drawing; GitHub refuses comments of more than 65,536 characters.
    private static let mostDrawings = 20

    /// A summary for a pull request: a table of the new findings, and a drawing of each.
    public var markdown: String {
        var lines = [
            "### weir check: \(outcome == .passed ? "passed" : "failed")", "",
            Markup.markdown(CheckSentences.summary(self)),
        ]
        let new = verdict.failures
        let shown = new.prefix(Self.mostDrawings)
        if !shown.isEmpty {
            lines += ["", "| level | rule | finding | line |", "| --- | --- | --- | --- |"]
            lines += shown.map { item in
                let place = place(of: item).map { Markup.code($0.text) } ?? ""
                return "| \(item.level.rawValue) | \(item.entry.finding.rule.name) | "
                    + "\(Markup.markdown(item.entry.story.headline)) | \(place.replacingPipes) |"
            }
            for item in shown { lines += details(item) }
        }
        if new.count > shown.count { lines += ["", "and \(Figures.count(new.count - shown.count)) more."] }
        let rest = faults.map(line) + notices + ambiguousFiles.map(CheckSentences.ambiguous)
        if !rest.isEmpty { lines += [""] + rest.prefix(50).map { "- " + Markup.markdown($0) } }
        if rest.count > 50 { lines.append("- and \(Figures.count(rest.count - 50)) more") }
        return lines.map { $0 + "\n" }.joined()
    }

    private func details(_ item: CheckVerdict<FindingStory>.Item) -> [String] {
        let story = item.entry.story
        var lines = ["", "<details><summary>\(Markup.markdown(story.headline))</summary>", ""]
        if !story.lines.isEmpty { lines += Markup.block(story.lines.map { located($0, of: item) }) + [""] }
        if let remedy = story.remedy { lines += ["Remedy: \(Markup.markdown(located(remedy, of: item))).", ""] }
        lines.append(
            "In \(Markup.markdown(traces(of: item))); fingerprint \(Markup.code(item.entry.finding.key.identity)).")
        return lines + ["</details>"]
    }
}

extension String {
    /// A pipe ends a cell of a table, even within code.
    fileprivate var replacingPipes: String {
        split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
