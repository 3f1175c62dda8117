import WeirTrace

/// The count of one rule at one node or subscription.
package struct RuleTally: Sendable, Equatable {
    /// The rule.
    package let rule: RedundancyRule
    /// The id of the node: the one that emitted or evaluated, or that the subscription observes.
    package let node: UInt32
    /// The id of the subscription; 0 if the rule concerns the node.
    package let subscription: UInt32
    /// The number of events counted.
    package internal(set) var count: UInt64 = 0
    /// Redundant refreshes among what it counts, or caused by it.
    package internal(set) var refreshes: UInt64 = 0
    /// Their handler time, in ticks; for `slowRefresh`, the time beyond a frame.
    package internal(set) var wastedTicks: UInt64 = 0
    /// The first event counted; for `slowRefresh`, the beginning of the refresh that ended first.
    package internal(set) var example: EventID
    /// The event that makes the example redundant: a refresh, emission or subscription that it repeats or that replaces it.
    package internal(set) var counterpart: EventID?
    /// The id of the subscription through which the example came, for `noopEvaluation` and `feedback`; 0 if there is none.
    ///
    /// For `burst`, one whose handler wrote a next refresh that `returned` counts.
    package internal(set) var via: UInt32 = 0
    /// For `noopEvaluation`, the evaluations that were not the first of their node in the turn, and that it could have saved by
    /// waiting until the turn settles.
    package internal(set) var again: UInt64 = 0
    /// For `glitch`, the values that were replaced although their node waits until the turn settles.
    package internal(set) var settled: UInt64 = 0
    /// For `burst`, the refreshes whose two writes are of one node and one stimulus or turn, and not in a batch. For `glitch`, the values
    /// that a batch around both writes would join.
    package internal(set) var ofOneWriter: UInt64 = 0
    /// For `burst`, the same of writes to different nodes.
    package internal(set) var ofSeveralWriters: UInt64 = 0
    /// For `burst`, the refreshes whose two turns belong to two stimuli; for the rest, the cause is unknown.
    package internal(set) var betweenStimuli: UInt64 = 0
    /// For `burst`, the refreshes that later work followed: a hop, or work of an unknown cause although stimuli have names.
    package internal(set) var later: UInt64 = 0
    /// For `burst`, the refreshes that a stale answer followed, which `staleResponse` counts.
    var stale: UInt64 = 0
    /// For `burst`, whether the source completed within a frame after the last refresh: a throttle emits its last value then.
    var completedAtOnce = false
    /// Whether the subscription's handler also emits in some of its refreshes, and so is no mere view.
    package internal(set) var carriesOn = false
    /// For `repeatedValue`, the refreshes before which a filter held back another value.
    var back: UInt64 = 0
    /// For `repeatedValue`, the refreshes that follow from an event.
    var afterEvents: UInt64 = 0
    /// Whether the values are computed from events, cold sources and answers to requests only, not from a state, or all counted
    /// refreshes follow from events, or before all of them a filter held back another value: an equal value may mean something new.
    package internal(set) var areAnswers = false
    /// For `crossThread`, the threads in the order of their first emissions.
    ///
    /// Numbers that `TraceDefinitions.runners` knows represent the main queue and actors.
    package internal(set) var threads: [UInt32] = []
    /// For `crossThread`, the subscriptions whose handlers were refreshed on several of these, outside of hops. For `glitch`, those
    /// whose handlers made values that a batch would join. For `feedback`, the handlers through which the loops were closed.
    package internal(set) var handlers: [UInt32] = []
    /// For `zombieRefresh`, whether the owner was still alive, but should have been gone by the checkpoint `counterpart`.
    package internal(set) var isOverdue = false
    /// For `feedback`, the subscriptions through which the first counted event came about, from the node's own emission on.
    package internal(set) var loop: [UInt32] = []
    /// For `burst`, `repeatedValue` and `glitch`, the counted events that a feedback loop made; for `burst`, or the next refresh; for
    /// `glitch`, the emission that replaces the counted one.
    package internal(set) var inLoop: UInt64 = 0
    /// The node of such a loop; 0: there is none. For `feedback`, the node whose emission ended last before the turn was left unsettled.
    package internal(set) var loopNode: UInt32 = 0
    /// For `burst`, the refreshes whose own emission caused the next one, through hops.
    package internal(set) var returned: UInt64 = 0
    /// For `feedback`, the number of turns left unsettled.
    package internal(set) var unsettled: UInt64 = 0

    /// For `cancelledRequest`, the number of all requests; for `repeatedValue`, that of all refreshes of the subscription.
    package internal(set) var all: UInt64 = 0
    /// For `resubscribedSource`, the subscriptions that began after a live one had a value, and had one themselves at once.
    ///
    /// With `.share()`, they would miss that value. For `repeatedSource`, the same of the sources that repeat another one.
    package internal(set) var atOnce: UInt64 = 0
    /// For `resubscribedSource`, the subscriptions that began after a live one had a value, and had their first value later.
    ///
    /// For `repeatedSource`, the same of the sources that repeat another one.
    package internal(set) var late: UInt64 = 0
    /// For `repeatedSource`, the id of the earlier source that gave the same first value; otherwise 0.
    var original: UInt32 = 0
    /// For `unhandledFailure`, the flatMap that a failure of one of its requests ended, while later values could have started further
    /// ones; 0: there is none.
    package internal(set) var request: UInt32 = 0
    /// The node whose emissions all counted events follow from; nil: no single one is known.
    ///
    /// For `repeatedValue`, `noopEvaluation` and `repeatedRequest`, it emitted an unchanged value first. For `burst`, the write was
    /// made to it. For `staleResponse`, it is the flatMap that emitted the answers, or else the node of the first hop after the
    /// request.
    package internal(set) var cause: UInt32?
    /// For `burst`, whether the writes to one node caused all refreshes, those that followed included.
    var isOfOneWriter = false
    /// Whether the counted events follow from several nodes.
    var hasSeveralCauses = false
    /// For `repeatedSubscription`, whether the subscriptions have an owner or target in common, so that they serve one view.
    package internal(set) var isOfOneView = false

    /// For `burst`, the first refreshes of each part of the program that made some; the first of all is `example`.
    package internal(set) var examples: [BurstExample] = []

    /// The first of the events that were counted, of which `example` is one; empty unless the pass keeps them.
    package internal(set) var occurrences: [EventID] = []

    /// Shows only these of the examples of a burst, if there are any.
    mutating func show(_ shown: [BurstExample]) {
        guard let first = shown.first else { return }
        (examples, example, counterpart) = (shown, first.first, first.next)
    }

    /// The most handlers that are noted; the rest is rare.
    private static let mostHandlers = 64

    /// Notes a handler.
    mutating func note(handler subscription: UInt32) {
        if !handlers.contains(subscription), handlers.count < Self.mostHandlers { handlers.append(subscription) }
    }

    /// Notes the node that a counted event follows from; nil: unknown.
    mutating func note(cause node: UInt32?) {
        if hasSeveralCauses || cause == node { return }
        if cause == nil, count <= 1 { return cause = node }
        (cause, hasSeveralCauses) = (nil, true)
    }

    init(_ rule: RedundancyRule, node: UInt32, subscription: UInt32 = 0, example: EventID, counterpart: EventID? = nil)
    {
        self.rule = rule
        self.node = node
        self.subscription = subscription
        self.example = example
        self.counterpart = counterpart
    }
}

/// The number of events that a rule could not judge at one node.
package struct UnjudgedTally: Sendable, Equatable {
    /// The reasons why a rule cannot judge.
    package enum Reason: String, Sendable, CaseIterable {
        /// The node is private.
        case withheld
        /// The value policy recorded no values.
        case notRecorded
        /// Values of this type cannot be recorded under the value policy.
        case unrecordable
        /// The descriptions agree, but two different values may have the same description.
        case sameDescription
        /// The node, or one that it reaches, was made before the recording began.
        case madeBefore
        /// The graph changes so often that the search for handlers was stopped.
        case changesTooOften
    }

    /// The rule.
    package let rule: RedundancyRule
    /// The id of the node.
    package let node: UInt32
    /// The reason.
    package let reason: Reason
    /// The number of refreshes or evaluations.
    package internal(set) var count: UInt64
}
