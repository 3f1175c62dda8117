import WeirTrace

/// A remedy for a finding: an operator or a change, and its location.
package struct Remedy: Sendable, Hashable {
    /// The change.
    package enum Kind: String, Sendable, CaseIterable {
        /// `.removeDuplicates()` before the subscriptions.
        case removeDuplicates
        /// `.settled` as the strategy of the nodes: they emit once a turn, after all inputs.
        case settled
        /// A node that several handlers write is computed by one combiner with the strategy `.settled`.
        case computeOnce
        /// `batch` around the writes that were made in one stimulus.
        case batch
        /// `batch` around the writes of a handler and of what it calls, of which one turn replaced the first.
        case batchHandler
        /// `.throttle` before the subscriptions, with the length of a frame as its interval.
        case throttle
        /// `.share()` after the sources.
        case share
        /// `.replay(1)` after the sources: shared, too, but a later subscriber receives the latest value, which it would miss.
        case replay
        /// The subscriptions are disposed with their owner.
        case dispose
        /// One edge of a loop is cut.
        case cutLoop
        /// A handler does not write what refreshes it again, through a scheduler.
        case cutLaterLoop
        /// The nodes are made only when they are shown.
        case makeLater
        /// The input that changes without effect is narrowed, by `.map` and `.removeDuplicates()`.
        case narrowInput
        /// `.deliver(on:)` before the writes to the nodes.
        case deliver
        /// Work is moved out of the handler.
        case lightenHandler
        /// The subscriptions receive failures, too, or the signal before them replaces or retries them.
        case handleFailure
        /// The signal that a flatMap's function returns replaces its failure, so that later values start further requests.
        case catchInRequest
        /// The view subscribes once, or disposes of its former subscription first.
        case subscribeOnce
        /// `.removeDuplicates()` before a flatMap, so that an equal value starts no further request.
        case removeDuplicateRequests
        /// An answer is dropped once a later request has been made.
        case dropStale
        /// `.flatMap(.latest)`: a new value of the flatMap cancels the former request.
        case latestRequest
        /// The source is made once and shared, not at each call.
        case makeOnce
    }

    /// A node that joins two values, and the line that computes it.
    package struct Join: Sendable, Hashable {
        /// The id of the node.
        package let node: UInt32
        /// The line.
        package let site: TraceSite?
    }

    /// The change.
    package let kind: Kind
    /// The ids of the nodes that are changed.
    package internal(set) var nodes: [UInt32]
    /// For `batch`, the combiners that must wait until the turn settles, and each combineLatest that such a combiner replaces. For `settled`, those of the nodes that join the value of the others with one of their sources.
    ///
    /// If these did not wait, too, they would evaluate with the former value first, and refresh more often than before.
    package internal(set) var joins: [Join] = []
    /// The ids of the subscriptions that are changed; empty if the remedy changes nodes. For `batchHandler`, those with the handlers.
    /// For `computeOnce`, those whose refreshes a batch around the writes joins besides.
    package let subscriptions: [UInt32]
    /// The line to change.
    package let site: TraceSite?

    /// For `settled`, and the operators that `batch` replaces: whether the sources of each begin with their current values.
    package internal(set) var beginsWithCurrent = false

    /// The subscriptions whose handlers also emit, and so may have to hear each value; only for the remedy of several findings.
    package internal(set) var carriers: [UInt32] = []

    /// For `removeDuplicates` at the common cause of several findings, whether the values come from events.
    package internal(set) var isOfEvents = false

    /// For `throttle`, whether no batch joins the values: they come from events, from sources, or from writes to several nodes that an
    /// operator joins.
    package internal(set) var cannotBatch = false

    /// For `throttle`, whether later work, such as a load, makes most of the later writes.
    package internal(set) var isOfLaterWork = false

    /// For `throttle`, whether a body is refreshed: it reads less, or its writes are made together, which no pause imitates.
    package internal(set) var isOfBody = false

    /// For `removeDuplicateRequests`, whether `site` is that of an `onEvent` through which the values come, not of the flatMap.
    package internal(set) var isBeforeEffects = false

    /// For `handleFailure`, whether the subscriptions are those of handlers, which receive the failure besides.
    package internal(set) var isOfHandlers = false

    /// For `cutLoop`, whether the loops are those of nodes and their own handlers.
    package internal(set) var isOfOwnHandlers = false

    /// For `cutLoop`, the observable that the only handler of the loop writes, if the handler observes something computed from it.
    package internal(set) var corrected: UInt32?

    /// For `cutLoop` of own handlers, whether the nodes hold a state.
    package internal(set) var isOfOwnState = false

    /// For `share` and `makeOnce`, whether some subscribers would miss values that had been emitted before they came.
    package internal(set) var missesEarlierValues = false

    /// For `makeOnce`, by id of a source: an earlier one that does the same work.
    package internal(set) var originals: [UInt32: UInt32] = [:]

    /// For `makeOnce`, whether `.share()` would take a first value away from a later subscriber, which now gets it at once.
    package internal(set) var needsReplay = false

    /// A remedy.
    package init(_ kind: Kind, nodes: [UInt32], subscriptions: [UInt32] = [], site: TraceSite?) {
        self.kind = kind
        self.nodes = nodes
        self.subscriptions = subscriptions
        self.site = site
    }
}

extension Remedy {
    /// The remedy at the common cause of several findings, worst first; nil: each needs its own.
    init?(forAll findings: [Finding], _ lines: ProgramLines) {
        let tallies = findings.flatMap(\.tallies)
        let first = findings[0]
        guard let cause = first.cause else { return nil }
        if first.rule.commonCause != .unchangedValues {
            let remedies = findings.compactMap(\.remedy)
            guard let own = first.remedy, remedies.count == findings.count, remedies.allSatisfy({ $0.kind == own.kind })
            else { return nil }
            self.init(
                own.kind, nodes: FindingFacts.distinct(remedies.flatMap(\.nodes)),
                subscriptions: FindingFacts.distinct(remedies.flatMap(\.subscriptions)), site: own.site)
            cannotBatch = remedies.allSatisfy(\.cannotBatch)
            isOfLaterWork = own.isOfLaterWork
            isOfBody = own.isOfBody
        } else {
            let causes = FindingFacts.distinct(tallies.compactMap(\.cause))
            let definitions = lines.definitions
            // A `removeDuplicates` directly after the cause already holds its equal values back.
            let outputs = definitions.subscriptions.values.filter { subscription in
                causes.contains(subscription.source)
                    && subscription.target.flatMap { definitions.nodes[$0]?.kind } != .removeDuplicates
            }.map(\.id)
            if outputs.isEmpty { return nil }
            if let own = first.remedy, own.kind == .removeDuplicates, Set(own.subscriptions) == Set(outputs) {
                self = own
            } else {
                self.init(
                    .removeDuplicates, nodes: causes, subscriptions: FindingFacts.distinct(outputs),
                    site: lines.definitions.nodes[cause]?.site)
            }
        }
        isOfEvents = kind == .removeDuplicates && lines.comesFromEvents(cause)
        carriers = FindingFacts.distinct(tallies.filter(\.carriesOn).map(\.subscription))
    }
}
