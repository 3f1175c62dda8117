import WeirTrace

/// A remedy for a finding: an operator or a change, and its location.
public struct Remedy: Sendable, Hashable {
    /// The change.
    public enum Kind: String, Sendable, CaseIterable {
        /// `.removeDuplicates()` before the subscriptions.
        case removeDuplicates
        /// `.settled` as the strategy of the nodes: they emit once a turn, after all inputs.
        case settled
        /// A node that several handlers write is computed by one combiner with the strategy `.settled`.
        case computeOnce
        /// `batch` around the writes that were made in one stimulus.
        case batch
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
        /// The view subscribes once, or disposes of its former subscription first.
        case subscribeOnce
        /// `.removeDuplicates()` before a flatMap, so that an equal value starts no further request.
        case removeDuplicateRequests
        /// An answer is dropped once a later request has been made.
        case dropStale
        /// The source is made once and shared, not at each call.
        case makeOnce
    }

    /// A node that joins two values, and the line that computes it.
    public struct Join: Sendable, Hashable {
        /// The id of the node.
        public let node: UInt32
        /// The line.
        public let site: TraceSite?
    }

    /// The change.
    public let kind: Kind
    /// The ids of the nodes that are changed.
    public internal(set) var nodes: [UInt32]
    /// For `settled`, those of the nodes that join the value of the others with one of their sources.
    ///
    /// If these did not wait, too, they would evaluate with the former value first, and refresh more often than before.
    public internal(set) var joins: [Join] = []
    /// The ids of the subscriptions that are changed; empty if the remedy changes nodes.
    public let subscriptions: [UInt32]
    /// The line to change.
    public let site: TraceSite?

    /// For `throttle`, whether no batch joins the values: they come from events, from sources, or through an operator with
    /// several inputs.
    public internal(set) var cannotBatch = false

    /// For `share` and `makeOnce`, whether some subscribers would miss values that had been emitted before they came.
    public internal(set) var missesEarlierValues = false

    /// For `makeOnce`, whether `.share()` would take a first value away from a later subscriber, which now gets it at once.
    public internal(set) var needsReplay = false

    /// A remedy.
    public init(_ kind: Kind, nodes: [UInt32], subscriptions: [UInt32] = [], site: TraceSite?) {
        self.kind = kind
        self.nodes = nodes
        self.subscriptions = subscriptions
        self.site = site
    }
}
