import WeirAnalysis
import WeirTrace

/// What `weir redundant` prints: how much was redundant, and each finding with its cost, an example and a remedy.
public struct RedundancyReport {
    let figures: RedundancyFigures
    let findings: Findings
    let definitions: TraceDefinitions
    let timeScale: TimeScale
    let options: RedundancyOptions
    let evidence: (EventID) -> Evidence?
    /// Only what was found at these nodes is told; nil: at all.
    public var nodes: Set<UInt32>?
    /// So many findings are told, and the rest counted; nil: all.
    public var limit: Int?
    /// What the remedies of the findings would leave, in their order; nil: it was not asked.
    public var whatIf: WhatIf?

    /// A report on the findings of a pass; `evidence` tells how an event came about.
    public init(
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

    /// A summary that can be quoted, the findings, what is meant so, what could not be judged, and what a frame was.
    public func text(style: Style = .plain) -> String {
        let tell = FindingLines(
            definitions: definitions, timeScale: timeScale, style: style, frame: options.frame, evidence: evidence)
        var lines = summary(style)
        let shown = findings.found.prefix(limit ?? .max)
        let heading = RedundancySentences.heading(findings.found.count, ofSomeNodes: nodes != nil)
        if !shown.isEmpty { lines += ["", style(.strong, heading)] }
        for (place, finding) in shown.enumerated() {
            lines += [""] + tell.lines(finding, number: place + 1) + whatIfLines(place, style)
        }
        let rest = findings.found.count - shown.count
        if rest > 0 {
            let errors = findings.found.dropFirst(shown.count).count { $0.severity == .error }
            let more = RedundancySentences.more(rest, errors: errors, of: findings.found.count)
            lines += ["", style(errors > 0 ? .warning : .faint, more)]
        }
        lines += togetherLines(style)
        if !findings.intended.isEmpty {
            lines += ["", style(.strong, "Meant so, by the program's word:")]
            lines += findings.intended.map { "  " + tell.intended($0) }
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

    /// The summary and the worst findings in short, for where they stand among other things.
    public func briefLines(style: Style = .plain) -> [String] {
        let tell = FindingLines(
            definitions: definitions, timeScale: timeScale, style: style, frame: options.frame, evidence: evidence)
        let shown = findings.found.prefix(limit ?? .max)
        let rest = findings.found.count - shown.count
        return summary(style) + shown.flatMap { tell.brief($0).map { "  " + $0 } }
            + (rest > 0 ? [style(.faint, "  and \(Figures.count(rest)) more")] : [])
    }

    /// How much was redundant, in sentences.
    private func summary(_ style: Style) -> [String] {
        let isTimed = figures.handlerTicks > 0
        let refreshes = RedundancySentences.refreshes(
            figures.redundantRefreshes, of: figures.refreshes, wasted: isTimed ? duration(figures.wastedTicks) : nil,
            handlers: isTimed ? duration(figures.handlerTicks) : nil, rules: options.rules)
        var lines = [style(.strong, refreshes)]
        if options.rules.contains(.noopEvaluation),
            let evaluations = RedundancySentences.evaluations(figures.noopEvaluations, of: figures.evaluations)
        {
            lines.append(evaluations)
        }
        if findings.found.isEmpty {
            lines.append(
                RedundancySentences.nothing(
                    rules: options.rules, ofSomeNodes: nodes != nil, hasIntended: !findings.intended.isEmpty))
        }
        return lines
    }

    func duration(_ ticks: UInt64) -> String {
        Figures.duration(nanoseconds: timeScale.nanoseconds(ticks: ticks))
    }
}
