import WeirAnalysis
import WeirTrace

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
        let names = group.tallies.prefix(3).map {
            style(.name, TerminalText.cut(TerminalText.escaped(definitions.name(ofNode: $0.node)), to: 60))
        }
        let rest = group.tallies.count - names.count
        let nodes = names.joined(separator: ", ") + (rest > 0 ? " and \(Figures.count(rest)) more" : "")
        return [
            "  \(group.rule.rawValue): \(group.rule.counted(group.count)) of \(nodes): \(group.reason.phrase);",
            style(.faint, "    \(group.reason.help)"),
        ]
    }
}
