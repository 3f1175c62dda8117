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

    /// For `settled`, whether the node is an operator whose sources begin with their current values.
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
    /// The remedy for the tallies of one rule and line; the first of them wasted most. Nil: none is known to help.
    init?(for tallies: [RuleTally], _ lines: ProgramLines, _ parts: BurstParts?) {
        let (first, definitions) = (tallies[0], lines.definitions)
        let nodes = Self.distinct(tallies.map(\.node))
        let subscriptions = Self.distinct(tallies.map(\.subscription))
        let inputs = Self.distinct(tallies.map(\.via))
        let nodeSite = definitions.nodes[first.node]?.site
        let subscriptionSite = definitions.subscriptions[first.subscription]?.site ?? nodeSite
        switch first.rule {
        case .repeatedValue:
            self.init(.removeDuplicates, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .glitch:
            // A handler writes to an input of what has settled: waiting would not help.
            if tallies.allSatisfy({ $0.settled == $0.count }) { return nil }
            // One side of a two-way binding: the writes are made at the other side.
            if definitions.nodes[first.node]?.kind == .channel { return nil }
            let technique = definitions.nodes[first.node]?.technique ?? .weir
            if technique == .weir || technique == .traced, !lines.computes(first.node), Self.isBatched(tallies) {
                self.init(
                    .batchHandler, nodes: nodes, subscriptions: Self.distinct(tallies.flatMap(\.handlers)),
                    site: nodeSite)
                return
            }
            self.init(
                lines.computes(first.node) ? .settled : .computeOnce, nodes: nodes,
                site: lines.computingSite(ofNode: first.node))
            beginsWithCurrent = lines.beginsWithCurrent(first.node)
        case .burst:
            guard let parts else { return nil }
            if parts.isOfLoop {
                self.init(
                    .cutLaterLoop, nodes: nodes, subscriptions: Self.distinct(tallies.map(\.via)),
                    site: definitions.subscriptions[first.via]?.site ?? subscriptionSite)
                return
            }
            if let shared = parts.writtenByHandlers {
                self.init(
                    .computeOnce, nodes: [shared], subscriptions: subscriptions,
                    site: definitions.nodes[shared]?.site)
            } else {
                guard parts.isBatched || parts.canThrottle else { return nil }
                self.init(
                    parts.isBatched ? .batch : .throttle, nodes: nodes, subscriptions: subscriptions,
                    site: subscriptionSite)
                cannotBatch = !parts.canBatch
                isOfBody = definitions.nodes[first.node]?.technique == .render
                isOfLaterWork = parts.isOfLaterWork
            }
        case .unobserved: self.init(.makeLater, nodes: nodes, site: nodeSite)
        case .noopEvaluation:
            if tallies.allSatisfy({ $0.again == $0.count }), lines.canSettle(first.node) {
                self.init(.settled, nodes: nodes, site: lines.computingSite(ofNode: first.node))
                beginsWithCurrent = lines.beginsWithCurrent(first.node)
            } else if lines.canNarrow(first.via, of: first.node) {
                self.init(
                    .narrowInput, nodes: nodes, subscriptions: inputs,
                    site: definitions.subscriptions[first.via]?.site ?? nodeSite)
            } else {
                return nil
            }
        case .resubscribedSource:
            let replays = tallies.contains { $0.atOnce > 0 }
            self.init(replays ? .replay : .share, nodes: nodes, site: nodeSite)
            missesEarlierValues = !replays && tallies.contains { $0.late > 0 }
        case .feedback:
            let cuts = tallies.map(lines.cut)
            let isOfOwnHandlers = tallies.allSatisfy { definitions.subscriptions[$0.via]?.source == $0.node }
            // Each handler of the node that writes it again is a loop of its own.
            let handlers = tallies.flatMap(\.handlers).filter {
                definitions.subscriptions[$0].map { nodes.contains($0.source) } == true
            }
            self.init(
                .cutLoop, nodes: nodes, subscriptions: Self.distinct(isOfOwnHandlers ? cuts + handlers : cuts),
                site: definitions.subscriptions[cuts[0]]?.site ?? nodeSite)
            self.isOfOwnHandlers = isOfOwnHandlers
            corrected = isOfOwnHandlers ? nil : lines.corrected(tallies)
            isOfOwnState = isOfOwnHandlers && nodes.allSatisfy { definitions.nodes[$0]?.kind == .observable }
        case .zombieRefresh: self.init(.dispose, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .crossThread: self.init(.deliver, nodes: nodes, site: nodeSite)
        case .slowRefresh:
            self.init(.lightenHandler, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .unhandledFailure where first.request != 0 && definitions.nodes[first.node]?.kind != .execution:
            self.init(
                .catchInRequest, nodes: Self.distinct(tallies.map(\.request)),
                site: lines.definitions.nodes[first.request]?.site)
        case .unhandledFailure:
            self.init(.handleFailure, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .repeatedSubscription:
            self.init(.subscribeOnce, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .staleResponse where first.cause.flatMap { definitions.nodes[$0]?.kind } == .flatMap:
            self.init(
                .latestRequest, nodes: Self.distinct(tallies.compactMap(\.cause)), subscriptions: subscriptions,
                site: first.cause.flatMap { definitions.nodes[$0]?.site })
        case .staleResponse:
            self.init(.dropStale, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .repeatedSource:
            let originals = Dictionary(tallies.lazy.filter { $0.original > 0 }.map { ($0.node, $0.original) }) { $1 }
            self.init(.makeOnce, nodes: Self.distinct(nodes + originals.values), site: nodeSite)
            self.originals = originals
            needsReplay = tallies.contains { $0.atOnce > 0 }
            missesEarlierValues = !needsReplay && tallies.contains { $0.late > 0 }
        // Whether fewer requests are wanted, or another strategy, only the program knows.
        case .cancelledRequest: return nil
        case .repeatedRequest:
            // An onEvent may begin something that only a new answer ends, such as a spinner.
            let effects = lines.effects(before: first.via)
            self.init(
                .removeDuplicateRequests, nodes: nodes,
                subscriptions: Self.distinct(tallies.map { lines.effects(before: $0.via).last?.input ?? $0.via }),
                site: effects.last.map { definitions.nodes[$0.node]?.site } ?? nodeSite)
            isBeforeEffects = !effects.isEmpty
        }
    }

    /// The remedy at the common cause of several findings, worst first; nil: each needs its own.
    init?(forAll findings: [Finding], _ lines: ProgramLines) {
        let tallies = findings.flatMap(\.tallies)
        let first = findings[0]
        guard let cause = first.cause else { return nil }
        if first.rule == .burst || first.rule == .staleResponse {
            let remedies = findings.compactMap(\.remedy)
            guard let own = first.remedy, remedies.count == findings.count, remedies.allSatisfy({ $0.kind == own.kind })
            else { return nil }
            self.init(
                own.kind, nodes: Self.distinct(remedies.flatMap(\.nodes)),
                subscriptions: Self.distinct(remedies.flatMap(\.subscriptions)), site: own.site)
            cannotBatch = remedies.allSatisfy(\.cannotBatch)
            isOfLaterWork = own.isOfLaterWork
            isOfBody = own.isOfBody
        } else {
            let causes = Self.distinct(tallies.compactMap(\.cause))
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
                    .removeDuplicates, nodes: causes, subscriptions: Self.distinct(outputs),
                    site: lines.definitions.nodes[cause]?.site)
            }
        }
        isOfEvents = kind == .removeDuplicates && lines.comesFromEvents(cause)
        carriers = Self.distinct(tallies.filter(\.carriesOn).map(\.subscription))
    }

    /// Whether a batch joins more than half of the values that were replaced.
    private static func isBatched(_ tallies: [RuleTally]) -> Bool {
        let all = tallies.reduce(into: (count: 0 as UInt64, batched: 0 as UInt64)) {
            $0.count &+= $1.count
            $0.batched &+= $1.ofOneWriter
        }
        return all.batched > all.count / 2
    }

    private static func distinct(_ ids: [UInt32]) -> [UInt32] { Set(ids).subtracting([0]).sorted() }
}
