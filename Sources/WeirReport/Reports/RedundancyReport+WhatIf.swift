import WeirAnalysis

// The estimated effect of the remedies, one by one and all together.
extension RedundancyReport {
    private static let reasonsReported = 3

    /// The lines below the remedy of a finding.
    func whatIfLines(of finding: Finding, _ style: Style) -> [String] {
        guard let whatIf, let place = findings.found.firstIndex(of: finding), let tried = remedied.firstIndex(of: place)
        else { return [] }
        let indent = String(repeating: " ", count: 5)
        guard let outcome = whatIf.outcomes.dropFirst(tried).first else { return [indent + WhatIfWords.notTried] }
        return [indent + "What if: " + sentence(place, outcome) + "."]
            + uncomputedLines(outcome, style).map { indent + $0 }
    }

    /// The estimated effect of all remedies together; empty for fewer than two findings.
    func togetherLines(_ style: Style) -> [String] {
        let found = remedied.map { findings.found[$0] }
        guard let whatIf, found.count > 1 else { return [] }
        let untried = found.dropFirst(whatIf.outcomes.count)
        let computable =
            whatIf.outcomes.count { $0.isComputable } + untried.count { $0.remedy?.isComputable == true }
        guard let heading = WhatIfWords.together(found.count, computable: computable) else {
            return ["", WhatIfWords.none(found.count)]
        }
        let sentence = words(whatIf.together, found).sentence
        var lines = ["", style(.strong, heading + sentence + ".")] + uncomputedLines(whatIf.together, style)
        guard let sure = whatIf.sure, sure.figures != whatIf.together.figures else { return lines }
        // A partial estimate counts turns as recorded, and may claim less for all remedies than for some.
        if sure.refreshes <= whatIf.together.refreshes { lines = [""] }
        let complete = zip(found, whatIf.outcomes).filter(\.1.isComplete).map(\.0)
        let narrower = WhatIfWords.sure(found.count, complete: complete.count)
        return lines + [style(.strong, narrower + words(sure, complete).sentence + ".")]
            + uncomputedLines(sure, style)
    }

    /// The indexes of the findings that have a remedy, in the order in which the remedies were tried.
    var remedied: [Int] { findings.found.indices.filter { findings.found[$0].remedy != nil } }

    private func uncomputedLines(_ outcome: WhatIf.Outcome, _ style: Style) -> [String] {
        let reported = outcome.uncomputed.prefix(Self.reasonsReported).map { uncomputed in
            let isNamed = uncomputed.node != 0
            return WhatIfWords.uncomputed(uncomputed, node: isNamed ? name(uncomputed.node) : nil)
        }
        let rest = outcome.uncomputed.dropFirst(Self.reasonsReported)
        return (reported + (rest.isEmpty ? [] : [WhatIfWords.more(rest)])).map { style(.faint, "  \($0)") }
    }

    func sentence(_ place: Int, _ outcome: WhatIf.Outcome) -> String {
        let found = findings.found.dropFirst(place).prefix(1)
        if !outcome.isComputable, let unpredictable = found.first?.remedy?.unpredictable { return unpredictable }
        return words(outcome, found).sentence
    }

    func words(_ outcome: WhatIf.Outcome, _ findings: some Sequence<Finding>) -> WhatIfWords {
        WhatIfWords(
            recorded: whatIf?.recorded ?? outcome, outcome: outcome,
            isAtBest: findings.contains { [.narrowInput, .computeOnce].contains($0.remedy?.kind) },
            keepsHandler: findings.contains { $0.remedy?.kind == .cutLoop },
            keepsFirstValue: findings.contains {
                $0.remedy?.kind == .subscribeOnce && definitions.nodes[$0.node]?.kind != .emitter
            },
            isThrottle: Set(findings.map { $0.remedy?.kind }) == [.throttle],
            movesWork: findings.contains { $0.remedy?.kind == .lightenHandler },
            handlesFailures: findings.contains { $0.remedy?.kind == .handleFailure }, duration: duration)
    }

    private func name(_ node: UInt32) -> String {
        TerminalText.cut(TerminalText.escaped(definitions.name(ofNode: node)), to: 80)
    }
}

extension WhatIf.Outcome {
    fileprivate var figures: [UInt64] { [refreshes, handlerTicks, evaluations, sourceRuns] }
}
