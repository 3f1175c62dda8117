import WeirAnalysis
import WeirTrace

/// The result of `weir check`: what many traces have, judged by a policy and a baseline.
package struct CheckReport {
    /// How a check ends.
    package enum Outcome: String, Sendable {
        /// Nothing fails it.
        case passed
        /// There are new findings of a failing level.
        case failed
        /// A trace could not be read, and there is no such finding.
        case unreadable
        /// A trace is incomplete, or a heap walk was aborted, and there is neither of both.
        case incomplete
    }

    /// A fault of a trace.
    struct Fault {
        let trace: Int
        let fault: TraceFault
        let level: Policy.Level
        let sentences: [String]
    }

    let verdict: CheckVerdict<FindingStory>
    /// The paths of the traces, as they were given or found.
    let traces: [String]
    let bytes: UInt64
    let judged: Int
    let omitted: UInt64
    let faults: [Fault]
    let hasBaseline: Bool
    let sources: SourceTree

    /// A report on a verdict about the findings of `table`.
    package init(
        _ verdict: CheckVerdict<FindingStory>, _ table: CheckTable<FindingStory>, traces: [String], bytes: UInt64,
        hasBaseline: Bool, sources: SourceTree
    ) {
        self.verdict = verdict
        self.traces = traces
        self.bytes = bytes
        self.hasBaseline = hasBaseline
        self.sources = sources
        judged = table.judged
        omitted = table.omitted
        faults = table.faults.sorted { $0.key < $1.key }.flatMap { trace, faults in
            TraceFault.allCases.compactMap { fault in
                let level = verdict.policy.level(of: fault)
                guard let sentences = faults[fault], level != .off else { return nil }
                return Fault(trace: trace, fault: fault, level: level, sentences: sentences)
            }
        }
    }

    /// How the check ends.
    package var outcome: Outcome {
        if !verdict.failures.isEmpty || omitted > 0 { return .failed }
        let failing = faults.filter { $0.level >= verdict.policy.failOn }
        if failing.contains(where: { $0.fault == .unreadable }) { return .unreadable }
        return failing.isEmpty ? .passed : .incomplete
    }

    /// The place at which a finding is shown; nil: no line of it is known.
    func place(of item: CheckVerdict<FindingStory>.Item) -> SitePlace? { sources.place(of: item.entry) }

    /// The findings with a status.
    func items(_ isWanted: (CheckVerdict<FindingStory>.Status) -> Bool) -> [CheckVerdict<FindingStory>.Item] {
        verdict.items.filter { isWanted($0.status) }
    }

    /// The traces that have a finding: "login.weir", "login.weir and 2 more traces".
    func traces(of item: CheckVerdict<FindingStory>.Item) -> String {
        guard item.entry.finding.rule != CheckRule(.budget(.redundantPercent)),
            traces.indices.contains(item.entry.trace)
        else { return "all traces" }
        let others = item.entry.traces - 1
        let first = TerminalText.escaped(traces[item.entry.trace])
        return others > 0 ? "\(first) and \(Figures.count(others, "more trace"))" : first
    }

    /// Text of a story, with paths in the repository instead of `#fileID`s.
    func located(_ text: String, of item: CheckVerdict<FindingStory>.Item) -> String {
        sources.located(text, of: item.entry)
    }
}

extension Policy {
    /// The level of a fault of a trace.
    fileprivate func level(of fault: TraceFault) -> Level {
        rules[fault.rawValue] ?? (fault == .unreadable ? .error : .warning)
    }
}

extension CheckReport {
    /// The most findings with a drawing; GitHub refuses comments of more than 65,536 characters.
    private static let mostDrawings = 20

    /// A summary for a pull request: a table of the new findings, and a drawing of each.
    package var markdown: String {
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

extension CheckReport {
    /// The new findings with their examples, what else was noticed, and one summary; `limit` findings at most.
    package func text(limit: Int = 50, style: Style = .plain) -> String {
        var lines: [String] = []
        let new = items { $0 == .new }
        for (place, item) in new.prefix(limit).enumerated() { lines += finding(item, number: place + 1, style) + [""] }
        let rest = new.count - min(new.count, limit)
        if rest > 0 {
            lines += [style(.warning, "and \(Figures.count(rest)) more (--top \(new.count) shows all)"), ""]
        }
        let others = items { if case .waived = $0 { true } else if case .intended = $0 { true } else { false } }
        lines += section(
            "Accepted:",
            others.map { item in
                let place = place(of: item).map { " (\($0.text))" } ?? ""
                return
                    "\(item.entry.finding.rule.name): \(item.entry.story.headline)\(place); \(reason(of: item) ?? "")"
            }, limit, style)
        lines += section("Traces with faults:", faults.map(line), limit, style)
        lines += section("Lines without one path:", ambiguousFiles.map(CheckSentences.ambiguous), limit, style)
        lines += section("To tidy up:", notices, limit, style)
        lines.append(style(.strong, CheckSentences.summary(self)))
        lines.append(style(outcome == .passed ? .strong : .warning, CheckSentences.outcome(self)))
        return lines.map { $0 + "\n" }.joined()
    }

    /// Waivers without use, cured findings, and findings that were not kept.
    var notices: [String] {
        let waivers = verdict.policy.waivers
        let cured = verdict.cured.reduce(0) { $0 + $1.count }
        return (omitted > 0 ? [CheckSentences.omitted(omitted)] : [])
            + verdict.expiredWaivers.map { CheckSentences.waiver(waivers[$0], at: $0, hasExpired: true) }
            + verdict.unusedWaivers.map { CheckSentences.waiver(waivers[$0], at: $0, hasExpired: false) }
            + (cured > 0 ? [CheckSentences.cured(cured, isCertain: !verdict.isPartial)] : [])
    }

    private func finding(_ item: CheckVerdict<FindingStory>.Item, number: Int, _ style: Style) -> [String] {
        let indent = String(repeating: " ", count: 5)
        let mark = String(repeating: " ", count: max(0, 3 - String(number).count)) + "\(number)  "
        let (finding, story) = (item.entry.finding, item.entry.story)
        let place = place(of: item).map { "at \($0.text) · " } ?? ""
        let heading =
            style(.strong, finding.rule.name) + " · "
            + style(item.level == .note ? .faint : .warning, item.level.rawValue)
            + style(.faint, " · \(place)in \(traces(of: item)) · fingerprint \(finding.key.identity)")
        return [mark + style(.strong, story.headline), indent + heading]
            + (item.alike > 0 ? [indent + CheckSentences.alike(item.alike)] : [])
            + story.lines.map { indent + located($0, of: item) }
            + (story.remedy.map { [indent + style(.strong, "Remedy:") + " \(located($0, of: item))."] } ?? [])
    }

    /// "login.weir: unreadable-trace (error): …".
    func line(_ fault: Fault) -> String {
        let path = TerminalText.escaped(traces.indices.contains(fault.trace) ? traces[fault.trace] : "")
        // Sentences about files begin with the path, too.
        let sentences = fault.sentences.map { $0.hasPrefix(path + ": ") ? String($0.dropFirst(path.count + 2)) : $0 }
        return "\(path): \(fault.fault.rawValue) (\(fault.level.rawValue)): " + sentences.joined(separator: " ")
    }

    private func section(_ title: String, _ lines: [String], _ limit: Int, _ style: Style) -> [String] {
        if lines.isEmpty { return [] }
        let rest = lines.count - min(lines.count, limit)
        return [style(.strong, title)] + lines.prefix(limit).map { "  " + $0 }
            + (rest > 0 ? ["  and \(Figures.count(rest)) more"] : []) + [""]
    }
}
