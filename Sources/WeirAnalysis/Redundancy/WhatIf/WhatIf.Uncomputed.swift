import WeirTrace

extension WhatIf {
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
