import WeirAnalysis
import WeirTrace

extension RedundancyReport {
    /// The report for a program; 'What the command prints as JSON' lists the fields.
    package func json(path: String, isComplete: Bool) -> JSONValue {
        let shown = findings.found.prefix(limit ?? .max)
        // Created once, because they examine all names of the trace.
        let events = EventLines(definitions, timeScale: timeScale)
        let wording = FindingLines(
            definitions: definitions, timeScale: timeScale, style: .plain, frame: options.frame, evidence: evidence)
        let report: JSONValue = [
            "path": .string(path), "complete": .bool(isComplete),
            "rules": .array(RedundancyRule.allCases.filter(options.rules.contains).map { .string($0.rawValue) }),
            "framesMarked": .bool(figures.hasFrameMarks), "frameNanoseconds": .unsigned(options.frame),
            "refreshes": .unsigned(figures.refreshes), "redundantRefreshes": .unsigned(figures.redundantRefreshes),
            "handlerNanoseconds": nanoseconds(figures.handlerTicks),
            "wastedNanoseconds": nanoseconds(figures.wastedTicks),
            "evaluations": .unsigned(figures.evaluations), "noopEvaluations": .unsigned(figures.noopEvaluations),
            "findings": .array(shown.enumerated().map { json($1, wording, events).adding(whatIfMember($0)) }),
            "omittedFindings": .signed(Int64(findings.found.count - shown.count)),
            "intended": .array(findings.intended.map { json($0, wording, events) }),
            "unjudged": .array(unjudged.flatMap(json)),
        ]
        return report.adding(whatIfMember())
    }

    private func json(_ finding: Finding, _ wording: FindingLines, _ events: EventLines) -> JSONValue {
        let evidence = evidence(finding.example)
        return [
            "rule": .string(finding.rule.rawValue), "severity": .string(finding.severity.word),
            "node": .unsigned(UInt64(finding.node)), "name": .string(definitions.name(ofNode: finding.node)),
            "site": json(finding.site), "fingerprint": .string(finding.fingerprint),
            "sentence": .string(wording.headline(finding)), "count": .unsigned(finding.count),
            "refreshes": .unsigned(finding.refreshes), "wastedNanoseconds": nanoseconds(finding.wastedTicks),
            "cause": finding.cause.map { .unsigned(UInt64($0)) } ?? .null,
            "causeName": finding.cause.map { .string(definitions.name(ofNode: $0)) } ?? .null,
            "normal": .bool(finding.isNormal),
            "primary": finding.primary.map(JSONValue.string) ?? .null,
            "intention": finding.intention.map(JSONValue.string) ?? .null,
            "remedy": finding.remedy.map { remedy in
                [
                    "kind": .string(remedy.kind.rawValue),
                    "technique": .string(wording.technique(finding.node).jsonName),
                    "nodes": json(remedy.nodes), "subscriptions": json(remedy.subscriptions),
                    "site": json(remedy.site), "sentence": .string(wording.sentence(remedy, of: finding, evidence)),
                ]
            } ?? .null,
            "instances": .array(finding.tallies.map(json)), "evidence": evidence.map { json($0, events) } ?? .null,
        ]
    }

    private func json(_ tally: RuleTally) -> JSONValue {
        [
            "node": .unsigned(UInt64(tally.node)), "name": .string(definitions.name(ofNode: tally.node)),
            "subscription": tally.subscription == 0 ? .null : .unsigned(UInt64(tally.subscription)),
            "count": .unsigned(tally.count), "refreshes": .unsigned(tally.refreshes),
            "wastedNanoseconds": nanoseconds(tally.wastedTicks), "example": .string(tally.example.description),
            "counterpart": tally.counterpart.map { .string($0.description) } ?? .null,
            "threads": json(tally.threads), "handlers": json(tally.handlers), "unsettled": .unsigned(tally.unsettled),
        ]
    }

    private func json(_ evidence: Evidence, _ events: EventLines) -> JSONValue {
        [
            "steps": .array(
                evidence.steps.map { step in
                    guard case .object(let members) = events.json(step.event) else { return .null }
                    return .object(members + [.init(name: "way", value: step.way.json(definitions))])
                }),
            "missingCause": evidence.missingCause.map { .string($0.description) } ?? .null,
            "goesOn": .bool(evidence.goesOn),
        ]
    }

    private func json(_ group: Unjudged) -> [JSONValue] {
        group.tallies.map { tally in
            [
                "rule": .string(group.rule.rawValue), "reason": .string(group.reason.rawValue),
                "node": .unsigned(UInt64(tally.node)), "name": .string(definitions.name(ofNode: tally.node)),
                "count": .unsigned(tally.count),
            ]
        }
    }

    private func json(_ site: TraceSite?) -> JSONValue { site.map { .string($0.description) } ?? .null }

    private func json(_ ids: [UInt32]) -> JSONValue { .array(ids.map { .unsigned(UInt64($0)) }) }

    private func nanoseconds(_ ticks: UInt64) -> JSONValue { .unsigned(timeScale.nanoseconds(ticks: ticks)) }
}

extension JSONValue {
    /// The object with these members added.
    fileprivate func adding(_ added: [Member]) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + added)
    }
}
