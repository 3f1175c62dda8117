import WeirAnalysis

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
