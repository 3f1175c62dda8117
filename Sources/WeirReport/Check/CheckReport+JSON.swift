import WeirAnalysis
import WeirTrace

extension CheckReport {
    /// The version of the JSON output.
    static let jsonVersion: Int64 = 1

    /// The report for a program; 'What the command prints as JSON' lists the fields.
    package var json: JSONValue {
        let counts = counts
        return [
            "version": .signed(Self.jsonVersion), "outcome": .string(outcome.rawValue),
            "traces": .array(traces.map { .string($0) }), "judgedTraces": .signed(Int64(judged)),
            "bytes": .unsigned(bytes), "failOn": .string(verdict.policy.failOn.rawValue),
            "counts": [
                "new": .signed(Int64(counts.new)), "notes": .signed(Int64(counts.notes)),
                "baseline": .signed(Int64(counts.known)), "waived": .signed(Int64(counts.waived)),
                "intended": .signed(Int64(counts.intended)),
            ],
            "omittedFindings": .unsigned(omitted), "findings": .array(verdict.items.map(json)),
            "faults": .array(
                faults.map { fault in
                    [
                        "trace": .string(traces.indices.contains(fault.trace) ? traces[fault.trace] : ""),
                        "rule": .string(fault.fault.rawValue), "level": .string(fault.level.rawValue),
                        "sentences": .array(fault.sentences.map { .string($0) }),
                    ]
                }),
            "cured": .array(
                verdict.cured.map { entry in
                    [
                        "rule": .string(entry.rule), "name": .string(entry.name),
                        "fingerprint": .string(entry.identity), "count": .signed(Int64(entry.count)),
                    ]
                }),
            "unusedWaivers": .array(verdict.unusedWaivers.map { .signed(Int64($0)) }),
            "expiredWaivers": .array(verdict.expiredWaivers.map { .signed(Int64($0)) }),
            "ambiguousFiles": .array(
                ambiguousFiles.map { ["file": .string($0.file), "paths": .array($0.paths.map { .string($0) })] }),
        ]
    }

    private func json(_ item: CheckVerdict<FindingStory>.Item) -> JSONValue {
        let (finding, story) = (item.entry.finding, item.entry.story)
        let place = place(of: item)
        return [
            "rule": .string(finding.rule.name), "level": .string(item.level.rawValue),
            "status": .string(item.statusWord), "reason": reason(of: item).map(JSONValue.string) ?? .null,
            "fingerprint": .string(finding.key.identity), "sentence": .string(story.headline),
            "names": .array(finding.names.map { .string($0) }), "owners": .array(finding.owners.map { .string($0) }),
            "site": place.map { .string($0.site.description) } ?? .null,
            "path": place?.path.map(JSONValue.string) ?? .null,
            "line": place.map { .signed(Int64($0.site.line)) } ?? .null, "count": .unsigned(finding.count),
            "trace": .string(traces.indices.contains(item.entry.trace) ? traces[item.entry.trace] : ""),
            "traces": .signed(Int64(item.entry.traces)),
            "lines": .array(story.lines.map { .string(located($0, of: item)) }),
            "remedy": story.remedy.map { .string(located($0, of: item)) } ?? .null,
            "steps": .array(
                story.steps.map { step in
                    [
                        "text": .string(step.text),
                        "site": step.site.map { .string($0.description) } ?? .null,
                        "path": step.site.flatMap { sources.place(of: $0).path }.map(JSONValue.string) ?? .null,
                    ]
                }),
        ]
    }
}

extension CheckVerdict.Item {
    /// "new", "baseline", "waived" or "intended".
    var statusWord: String {
        switch status {
        case .new: "new"
        case .known: "baseline"
        case .waived: "waived"
        case .intended: "intended"
        }
    }
}
