import WeirAnalysis

extension CheckReport {
    /// The new findings with their examples, what else was noticed, and one summary; `limit` findings at most.
    public func text(limit: Int = 50, style: Style = .plain) -> String {
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
