import WeirTrace

/// Why a node did not change after a stimulus: what that reached, and where it stopped on the way to the node.
public struct WhyNot: Sendable, Equatable {
    /// A node that gave out values because of the stimulus.
    public struct Reached: Sendable, Equatable {
        /// The node's id.
        public let node: UInt32
        /// New values that it gave out.
        public internal(set) var emissions: UInt64 = 0
        /// Deliveries of its values to terminal handlers.
        public internal(set) var refreshes: UInt64 = 0
        /// Its first emission.
        public let first: EventID
        /// Its last emission.
        public internal(set) var last: EventID
        /// The value that it gave out last.
        public internal(set) var value: TraceValue
        /// Its last emission had nobody to be delivered to.
        public internal(set) var hadNoSubscriber: Bool
    }

    /// A place at which what the stimulus caused went no further.
    public struct Stop: Sendable, Equatable {
        /// Why it went no further.
        public enum Reason: Sendable, Equatable {
            /// The node had a value and did not give it out, for the reason that the event states.
            case suppressed(CauseStep)
            /// The node completed or failed, as the event states, and gave out no value.
            case ended(CauseStep)
            /// The node was fed through the subscription at this event, and made nothing of it so far.
            case madeNothing(of: EventID, subscription: UInt32)
            /// A handler was called at this event, and did not write to the node, which it writes to at other times.
            case handlerDidNotWrite(EventID, subscription: UInt32)
            /// The subscription had ended; `step` is its end.
            case subscriptionEnded(CauseStep?, subscription: UInt32)
            /// The subscription began only after the stimulus, at this event, too late for what that brought about.
            case notYetSubscribed(EventID?, subscription: UInt32)
            /// The subscription existed, and was passed over.
            case notDelivered(subscription: UInt32)
        }

        /// The id of the node at which it stopped, or to which the subscription should have brought it.
        public let node: UInt32
        /// Why.
        public let reason: Reason
        /// The ids of the nodes behind it, as far as the node that did not change, which comes last; none where it is that.
        public let path: [UInt32]
    }

    /// What became of the node.
    public enum Outcome: Sendable, Equatable {
        /// It did change.
        case changed(Reached)
        /// What the stimulus caused stopped before it; the stops that are fewest steps away from it come first.
        case stopped([Stop])
        /// It had been released before.
        case released
        /// It was made only afterwards.
        case notYetMade
        /// Nothing that the stimulus reached leads to it. The ids are those of the nodes at which everything begins on
        /// which it depends; none: it depends on nothing that was recorded.
        case unconnected([UInt32])
    }

    /// The id of the node.
    public let node: UInt32
    /// The beginning of the stimulus, or the root emission, that did not change it.
    public let stimulus: TraceEvent
    /// The number of the stimulus, from 1; nil for an emission.
    public let stimulusNumber: UInt64?
    /// What became of the node.
    public let outcome: Outcome
    /// Further stops, which are not told.
    public let omittedStops: Int
    /// The nodes that gave out values because of the stimulus, in the order in which they first did.
    public let reached: [Reached]
    /// The value that the node had before the stimulus.
    public let value: TraceValue
    /// The node's last change before the stimulus.
    public let lastChange: EventID?
}
