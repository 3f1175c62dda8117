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
    /// - Parameters:
    ///   - limit: So many steps are told; causes beyond are counted.
    ///   - mostEvents: Once so many events have been walked, no further cause is followed. It takes a trace of very many
    ///     nodes, whose checkpoints lie far apart, to come to that.
    public func explanation(
        of id: EventID, limit: Int = 300, mostEvents: UInt64 = 10_000_000
    ) -> Explanation? {
        var finder = ExplanationFinder(self, limit: limit, mostEvents: mostEvents)
        return finder.explain(id)
    }
}

/// Follows causes back to their roots.
private struct ExplanationFinder {
    private let timeline: Timeline
    private let limit: Int
    private let lastWalk: UInt64
    /// Steps that were read before they are told, and ids of those that may be next.
    private var read: [EventID: CauseStep] = [:]
    private var ahead: [EventID] = []
    private var result = Explanation()
    private var told: Set<EventID> = []
    /// Heads of further chains, in the order in which they were come upon.
    private var pending: [EventID] = []
    private var isPending: Set<EventID> = []

    init(_ timeline: Timeline, limit: Int, mostEvents: UInt64) {
        self.timeline = timeline
        self.limit = max(1, limit)
        lastWalk = timeline.walkedEvents &+ mostEvents
    }

    /// What may be told next lies near what is told now: it is read on one way with that.
    private static let mostAhead = 600

    /// The step of an event; nil: there is no such event.
    private mutating func step(of id: EventID) -> CauseStep? {
        if let known = read.removeValue(forKey: id) { return known }
        let start = timeline.checkpoint(before: id)
        let near = ahead.filter { timeline.checkpoint(before: $0) == start && !told.contains($0) }
        let found = timeline.causeSteps(of: near + [id])
        for (other, what) in found where other != id { read[other] = what.step }
        ahead.removeAll { found[$0] != nil }
        ahead += found[id]?.around ?? []
        ahead.removeFirst(max(0, ahead.count - Self.mostAhead))
        return found[id]?.step
    }

    mutating func explain(_ id: EventID) -> Explanation? {
        guard follow(id) else { return nil }
        var next = 0
        while next < pending.count {
            let isLeft = told.count < limit && timeline.walkedEvents < lastWalk
            if !told.contains(pending[next]) {
                if isLeft { _ = follow(pending[next]) } else { result.omitted += 1 }
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
            guard told.count < limit, timeline.walkedEvents < lastWalk || read[id] != nil || told.isEmpty else {
                result.omitted += 1
                break
            }
            guard let step = step(of: id) else {
                missing = id
                break
            }
            told.insert(id)
            steps.append(step)
            next = step.mainCause
            for input in step.changedInputs where input != next && isPending.insert(input).inserted {
                pending.append(input)
                if ahead.count < Self.mostAhead { ahead.append(input) }
            }
        }
        guard !steps.isEmpty else { return false }
        result.chains.append(.init(steps: steps.reversed(), joins: joins, missingCause: missing))
        return true
    }
}
