import WeirAnalysis
import WeirTrace

extension DiffReport {
    /// The differences for a program; 'What the command prints as JSON' lists the fields.
    public var json: JSONValue {
        [
            "version": .signed(1), "same": .bool(diff.isEmpty),
            "before": json(names.before, before, diff.allRefreshes.before, diff.redundantRefreshes.before),
            "after": json(names.after, after, diff.allRefreshes.after, diff.redundantRefreshes.after),
            "new": .array(diff.new.map(json)), "cured": .array(diff.cured.map(json)),
            "refreshes": .array(
                diff.refreshes.map {
                    ["name": .string($0.subject), "before": .unsigned($0.before), "after": .unsigned($0.after)]
                }),
            "effects": .array(
                diff.effects.map {
                    [
                        "name": .string($0.subject.node), "stimulus": .string($0.subject.stimulus),
                        "before": .unsigned($0.before), "after": .unsigned($0.after),
                    ]
                }),
            "endStates": .array(
                diff.values.map { node, before, after in
                    ["name": .string(node), "before": .string(before.description), "after": .string(after.description)]
                }),
            "nodesGone": .array(diff.nodesGone.map { .string($0) }),
            "nodesCame": .array(diff.nodesCame.map { .string($0) }),
            "edgesGone": .array(diff.edgesGone.map(json)), "edgesCame": .array(diff.edgesCame.map(json)),
        ]
    }

    private func json(
        _ name: String, _ figures: RunFigures, _ refreshes: UInt64, _ redundant: UInt64
    ) -> JSONValue {
        [
            "name": .string(name), "traces": .signed(Int64(figures.traces)), "refreshes": .unsigned(refreshes),
            "redundantRefreshes": .unsigned(redundant),
        ]
    }

    private func json(_ entry: CheckTable<FindingStory>.Entry) -> JSONValue {
        [
            "rule": .string(entry.finding.rule.name), "severity": .string(entry.finding.severity.word),
            "fingerprint": .string(entry.finding.key.identity), "sentence": .string(entry.story.headline),
            "site": entry.finding.sites.first.map { .string($0.description) } ?? .null,
            "lines": .array(entry.story.lines.map { .string($0) }),
            "remedy": entry.story.remedy.map(JSONValue.string) ?? .null,
        ]
    }

    private func json(_ edge: RunFigures.Edge) -> JSONValue {
        ["source": .string(edge.source), "target": .string(edge.target)]
    }
}
