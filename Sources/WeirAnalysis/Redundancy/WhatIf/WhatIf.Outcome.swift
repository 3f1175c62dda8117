import WeirTrace

extension WhatIf {
    /// The figures of a recording with a remedy applied.
    ///
    /// Turns that could not be computed count as recorded, and are listed.
    package struct Outcome: Sendable, Equatable {
        /// Deliveries of values through terminal subscriptions.
        package internal(set) var refreshes: UInt64 = 0
        /// Their handler time, in ticks.
        package internal(set) var handlerTicks: UInt64 = 0
        /// Evaluations.
        package internal(set) var evaluations: UInt64 = 0
        /// Evaluations of combiners that the remedy adds to narrow inputs; `evaluations` does not contain them.
        package internal(set) var addedEvaluations: UInt64 = 0
        /// Subscriptions to cold sources that began.
        package internal(set) var sourceRuns: UInt64 = 0
        /// The turns that could not be computed, by reason, the most frequent first.
        package internal(set) var uncomputed: [Uncomputed] = []
        /// Whether remedies of this kind can be computed; if false, the figures are those of the recording.
        package internal(set) var isComputable = true

        /// Whether every turn of the recording was computed.
        package var isComplete: Bool { isComputable && uncomputed.isEmpty }

        init() {}
    }
}

extension WhatIf.Outcome {
    /// Notes a turn that cannot be computed.
    mutating func note(_ reason: WhatIf.Reason, node: UInt32, example: EventID) {
        if let known = uncomputed.firstIndex(where: { $0.reason == reason }) {
            uncomputed[known].turns &+= 1
        } else {
            uncomputed.append(WhatIf.Uncomputed(reason: reason, turns: 1, example: example, node: node))
        }
    }

    /// These figures with the changes of a remedy.
    func changed(by change: Figures, _ outcome: WhatIf.Outcome) -> WhatIf.Outcome {
        func sum(_ figure: UInt64, _ change: Int64) -> UInt64 { UInt64(max(0, Int64(clamping: figure) &+ change)) }
        var result = outcome
        result.refreshes = sum(refreshes, change.refreshes)
        result.handlerTicks = sum(handlerTicks, change.handlerTicks)
        result.evaluations = sum(evaluations, change.evaluations)
        result.sourceRuns = sum(sourceRuns, change.sourceRuns)
        result.uncomputed.sort { ($0.turns, $1.reason.rawValue) > ($1.turns, $0.reason.rawValue) }
        return result
    }
}
