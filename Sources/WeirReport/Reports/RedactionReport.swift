import WeirAnalysis
import WeirTrace

/// The output of `weir redact`: what was removed from the copy of a trace.
package struct RedactionReport {
    /// The plan.
    let redaction: Redaction
    /// The figures of the copy.
    let counts: RedactionCounts
    /// The paths of the trace and of its copy.
    let (path, copy): (String, String)

    /// A report on the copy at `copy`.
    package init(_ redaction: Redaction, _ counts: RedactionCounts, path: String, copy: String) {
        self.redaction = redaction
        self.counts = counts
        self.path = path
        self.copy = copy
    }

    /// The report for a person.
    package func text(style: Style = .plain) -> String {
        let removed = [
            Figures.count(counts.values, "value") + " of " + Figures.count(redaction.hidden.count, "node"),
            "keys in " + Figures.count(redaction.namesWithKeys, "name"),
            Figures.count(counts.texts, "name of stimuli and checkpoints", "names of stimuli and checkpoints"),
        ]
        var lines = [
            style(.strong, TerminalText.escaped(copy)) + ": \(TerminalText.escaped(path)) without "
                + "\(removed[0]), \(removed[1]), \(removed[2])."
        ]
        if redaction.isWidenedByDamage {
            lines.append(
                "All values were removed: the trace is damaged, so the node that a value belongs to is not certain.")
        }
        if !redaction.derived.isEmpty {
            lines.append("Removed as well, because removed values flow there: \(names(redaction.derived)).")
        }
        if counts.equalValues > 0 {
            lines.append(
                "\(Figures.count(counts.equalValues, "value")) of other nodes went, too: equal to a removed one.")
        }
        if !redaction.feeding.isEmpty {
            lines.append("Kept, but values come from there: \(names(redaction.feeding)); --node removes them as well.")
        }
        if counts.unknownRecords > 0 {
            let records = Figures.count(counts.unknownRecords, "record")
            lines.append("Left out: \(records) of a later version of the format.")
        }
        if counts.damagedPlaces > 0 {
            lines.append("Left out: what stood in \(Figures.count(counts.damagedPlaces, "damaged place")).")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The report for a program; 'What the command prints as JSON' lists its fields.
    package var json: JSONValue {
        [
            "path": .string(path), "copy": .string(copy), "values": .unsigned(counts.values),
            "equalValues": .unsigned(counts.equalValues), "texts": .unsigned(counts.texts),
            "names": .unsigned(UInt64(redaction.namesWithKeys)),
            "nodes": nodes(redaction.hidden), "derived": nodes(redaction.derived), "feeding": nodes(redaction.feeding),
            "damagedPlaces": .unsigned(counts.damagedPlaces), "unknownRecords": .unsigned(counts.unknownRecords),
            "allBecauseDamaged": .bool(redaction.isWidenedByDamage),
        ]
    }

    private static let most = 6

    /// The names as they appear in the copy, without duplicates.
    private func names(_ ids: [UInt32]) -> String {
        var names: [String] = []
        var seen: Set<String> = []
        for id in ids {
            let name = name(id)
            if seen.insert(name).inserted { names.append(name) }
        }
        let shown = names.prefix(Self.most).map { TerminalText.cut(TerminalText.escaped($0), to: 60) }
        let rest = names.count - shown.count
        return shown.joined(separator: ", ") + (rest > 0 ? " and \(Figures.count(rest)) more" : "")
    }

    private func name(_ id: UInt32) -> String {
        var node = redaction.definitions.nodes[id] ?? TraceNode(id: id, rawKind: 0)
        node.label = node.label.map { redaction.plan.label($0, of: id) }
        return node.name
    }

    private func nodes(_ ids: [UInt32]) -> JSONValue {
        .array(ids.map { ["node": .unsigned(UInt64($0)), "name": .string(name($0))] })
    }
}
