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
        if let place = pass.judged, pass.checkpoints.all.indices.contains(place) { return moment(of: place) }
        return pass.isAtEnd ? "at the end of the recording" : "when the trace breaks off"
    }

    private func walked(_ style: Style) -> [String] {
        guard let judged else {
            let sentence =
                pass.snapshot == nil
                ? LeakSentences.noSnapshot(when: moment)
                : LeakSentences.lostSnapshot(earlier: earlierWhole, when: moment)
            return [style(.warning, sentence)] + notAnalysed(style)
        }
        var lines = [style(.faint, LeakSentences.walked(judged, when: snapshotMoment))]
        if judged.omittedObjects > 0 || judged.omittedCycles > 0 {
            lines.append(style(.warning, LeakSentences.omitted(judged)))
        }
        if pass.unwatchedCheckpoints > 0 {
            lines.append(style(.warning, LeakSentences.unwatched(pass.unwatchedCheckpoints)))
        }
        return lines + notAnalysed(style)
    }

    /// The limitations of the judged snapshot, and the walks before it that were aborted.
    private func notAnalysed(_ style: Style) -> [String] {
        let limitations = judged?.limitations.map { LeakLimitationWords.sentence(for: $0) } ?? []
        return [limitations, earlierAbortedWalks].filter { !$0.isEmpty }.enumerated().flatMap { place, sentences in
            let shown = sentences.prefix(limit ?? .max)
            let rest = sentences.count - shown.count
            return (place == 0 ? ["", style(.strong, "Not analysed:")] : []) + shown.map { "  " + $0 }
                + (rest > 0 ? [style(.faint, "  and \(Figures.count(rest)) more")] : [])
        }
    }

    /// The sentences that heap walks up to the judged moment were aborted: the first few with their moments, then how many more.
    package var abortedWalks: [String] {
        let shown = pass.abortedWalks.prefix(3).map(sentence)
        let rest = pass.abortedWalks.count - shown.count
        guard rest > 0 else { return shown }
        return shown + ["\(Figures.count(rest, "more heap walk was", "more heap walks were")) aborted."]
    }

    /// Those of the earlier checkpoints; the limitations of the judged snapshot contain its own.
    package var earlierAbortedWalks: [String] {
        pass.abortedWalks.filter { $0.snapshot != pass.snapshot }.map(sentence)
    }

    func sentence(_ walk: AbortedWalk) -> String {
        LeakLimitationWords.sentence(for: walk.limitation, when: moment(of: walk.checkpoint))
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
        moment(of: pass.checkpoints.all.lastIndex { $0.snapshot == pass.snapshot })
    }

    /// The moment of the checkpoint at an index; nil: the end of the recording.
    private func moment(of checkpoint: Int?) -> String {
        checkpoint.map { "at checkpoint “\(LeakSteps.escapedAndCut(pass.checkpoints.all[$0].name, 100))”" }
            ?? "at the end of the recording"
    }
}
