import WeirAnalysis
import WeirTrace

/// The output of `weir redundant`: the redundant share, and each finding with its cost, an example and a remedy.
package struct RedundancyReport {
    let figures: RedundancyFigures
    /// The findings, worst first.
    package let findings: Findings
    let definitions: TraceDefinitions
    let timeScale: TimeScale
    let options: RedundancyOptions
    let evidence: (EventID) -> Evidence?
    /// The nodes whose findings are reported; nil: all nodes.
    package var nodes: Set<UInt32>?
    /// The losses of the trace, which limit what the text says; nil: the trace is complete.
    package var losses: TraceLosses?
    /// The most findings shown; the rest are counted; nil: no limit.
    package var limit: Int?
    /// The estimated effects of the remedies, in the order of the findings; nil: not requested.
    package var whatIf: WhatIf?

    /// A report on the findings of a pass; `evidence` returns how an event came about.
    package init(
        _ pass: RedundancyPass, _ findings: Findings, _ definitions: TraceDefinitions, timeScale: TimeScale,
        options: RedundancyOptions, evidence: @escaping (EventID) -> Evidence?
    ) {
        self.init(
            RedundancyFigures(pass), findings, definitions, timeScale: timeScale, options: options, evidence: evidence)
    }

    init(
        _ figures: RedundancyFigures, _ findings: Findings, _ definitions: TraceDefinitions, timeScale: TimeScale,
        options: RedundancyOptions = RedundancyOptions(), evidence: @escaping (EventID) -> Evidence?
    ) {
        self.figures = figures
        self.findings = findings
        self.definitions = definitions
        self.timeScale = timeScale
        self.options = options
        self.evidence = evidence
    }

    /// A summary that can be quoted, the findings, intended findings, unjudged events, and the definition of a frame.
    package func text(style: Style = .plain) -> String {
        let wording = FindingLines(
            definitions: definitions, timeScale: timeScale, style: style, frame: options.frame, evidence: evidence)
        var lines = summary(style)
        let all = findings.primaries.filter { !$0.isNormal }
        let shown = all.prefix(limit ?? .max)
        let heading = RedundancySentences.heading(all.count, ofSomeNodes: nodes != nil)
        if !shown.isEmpty { lines += ["", style(.strong, heading)] }
        for (place, finding) in shown.enumerated() {
            lines += [""] + wording.lines(finding, number: place + 1) + whatIfLines(of: finding, style)
            lines += wording.others(findings.others(of: finding), of: finding)
        }
        let rest = all.count - shown.count
        if rest > 0 {
            let errors = all.dropFirst(shown.count).count { $0.severity == .error }
            let more = RedundancySentences.more(rest, errors: errors, of: all.count)
            lines += ["", style(errors > 0 ? .warning : .faint, more)]
        }
        let repeating = Set(findings.found.lazy.filter { $0.rule == .repeatedValue }.map(\.node))
        let normal = findings.primaries.filter { $0.isNormal && !repeating.contains($0.node) }
        if !normal.isEmpty { lines += [""] + wording.normal(normal) }
        lines += togetherLines(style)
        if !findings.intended.isEmpty {
            lines += ["", style(.strong, "Meant so, by the program's word:")]
            lines += findings.intended.map { "  " + wording.intended($0) }
        }
        let open = unjudged
        if !open.isEmpty {
            lines += ["", style(.strong, "Could not be judged:")]
            lines += open.prefix(limit ?? .max).flatMap { unjudgedLines($0, style) }
            let rest = open.count - min(open.count, limit ?? .max)
            if rest > 0 { lines.append(style(.faint, "  and \(Figures.count(rest)) more")) }
        }
        let frames = RedundancySentences.frames(
            areMarked: figures.hasFrameMarks, length: Figures.duration(nanoseconds: options.frame))
        return (lines + ["", style(.faint, frames)]).map { $0 + "\n" }.joined()
    }

    /// The summary and the worst findings in short form, for an overview.
    package func briefLines(style: Style = .plain) -> [String] {
        let wording = FindingLines(
            definitions: definitions, timeScale: timeScale, style: style, frame: options.frame, evidence: evidence)
        let all = findings.primaries.filter { !$0.isNormal }
        let shown = all.prefix(limit ?? .max)
        let rest = all.count - shown.count
        return summary(style) + shown.flatMap { wording.brief($0).map { "  " + $0 } }
            + (rest > 0 ? [style(.faint, "  and \(Figures.count(rest)) more")] : [])
    }

    /// The redundant share, in sentences.
    private func summary(_ style: Style) -> [String] {
        let isTimed = figures.handlerTicks > 0
        let refreshes = RedundancySentences.refreshes(
            figures.redundantRefreshes, of: figures.refreshes, wasted: isTimed ? duration(figures.wastedTicks) : nil,
            handlers: isTimed ? duration(figures.handlerTicks) : nil, rules: options.rules, scope: scope)
        var lines = [style(.strong, refreshes)]
        if options.rules.contains(.noopEvaluation),
            let evaluations = RedundancySentences.evaluations(figures.noopEvaluations, of: figures.evaluations)
        {
            lines.append(evaluations)
        }
        if findings.found.allSatisfy(\.isNormal) {
            lines.append(
                RedundancySentences.nothing(
                    rules: options.rules, ofSomeNodes: nodes != nil, hasIntended: !findings.intended.isEmpty,
                    scope: scope))
        }
        return lines
    }

    private var scope: String { losses.map(Losses.scope) ?? "" }

    func duration(_ ticks: UInt64) -> String {
        Figures.duration(nanoseconds: timeScale.nanoseconds(ticks: ticks))
    }
}

