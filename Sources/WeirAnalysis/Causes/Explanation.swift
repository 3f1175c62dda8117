import WeirTrace

/// Why an event happened: all chains of causes that lead to it, each from its root on.
///
/// The first chain follows the direct causes. Where a node took in several inputs that had changed, each of the others
/// heads a chain of its own. No event is told twice: a chain that comes upon one that was told begins behind it.
public struct Explanation: Sendable, Equatable {
    /// A chain of causes.
    public struct Chain: Sendable, Equatable {
        /// The steps, each caused by the one before.
        public let steps: [CauseStep]
        /// The step, told in an earlier chain, that caused the first of these; nil: the first is a root, or its cause
        /// is missing.
        public let joins: EventID?
        /// The cause of the first step, where the trace no longer has it.
        public let missingCause: EventID?
    }

    /// The chains; the first one ends with the event to be explained.
    public internal(set) var chains: [Chain] = []
    /// Causes beyond the limit, which were not followed.
    public internal(set) var omitted = 0

    /// The event that is explained.
    public var target: CauseStep? { chains.first?.steps.last }
}

extension Timeline {
    /// Why the event of this id happened; nil: the trace has no such event.
    ///
    /// Costs going to each event on the way; see `Timeline`. The timeline moves to some other position.
    ///
    /// - Parameter limit: So many steps are told; causes beyond are counted.
    public func explanation(of id: EventID, limit: Int = 300) -> Explanation? {
        var finder = ExplanationFinder(self, limit: limit)
        return finder.explain(id)
    }
}

/// Follows causes back to their roots.
private struct ExplanationFinder {
    private let timeline: Timeline
    private let limit: Int
    private var result = Explanation()
    private var told: Set<EventID> = []
    /// Heads of further chains, in the order in which they were come upon.
    private var pending: [EventID] = []
    private var isPending: Set<EventID> = []

    init(_ timeline: Timeline, limit: Int) {
        self.timeline = timeline
        self.limit = max(1, limit)
    }

    mutating func explain(_ id: EventID) -> Explanation? {
        guard follow(id) else { return nil }
        var next = 0
        while next < pending.count {
            if !told.contains(pending[next]) {
                if told.count < limit { _ = follow(pending[next]) } else { result.omitted += 1 }
            }
            next += 1
        }
        return result
    }

    /// Adds the chain that ends with an event; false: there is no such event.
    private mutating func follow(_ head: EventID) -> Bool {
        var steps: [CauseStep] = []
        var next: EventID? = head
        var joins: EventID?
        var missing: EventID?
        while let id = next {
            if told.contains(id) {
                joins = id
                break
            }
            guard told.count < limit else {
                result.omitted += 1
                break
            }
            guard let step = timeline.causeStep(of: id) else {
                missing = id
                break
            }
            told.insert(id)
            steps.append(step)
            next = step.mainCause
            for input in step.changedInputs where input != next && isPending.insert(input).inserted {
                pending.append(input)
            }
        }
        guard !steps.isEmpty else { return false }
        result.chains.append(.init(steps: steps.reversed(), joins: joins, missingCause: missing))
        return true
    }
}
