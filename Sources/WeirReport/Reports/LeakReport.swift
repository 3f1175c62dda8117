import WeirAnalysis
import WeirTrace

/// The output of `weir leaks`: the overdue count, each finding with a drawing and a remedy, and the limitations.
package struct LeakReport {
    let pass: LeakPass
    /// The findings, worst first.
    package let findings: LeakFindings
    let definitions: TraceDefinitions
    let rules: Set<LeakRule>
    let snapshot: (UInt32) -> TraceSnapshot?
    let judged: TraceSnapshot?
    /// The losses of the trace, which limit what the text says; nil: the trace is complete.
    package var losses: TraceLosses?
    /// The most findings shown; the rest are counted; nil: no limit.
    package var limit: Int?

    /// A report on the findings of a pass; `snapshot` returns the snapshot with a given number, if it is readable.
    package init(
        _ pass: LeakPass, _ findings: LeakFindings, rules: Set<LeakRule> = Set(LeakRule.allCases),
        snapshot: @escaping (UInt32) -> TraceSnapshot?
    ) {
        self.pass = pass
        self.findings = findings
        self.rules = rules
        self.snapshot = snapshot
        definitions = pass.topology.definitions
        judged = pass.snapshot.flatMap(snapshot)
    }

    /// A summary that can be quoted, the findings, the extent of the heap walk, and its limitations.
    package func text(style: Style = .plain) -> String {
        var lines = [style(.strong, LeakSentences.overdue(findings, alive: pass.aliveCount, when: moment))]
        if findings.found.isEmpty {
            let scope = losses.map(Losses.scope) ?? ""
            lines.append(LeakSentences.nothing(rules: rules, hasSnapshot: judged != nil, scope: scope))
        }
        let shown = findings.found.prefix(limit ?? .max)
        if !shown.isEmpty { lines += ["", style(.strong, LeakSentences.heading(findings.found.count))] }
        for (place, finding) in shown.enumerated() {
            lines += [""] + self.lines(finding, number: place + 1, style)
            if finding.remedy.site != nil, let former = shown.firstIndex(where: { $0.remedy == finding.remedy }),
                former < place
            {
                let sentence = "Finding \(former + 1) has the same remedy: one change cures both."
                lines.append("     " + style(.faint, sentence))
            }
        }
        let rest = findings.found.count - shown.count
        if rest > 0 {
            let errors = findings.found.dropFirst(shown.count).count { $0.severity == .error }
            let more = RedundancySentences.more(rest, errors: errors, of: findings.found.count)
            lines += ["", style(errors > 0 ? .warning : .faint, more)]
        }
        lines.append("")
        lines += walked(style)
        return lines.map { $0 + "\n" }.joined()
    }

    /// The summary, and each finding with its drawing; for an overview.
    package func briefLines(style: Style = .plain) -> [String] {
        [LeakSentences.overdue(findings, alive: pass.aliveCount, when: moment)]
            + findings.found.prefix(limit ?? .max).flatMap { [""] + drawing(of: $0).lines(style: style) }
    }

    private func lines(_ finding: LeakFinding, number: Int, _ style: Style) -> [String] {
        let indent = String(repeating: " ", count: 5)
        let mark = String(repeating: " ", count: max(0, 3 - String(number).count)) + "\(number)  "
        let drawing = drawing(of: finding)
        let role: Style.Role = finding.severity == .note ? .faint : .warning
        let heading =
            style(.strong, finding.rule.rawValue) + " · " + style(role, finding.severity.word)
            + style(.faint, " · fingerprint \(finding.fingerprint)")
        return [mark + drawing.words.headline, indent + heading] + drawing.linesBelowHeadline(style).map { indent + $0 }
    }

    func drawing(of finding: LeakFinding) -> LeakDrawing {
        LeakDrawing(finding, in: snapshot(of: finding) ?? TraceSnapshot(), definitions)
    }

    /// The snapshot that contains a finding's example.
    func snapshot(of finding: LeakFinding) -> TraceSnapshot? {
        finding.snapshot == pass.snapshot ? judged : finding.snapshot.flatMap(snapshot)
    }

    /// The moment that is judged: "at checkpoint “closed”".
    var moment: String {
        if let place = pass.judged, pass.checkpoints.all.indices.contains(place) {
            return "at checkpoint “\(LeakSteps.escapedAndCut(pass.checkpoints.all[place].name, 100))”"
        }
        return pass.isAtEnd ? "at the end of the recording" : "when the trace breaks off"
    }

    private func walked(_ style: Style) -> [String] {
        guard let judged else {
            let sentence =
                pass.snapshot == nil
                ? LeakSentences.noSnapshot(when: moment)
                : LeakSentences.lostSnapshot(earlier: earlierWhole, when: moment)
            return [style(.warning, sentence)]
        }
        var lines = [style(.faint, LeakSentences.walked(judged, when: snapshotMoment))]
        if judged.omittedObjects > 0 || judged.omittedCycles > 0 {
            lines.append(style(.warning, LeakSentences.omitted(judged)))
        }
        if pass.unwatchedCheckpoints > 0 {
            lines.append(style(.warning, LeakSentences.unwatched(pass.unwatchedCheckpoints)))
        }
        if !judged.limitations.isEmpty {
            lines += ["", style(.strong, "Not analysed:")]
            lines += judged.limitations.prefix(limit ?? .max).map { "  " + LeakLimitationWords.sentence(for: $0) }
            let rest = judged.limitations.count - min(judged.limitations.count, limit ?? .max)
            if rest > 0 { lines.append(style(.faint, "  and \(Figures.count(rest)) more")) }
        }
        return lines
    }

    /// The sentence that the heap walk of the judged moment was aborted; nil: it reached its end, or there is no snapshot.
    package var abortedWalk: String? {
        let limitation = judged?.limitations.first { $0.reason.isAborted }
        return limitation.map { LeakLimitationWords.sentence(for: $0) }
    }

    /// The `--at` argument for the last checkpoint before the judged moment whose snapshot is readable.
    private var earlierWhole: String? {
        let place = pass.checkpoints.all.indices.prefix(pass.judged ?? .max).last { place in
            pass.checkpoints.all[place].snapshot.flatMap(snapshot) != nil
        }
        return place.map(pass.checkpoints.name(at:))
    }

    /// The moment at which the judged snapshot was taken.
    private var snapshotMoment: String {
        guard let place = pass.checkpoints.all.lastIndex(where: { $0.snapshot == pass.snapshot }) else {
            return "at the end of the recording"
        }
        return "at checkpoint “\(LeakSteps.escapedAndCut(pass.checkpoints.all[place].name, 100))”"
    }
}
