import WeirTrace

/// What one rule counted at one node or subscription.
public struct RuleTally: Sendable, Equatable {
    /// The rule.
    public let rule: RedundancyRule
    /// The id of the node: the one that emitted or evaluated, or that the subscription observes.
    public let node: UInt32
    /// The id of the subscription; 0: the rule is about the node.
    public let subscription: UInt32
    /// How often.
    public internal(set) var count: UInt64 = 0
    /// Redundant refreshes among what it counts, or caused by it.
    public internal(set) var refreshes: UInt64 = 0
    /// Their handler time, in ticks; of `slowRefresh`, the time beyond a frame.
    public internal(set) var wastedTicks: UInt64 = 0
    /// The first event that it counted; of `slowRefresh`, the beginning of the one that ended first.
    public internal(set) var example: EventID
    /// What makes that one redundant: the refresh, emission or subscription that it repeats or that replaces it.
    public internal(set) var counterpart: EventID?
    /// The id of the subscription through which the first one came: of `noopEvaluation`, `feedback`; 0: none.
    public internal(set) var via: UInt32 = 0
    /// Of `burst`, those whose turns were of one named stimulus, hop or batch.
    public internal(set) var withinStimulus: UInt64 = 0
    /// Of `burst`, those whose turns were of two named stimuli; of the rest, nothing tells what brought them about.
    public internal(set) var betweenStimuli: UInt64 = 0
    /// Of `burst`, the longest time from a refresh to the one that followed it, in ticks.
    public internal(set) var longestGap: UInt64 = 0
    /// The handler of the subscription also emits, in some of its refreshes: it is no mere view.
    public internal(set) var carriesOn = false
    /// Of `crossThread`, the threads, in the order of their first emissions; numbers that `TraceDefinitions.runners` knows
    /// are of the main queue and of actors.
    public internal(set) var threads: [UInt32] = []
    /// Of `zombieRefresh`, whether the owner was alive, though it should have been gone by the checkpoint `counterpart`.
    public internal(set) var isOverdue = false
    /// Of `feedback`, turns that were left unsettled.
    public internal(set) var unsettled: UInt64 = 0

    init(_ rule: RedundancyRule, node: UInt32, subscription: UInt32 = 0, example: EventID, counterpart: EventID? = nil)
    {
        self.rule = rule
        self.node = node
        self.subscription = subscription
        self.example = example
        self.counterpart = counterpart
    }
}

/// What a rule could not judge at one node.
public struct UnjudgedTally: Sendable, Equatable {
    /// Why it could not.
    public enum Reason: String, Sendable, CaseIterable {
        /// The node is private.
        case withheld
        /// The value policy recorded no values.
        case notRecorded
        /// Values of this type cannot be recorded under the value policy.
        case unrecordable
        /// The descriptions agree; two different values may have one description.
        case sameDescription
        /// The node, or one that it reaches, was made before the recording began.
        case madeBefore
        /// The graph changes so often that it was not searched for handlers any more.
        case changesTooOften
    }

    /// The rule.
    public let rule: RedundancyRule
    /// The id of the node.
    public let node: UInt32
    /// Why it could not judge.
    public let reason: Reason
    /// How many refreshes or evaluations.
    public internal(set) var count: UInt64
}
