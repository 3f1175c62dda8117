import WeirTrace

extension WhatIf {
    /// Turns whose outcome could not be computed.
    package struct Uncomputed: Sendable, Equatable {
        /// The reason.
        package let reason: Reason
        /// The number of turns.
        package internal(set) var turns: UInt64
        /// The first event of the first such turn.
        package let example: EventID
        /// The id of the node at which the computation stopped there; 0 if there is none.
        package let node: UInt32
    }

    /// Why a turn could not be computed.
    package enum Reason: String, Sendable, CaseIterable {
        /// It has more events than are kept, or is nested too deeply.
        case tooLong
        /// Events of it are lost, or it began before the recording.
        case incomplete
        /// A replay without a remedy differs from the recording: the turn depends on something that no trace contains.
        case notReproduced
        /// The equality of two values is unknown: they are private, not recorded, or have equal descriptions.
        case unknownEquality
        /// A node would compute from values that never occurred together in the recording.
        case unseenInputs
        /// An input of a combineLatest is a signal without a current value, so no combiner can replace it as it is.
        case signalInput
        /// A handler or operator would receive a value that it did not receive in that turn.
        case unseenValue
        /// A handler or operator reacted differently to the same value, and would receive it more or less often.
        case varyingHandler
        /// Deliveries that would be removed or moved begin or end subscriptions or nodes.
        case structure
        /// An operator with a memory would receive other values.
        case operatorState
        /// Work was scheduled by an event that loses some of its deliveries.
        case unknownCause
        /// The writes were made outside of any named stimulus.
        case noStimulus
        /// The shared run of a source would continue beyond its recorded end.
        case sharedRun
        /// A subscriber that comes later would miss a value of a shared source; whether it needs it is unknown.
        case missedValue
        /// A handler that writes or emits further would run later.
        case delayedHandler
        /// A value that arrives later would come after something that depends on it, or that it depends on.
        case overtaken
        /// When a combineLatest was made is not recorded, and a combiner in its place would compute from then on.
        case unknownMaking
        /// Combiners of equal height affect each other, and the remedy may change their order.
        case unknownOrder
    }
}