extension RedundancyReport {
    /// The events that one rule could not judge, for one reason.
    struct Unjudged {
        let rule: RedundancyRule
        let reason: UnjudgedTally.Reason
        /// The tallies of the nodes, the largest first.
        let tallies: [UnjudgedTally]

        var count: UInt64 { tallies.reduce(0) { $0 &+ $1.count } }
    }

    /// The tallies of unjudged events at the reported nodes, by rule and reason.
    var unjudged: [Unjudged] {
        let tallies = figures.unjudged.filter { nodes?.contains($0.node) ?? true }
        return RedundancyRule.allCases.flatMap { rule in
            UnjudgedTally.Reason.allCases.compactMap { reason in
                let these = tallies.filter { $0.rule == rule && $0.reason == reason }
                if these.isEmpty { return nil }
                let sorted = these.sorted { ($0.count, $1.node) > ($1.count, $0.node) }
                return Unjudged(rule: rule, reason: reason, tallies: sorted)
            }
        }
    }

    func unjudgedLines(_ group: Unjudged, _ style: Style) -> [String] {
        var names: [String] = []
        var counts: [String: Int] = [:]
        for tally in group.tallies {
            let name = definitions.name(ofNode: tally.node)
            if counts.updateValue(counts[name, default: 0] + 1, forKey: name) == nil { names.append(name) }
        }
        let listed = names.prefix(3)
        let rest = group.tallies.count - listed.reduce(0) { $0 + counts[$1, default: 0] }
        let phrases = listed.map { name in
            let count = counts[name, default: 0]
            return style(.name, TerminalText.cut(TerminalText.escaped(name), to: 60)) + (count > 1 ? " ×\(count)" : "")
        }
        let nodes = phrases.joined(separator: ", ") + (rest > 0 ? " and \(Figures.count(rest)) more" : "")
        return [
            "  \(group.rule.rawValue): \(group.rule.counted.count(group.count)) of \(nodes): \(group.reason.phrase);",
            style(.faint, "    \(group.reason.help)"),
        ]
    }
}

// The estimated effect of the remedies, for a program.
extension RedundancyReport {
    /// The field of the finding at this index; none if the estimate was not requested.
    func whatIfMember(_ place: Int) -> [JSONValue.Member] {
        guard let outcome = whatIf?.outcomes.dropFirst(place).first else { return [] }
        return [.init(name: "whatIf", value: json(outcome, sentence: sentence(place, outcome)))]
    }

    /// The field of the whole report; none if the estimate was not requested.
    func whatIfMember() -> [JSONValue.Member] {
        guard let whatIf else { return [] }
        let recorded = whatIf.recorded
        let sentence =
            whatIf.together.isComputable
            ? words(whatIf.together, findings.found).sentence : WhatIfWords.none(findings.found.count)
        let complete = zip(findings.found, whatIf.outcomes).filter(\.1.isComplete).map(\.0)
        let sure = whatIf.sure.map { json($0, sentence: words($0, complete).sentence) }
        return [
            .init(
                name: "whatIf",
                value: [
                    "recorded": .object(figures(recorded)), "together": json(whatIf.together, sentence: sentence),
                    "sure": sure ?? .null,
                ])
        ]
    }

    private func json(_ outcome: WhatIf.Outcome, sentence: String) -> JSONValue {
        .object(
            figures(outcome) + [
                .init(name: "computable", value: .bool(outcome.isComputable)),
                .init(name: "complete", value: .bool(outcome.isComplete)),
                .init(name: "addedEvaluations", value: .unsigned(outcome.addedEvaluations)),
                .init(name: "uncomputed", value: .array(outcome.uncomputed.map(json))),
                .init(name: "sentence", value: .string(sentence)),
            ])
    }

    private func figures(_ outcome: WhatIf.Outcome) -> [JSONValue.Member] {
        [
            .init(name: "refreshes", value: .unsigned(outcome.refreshes)),
            .init(
                name: "handlerNanoseconds", value: .unsigned(timeScale.nanoseconds(ticks: outcome.handlerTicks))),
            .init(name: "evaluations", value: .unsigned(outcome.evaluations)),
            .init(name: "sourceRuns", value: .unsigned(outcome.sourceRuns)),
        ]
    }

    private func json(_ uncomputed: WhatIf.Uncomputed) -> JSONValue {
        let isNamed = uncomputed.node != 0
        return [
            "reason": .string(uncomputed.reason.rawValue), "turns": .unsigned(uncomputed.turns),
            "example": .string(uncomputed.example.description),
            "node": isNamed ? .unsigned(UInt64(uncomputed.node)) : .null,
            "name": isNamed ? .string(definitions.name(ofNode: uncomputed.node)) : .null,
            "sentence": .string(uncomputed.reason.phrase),
        ]
    }
}
