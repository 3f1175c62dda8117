import WeirTrace

/// Why a node did not change after a stimulus: what the stimulus reached, and where its effects stopped.
package struct WhyNot: Sendable, Equatable {
    /// A node that emitted because of the stimulus.
    package struct Reached: Sendable, Equatable {
        /// The node's id.
        package let node: UInt32
        /// New values that it emitted.
        package internal(set) var emissions: UInt64 = 0
        /// Deliveries of its values to terminal handlers.
        package internal(set) var refreshes: UInt64 = 0
        /// Its first emission.
        package let first: EventID
        /// Its last emission.
        package internal(set) var last: EventID
        /// The last value that it emitted.
        package internal(set) var value: TraceValue
        /// Whether it emitted between the beginning of the stimulus and its first emission, for another cause.
        package internal(set) var hasChangedBefore = false
        /// Its first emission after that, which had another cause; nil: there was none.
        package internal(set) var next: EventID?
        /// Whether its last emission had no subscriber.
        package internal(set) var hadNoSubscriber: Bool
    }

    /// How a subscription or node ended, beyond the event of its end.
    package struct Ending: Sendable, Equatable {
        /// The completion or failure that ended it, where that began: the most upstream one. Nil if it was disposed.
        package let origin: CauseStep?
        /// The cause of that completion or failure, or else of the disposal: an emission, or a hop or stimulus around it.
        package let cause: CauseStep?
        /// Whether the node of `origin`, or else the node that the subscription fed, emitted a value because of the same cause.
        package let isAfterValue: Bool
    }

    /// A node at which the effects of the stimulus stopped.
    package struct Stop: Sendable, Equatable {
        /// Why they stopped.
        package enum Reason: Sendable, Equatable {
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
        package let node: UInt32
        /// The reason.
        package let reason: Reason
        /// For `subscriptionEnded` and `ended`: how it ended; nil if its end is not recorded. For a value that the node held when it
        /// ended: how it ended. For `madeNothing` with a `requestEnd`: how that
        /// ended.
        package let ending: Ending?
        /// For `madeNothing`: the last subscription to another node that the node began because of the stimulus and that had not
        /// ended, such as that of `flatMap` to an inner signal.
        package let opened: UInt32?
        /// For `madeNothing` at a `flatMap` or an execution: the end of the last request that the node began because of the stimulus.
        package let requestEnd: CauseStep?
        /// For `handlerDidNotWrite`: whether the handler is a loop whose body may have run until the end of the trace.
        package let isUnfinished: Bool
        /// For `notYetSubscribed`: whether the subscription began because of the stimulus.
        package let beganInStimulus: Bool
        /// For `madeNothing` at a node of another library: the ids of up to eight other inputs that have emitted nothing so far.
        package let silentInputs: [UInt32]
        /// For `suppressed` by `skip`: how many earlier values of the node went no further.
        package let earlierSuppressions: UInt64
        /// For `suppressed`: how many writes to the node a batch kept, of which the last one is the suppressed value.
        package let batchedWrites: UInt64
        /// For `suppressed`: whether the node dropped the value because of the stimulus for a newer one of another cause.
        package let isReplaced: Bool
        /// The ids of the nodes after it, up to the node that did not change; empty if it is that node itself.
        package let path: [UInt32]

        /// The id of the subscription that the reason names.
        package var subscription: UInt32? {
            switch reason {
            case .suppressed, .ended: nil
            case .madeNothing(_, let id), .handlerDidNotWrite(_, let id), .subscriptionEnded(_, let id),
                .notYetSubscribed(_, let id), .waitsForActor(_, let id), .notDelivered(let id):
                id
            }
        }
    }

    /// The handlers that the question is about, or those of a probe: which were called, or why none was.
    package struct Handlers: Sendable, Equatable {
        /// The ids of the subscriptions whose handlers the stimulus called.
        package let called: [UInt32]
        /// The first of these calls.
        package let firstCall: EventID?
        /// If no handler was called, and none was subscribed: the last that had been, the first that was later, or the one that
        /// waited for its actor.
        package let stops: [Stop]
    }

    /// A node that the stimulus reached in place of another one of the same line.
    package struct Twin: Sendable, Equatable {
        /// The id of the node that the stimulus reached.
        package let reached: UInt32
        /// The id of the other one.
        package let other: UInt32
    }

    /// A handler that received no value.
    package struct UnheardHandler: Sendable, Equatable {
        /// The reason for which it received none.
        package enum Fate: Sendable, Equatable {
            /// It waited until the end of the trace; `since` is the event at which it subscribed, nil: that is not recorded.
            case waited(since: EventID?)
            /// It had ended before the stimulus; `reason` is as the file numbers it.
            case ended(EventID, reason: UInt8)
        }

        /// The id of its subscription.
        package let subscription: UInt32
        /// The reason.
        package let fate: Fate
    }

    /// An object that was tracked when a handler was subscribed, and released before the stimulus.
    package struct ReleasedObject: Sendable, Equatable {
        /// The id of the object.
        package let object: UInt32
        /// Its release.
        package let event: EventID
    }

    /// An input that has emitted nothing so far, since the node behind it has not changed since it was made.
    package struct SilentFeed: Sendable, Equatable {
        /// The id of the input.
        package let node: UInt32
        /// The id of the node whose values it passes on.
        package let source: UInt32
        /// The value that this node has.
        package let value: TraceValue
    }

    /// A change of the node after the beginning of the stimulus, but not because of it.
    package struct LaterChange: Sendable, Equatable {
        /// The change.
        package let step: CauseStep
        /// The outermost event that caused it; nil: the trace has no cause.
        package let origin: TraceEvent?

        /// Whether a task that carries no cause made it: it may follow from the stimulus.
        package var isUntraced: Bool { origin?.kind == .stimulusBegan && origin?.text == TraceFormat.untracedTask }

        /// Whether the trace does not show why: code outside of all stimuli and handlers made it, or a task that carries no cause.
        package var isUnexplained: Bool { origin == nil || isUntraced || origin?.kind == .emitted }
    }

    /// The outcome for the node.
    package enum Outcome: Sendable, Equatable {
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
    package let node: UInt32
    /// The beginning of the stimulus, or the root emission, that did not change it.
    package let stimulus: TraceEvent
    /// The number of the stimulus, from 1; nil for an emission.
    package let stimulusNumber: UInt64?
    /// The outcome for the node.
    package let outcome: Outcome
    /// The number of further stops, which are not listed.
    package let omittedStops: Int
    /// If the node is unconnected: where the stimulus stopped before handlers whose writes the trace does not show.
    package let stopsElsewhere: [Stop]
    /// If the node is unconnected: those of its roots that must complete, as an operator on the way emits only then.
    package let completingRoots: [UInt32]
    /// If the node is unconnected, or only ends stopped before it: the values and signals that the operators on the way held back
    /// when the stimulus came, nearest to the node first.
    package let heldBack: [Held]
    /// If nothing feeds the node any more: reached nodes that are others of the same line as nodes that fed it.
    package let twins: [Twin]
    /// The handlers that the question is about, or those of a probe, which records only what it delivers; nil: neither.
    package let handlers: Handlers?
    /// The ids of other nodes that the question is about: those of the same name.
    package let others: [UInt32]
    /// If the node changed while nobody was subscribed to it: how the last former subscription had ended; nil: there was none.
    package let formerSubscription: Stop?
    /// The nodes that emitted because of the stimulus, in the order of their first emissions.
    package let reached: [Reached]
    /// The value that the node had before the stimulus.
    package let value: TraceValue
    /// The node's last change before the stimulus.
    package let lastChange: EventID?
    /// Whether anything in the trace gave the node a value, accepted or not.
    package let isWritten: Bool
    /// Whether code outside of all handlers gave the node a value, such as that of a stimulus or a task.
    package let isSetElsewhere: Bool
    /// The ids of the subscriptions whose handlers were called because of the stimulus.
    package let calledHandlers: [UInt32]
    /// The ids of the nodes that these handlers write to, by id of the subscription, as the trace shows.
    package let calledWrites: [UInt32: [UInt32]]
    /// If nothing in the trace gave the node a value: the handlers in its file that never received one.
    package let unheardHandlers: [UnheardHandler]
    /// The objects that called handlers may have captured weakly: they do nothing any more.
    package let releasedObjects: [ReleasedObject]
    /// If the node is unconnected: inputs that have emitted nothing so far.
    package let silentFeeds: [SilentFeed]
    /// If the node is unconnected: the ids of the multicasts before it, or before a handler that waited, that nothing connected.
    package let unconnectedMulticasts: [UInt32]
    /// The release of the node before the stimulus. If a called handler did not write to the node: that of the object whose property it
    /// is; a handler that captures this object weakly does nothing any more.
    package let release: EventID?
    /// The ids of the subscriptions whose handlers were to be called because of the stimulus, and waited for their actor until the
    /// end of the trace.
    package let waitingHandlers: [UInt32]
    /// The node's first later change, which another cause made; nil: there is none, or the stimulus changed the node.
    package let laterChange: LaterChange?
    /// If the node is unconnected, and its own later change is not the answer: a later change, which the trace does not explain, of
    /// a node on which it depends.
    package let laterRoot: LaterChange?
    /// If the stimulus changed the node: a later value of the stimulus that an operator on the way to the node did not let
    /// pass, or still holds, or an element that a stream's buffer dropped; nil: none is known.
    package let laterStop: CauseStep?
    /// If the question is about what followed a write that a batch held back: what became of it. If it went out, `stimulus` is the
    /// emission.
    package internal(set) var batchedWrite: BatchedWrite?
    /// If only a part of a long trace was searched for handlers that write to nodes: the time in ticks at which that part begins.
    package let writersSince: UInt64?
}
