import WeirAnalysis
import WeirTrace

extension DiffReport {
    /// The differences for a program; 'What the command prints as JSON' lists the fields.
    package var json: JSONValue {
        [
            "version": .signed(1), "same": .bool(diff.isEmpty),
            "before": json(names.before, before), "after": json(names.after, after),
            "new": .array(diff.new.map(json)), "cured": .array(diff.cured.map(json)),
            "refreshes": .array(
                diff.refreshes.map {
                    [
                        "name": .string($0.refreshes.subject),
                        "before": json($0.refreshes.before), "after": json($0.refreshes.after),
                        "redundantBefore": json($0.redundant.before), "redundantAfter": json($0.redundant.after),
                    ]
                }),
            "effects": .array(
                diff.effects.map {
                    [
                        "name": .string($0.subject.node), "stimulus": .string($0.subject.stimulus),
                        "before": json($0.before), "after": json($0.after),
                    ]
                }),
            "handlerNanoseconds": .array(
                diff.times.map {
                    ["name": .string($0.subject), "before": json($0.before), "after": json($0.after)]
                }),
            "endStates": .array(
                diff.values.map { node, before, after in
                    ["name": .string(node), "before": .string(before.description), "after": .string(after.description)]
                }),
            "nodesGone": .array(diff.nodesGone.map { .string($0) }),
            "nodesCame": .array(diff.nodesCame.map { .string($0) }),
            "edgesGone": .array(diff.edgesGone.map(json)), "edgesCame": .array(diff.edgesCame.map(json)),
            "ambiguousFiles": .array(
                ambiguousFiles.map { ["file": .string($0.file), "paths": .array($0.paths.map { .string($0) })] }),
        ]
    }

    /// The differences for a report page: the sentence that sums them up, and the fields of `json`.
    var pageJSON: JSONValue { ["summary": .string(summary), "differences": json] }

    private func json(_ name: String, _ figures: RunFigures) -> JSONValue {
        [
            "name": .string(name), "traces": .signed(Int64(figures.traces)),
            "refreshes": json(figures.refreshes), "redundantRefreshes": json(figures.redundantRefreshes),
        ]
    }

    /// A number; if repeated runs differ, the least, middle and greatest one.
    private func json(_ spread: RunFigures.Spread) -> JSONValue {
        if spread.least == spread.most { return .unsigned(spread.least) }
        return ["least": .unsigned(spread.least), "middle": .unsigned(spread.middle), "most": .unsigned(spread.most)]
    }

    private func json(_ entry: CheckTable<FindingStory>.Entry) -> JSONValue {
        let place = sources.place(of: entry)
        return [
            "rule": .string(entry.finding.rule.name), "severity": .string(entry.finding.severity.word),
            "fingerprint": .string(entry.finding.key.identity), "sentence": .string(entry.story.headline),
            "site": place.map { .string($0.site.description) } ?? .null,
            "path": place?.path.map(JSONValue.string) ?? .null,
            "line": place.map { .signed(Int64($0.site.line)) } ?? .null,
            "lines": .array(entry.story.lines.map { .string(sources.located($0, of: entry)) }),
            "remedy": entry.story.remedy.map { .string(sources.located($0, of: entry)) } ?? .null,
        ]
    }

    private func json(_ edge: TraceFigures.Edge) -> JSONValue {
        ["source": .string(edge.source), "target": .string(edge.target)]
    }
}
