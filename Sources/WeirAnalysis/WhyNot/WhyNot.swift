import WeirTrace

/// Why a node did not change after a stimulus: what the stimulus reached, and where its effects stopped.
public struct WhyNot: Sendable, Equatable {
    /// A node that emitted because of the stimulus.
    public struct Reached: Sendable, Equatable {
        /// The node's id.
        public let node: UInt32
        /// New values that it emitted.
        public internal(set) var emissions: UInt64 = 0
        /// Deliveries of its values to terminal handlers.
        public internal(set) var refreshes: UInt64 = 0
        /// Its first emission.
        public let first: EventID
        /// Its last emission.
        public internal(set) var last: EventID
        /// The last value that it emitted.
        public internal(set) var value: TraceValue
        /// Whether it emitted between the beginning of the stimulus and its first emission, for another cause.
        public internal(set) var hasChangedBefore = false
        /// Its first emission after that, which had another cause; nil: there was none.
        public internal(set) var next: EventID?
        /// Whether its last emission had no subscriber.
        public internal(set) var hadNoSubscriber: Bool
    }

    /// How a subscription ended, beyond the event of its end.
    public struct Ending: Sendable, Equatable {
        /// The completion or failure that ended it, where that began: the most upstream one. Nil if it was disposed.
        public let origin: CauseStep?
        /// The cause of that completion or failure, or else of the disposal: an emission, or a hop or stimulus around it.
        public let cause: CauseStep?
        /// Whether the node of `origin`, or else the node that the subscription fed, emitted a value because of the same cause.
        public let isAfterValue: Bool
    }

    /// A node at which the effects of the stimulus stopped.
    public struct Stop: Sendable, Equatable {
        /// Why they stopped.
        public enum Reason: Sendable, Equatable {
            /// The node had a value and did not emit it, for the reason in the event.
            case suppressed(CauseStep)
            /// The node completed or failed at this event, and emitted no value.
            case ended(CauseStep)
            /// The node received a value through the subscription at this event, and has emitted nothing so far.
            case madeNothing(of: EventID, subscription: UInt32)
            /// A handler was called at this event, and did not write to the node, although it does at other times.
            case handlerDidNotWrite(EventID, subscription: UInt32)
            /// The subscription had ended; the step is its end.
            case subscriptionEnded(CauseStep?, subscription: UInt32)
            /// The subscription began only after the stimulus, at this event, too late for its effects.
            case notYetSubscribed(EventID?, subscription: UInt32)
            /// The value waited for the handler's actor, from this event on, and the handler had not run at the end of the trace.
            case waitsForActor(EventID, subscription: UInt32)
            /// The subscription existed, but nothing was delivered through it.
            case notDelivered(subscription: UInt32)
        }

        /// The id of the node at which the effects stopped, or which the subscription should have fed.
        public let node: UInt32
        /// The reason.
        public let reason: Reason
        /// For `subscriptionEnded`: how it ended; nil if its end is not recorded. For `madeNothing` with a `requestEnd`: how that
        /// ended.
        public let ending: Ending?
        /// For `madeNothing`: the last subscription to another node that the node began because of the stimulus and that had not
        /// ended, such as that of `flatMap` to an inner signal.
        public let opened: UInt32?
        /// For `madeNothing` at a `flatMap` or an execution: the end of the last request that the node began because of the stimulus.
        public let requestEnd: CauseStep?
        /// For `handlerDidNotWrite`: whether the handler is a loop whose body may have run until the end of the trace.
        public let isUnfinished: Bool
        /// For `notYetSubscribed`: whether the subscription began because of the stimulus.
        public let beganInStimulus: Bool
        /// For `madeNothing` at a node of another library: the ids of up to eight other inputs that have given out nothing so far.
        public let silentInputs: [UInt32]
        /// For `suppressed` by `skip`: how many earlier values of the node went no further.
        public let earlierSuppressions: UInt64
        /// For `suppressed`: whether the node dropped the value because of the stimulus for a newer one of another cause.
        public let isReplaced: Bool
        /// The ids of the nodes after it, up to the node that did not change; empty if it is that node itself.
        public let path: [UInt32]

        /// The id of the subscription that the reason names.
        public var subscription: UInt32? {
            switch reason {
            case .suppressed, .ended: nil
            case .madeNothing(_, let id), .handlerDidNotWrite(_, let id), .subscriptionEnded(_, let id),
                .notYetSubscribed(_, let id), .waitsForActor(_, let id), .notDelivered(let id):
                id
            }
        }
    }

    /// The handlers that the question is about, or those of a probe: which were called, or why none was.
    public struct Handlers: Sendable, Equatable {
        /// The ids of the subscriptions whose handlers the stimulus called.
        public let called: [UInt32]
        /// The first of these calls.
        public let firstCall: EventID?
        /// If no handler was called, and none was subscribed: the last that had been, the first that was later, or the one that
        /// waited for its actor.
        public let stops: [Stop]
    }

    /// The outcome for the node.
    public enum Outcome: Sendable, Equatable {
        /// It changed.
        case changed(Reached)
        /// The effects of the stimulus stopped before it; the nearest stops come first.
        case stopped([Stop])
        /// It had been released before.
        case released
        /// It was made only later.
        case notYetMade
        /// Nothing that the stimulus reached leads to it.
        ///
        /// The ids are those of the nodes on which it depends and that nothing feeds, or that code outside of all handlers wrote to;
        /// they are empty if no dependency was recorded.
        case unconnected([UInt32])
    }

    /// The id of the node.
    public let node: UInt32
    /// The beginning of the stimulus, or the root emission, that did not change it.
    public let stimulus: TraceEvent
    /// The number of the stimulus, from 1; nil for an emission.
    public let stimulusNumber: UInt64?
    /// The outcome for the node.
    public let outcome: Outcome
    /// The number of further stops, which are not listed.
    public let omittedStops: Int
    /// If the node is unconnected: where the stimulus stopped before handlers whose writes the trace does not show.
    public let stopsElsewhere: [Stop]
    /// The handlers that the question is about, or those of a probe, which records only what it delivers; nil: neither.
    public let handlers: Handlers?
    /// The ids of other nodes that the question is about: those of the same name.
    public let others: [UInt32]
    /// The nodes that emitted because of the stimulus, in the order of their first emissions.
    public let reached: [Reached]
    /// The value that the node had before the stimulus.
    public let value: TraceValue
    /// The node's last change before the stimulus.
    public let lastChange: EventID?
    /// Whether anything in the trace gave the node a value, accepted or not.
    public let isWritten: Bool
    /// Whether code outside of all handlers gave the node a value, such as that of a stimulus or a task.
    public let isSetElsewhere: Bool
    /// The ids of the subscriptions whose handlers were called because of the stimulus.
    public let calledHandlers: [UInt32]
    /// The ids of the subscriptions whose handlers were to be called because of the stimulus, and waited for their actor until the
    /// end of the trace.
    public let waitingHandlers: [UInt32]
    /// The node's first later change, if that was made by a task that carries no cause: it may follow from the stimulus. Nil if the
    /// stimulus changed the node.
    public let untracedChange: CauseStep?
    /// If only a part of a long trace was searched for handlers that write to nodes: the time in ticks at which that part begins.
    public let writersSince: UInt64?
}
