import WeirTrace

extension WhatIf {
    /// What would remain of a recording.
    ///
    /// Turns that could not be computed count as they were recorded, and are listed.
    public struct Outcome: Sendable, Equatable {
        /// Deliveries of values through terminal subscriptions.
        public internal(set) var refreshes: UInt64 = 0
        /// Their handler time, in ticks.
        public internal(set) var handlerTicks: UInt64 = 0
        /// Evaluations.
        public internal(set) var evaluations: UInt64 = 0
        /// Begun subscriptions to cold sources.
        public internal(set) var sourceRuns: UInt64 = 0
        /// What could not be computed, and why, the most frequent first.
        public internal(set) var uncomputed: [Uncomputed] = []
        /// False: nothing can be said of a remedy of this kind, and the figures are those of the recording.
        public internal(set) var isComputable = true

        /// Whether it holds for every turn of the recording.
        public var isComplete: Bool { isComputable && uncomputed.isEmpty }

        init() {}
    }

    /// Turns of which it could not be computed what would remain of them.
    public struct Uncomputed: Sendable, Equatable {
        /// Why.
        public let reason: Reason
        /// How many turns.
        public internal(set) var turns: UInt64
        /// The first event of the first such turn.
        public let example: EventID
        /// The id of the node at which it stopped there; 0: at none.
        public let node: UInt32
    }

    /// Why a turn could not be computed.
    public enum Reason: String, Sendable, CaseIterable {
        /// It has more events than are kept, or nests too deep.
        case tooLong
        /// Events of it are lost, or it began before the recording.
        case incomplete
        /// Played again without any remedy it does not come out as recorded: something that no trace tells decides.
        case notReproduced
        /// Whether two values are equal is not known: they are private, not recorded, or descriptions that agree.
        case unknownEquality
        /// A node would compute from values that never met in the recording.
        case unseenInputs
        /// A handler or operator would be given a value that it was never given in that turn.
        case unseenValue
        /// A handler or operator did different things for the same value, and would be given that more or less often.
        case varyingHandler
        /// Subscriptions or nodes are begun or ended by what would fall away or move.
        case structure
        /// An operator that remembers what it was given would be given something else.
        case operatorState
        /// Work that was scheduled by an event of which not every delivery remains.
        case unknownCause
        /// The writes were made outside of any named stimulus.
        case noStimulus
        /// The shared run of a source would go on beyond what was recorded of it.
        case sharedRun
        /// A handler that carries values on would do so later.
        case delayedHandler
    }
}

extension WhatIf.Outcome {
    /// Takes note of a turn that cannot be computed.
    mutating func note(_ reason: WhatIf.Reason, node: UInt32, example: EventID) {
        if let known = uncomputed.firstIndex(where: { $0.reason == reason }) {
            uncomputed[known].turns &+= 1
        } else {
            uncomputed.append(WhatIf.Uncomputed(reason: reason, turns: 1, example: example, node: node))
        }
    }

    /// These figures, changed by what a remedy adds and takes away.
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

/// Counts that can be compared: what was recorded, or what a replay gives.
struct Figures: Equatable {
    var refreshes: Int64 = 0
    var handlerTicks: Int64 = 0
    var evaluations: Int64 = 0
    var sourceRuns: Int64 = 0

    static func + (left: Figures, right: Figures) -> Figures {
        Figures(
            refreshes: left.refreshes &+ right.refreshes, handlerTicks: left.handlerTicks &+ right.handlerTicks,
            evaluations: left.evaluations &+ right.evaluations, sourceRuns: left.sourceRuns &+ right.sourceRuns)
    }

    static func - (left: Figures, right: Figures) -> Figures {
        Figures(
            refreshes: left.refreshes &- right.refreshes, handlerTicks: left.handlerTicks &- right.handlerTicks,
            evaluations: left.evaluations &- right.evaluations, sourceRuns: left.sourceRuns &- right.sourceRuns)
    }
}
