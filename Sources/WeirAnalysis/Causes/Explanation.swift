import WeirTrace

/// Why an event happened: all chains of causes that lead to it, each from its root on.
///
/// The first chain follows the direct causes. If a node used several inputs that had changed, each of the others starts a chain
/// of its own. No event is listed twice: a chain that reaches a listed event begins after it.
package struct Explanation: Sendable, Equatable {
    /// A chain of causes.
    package struct Chain: Sendable, Equatable {
        /// The steps, each caused by the one before.
        package let steps: [CauseStep]
        /// The step in an earlier chain that caused the first of these; nil if the first is a root or its cause is missing.
        package let joins: EventID?
        /// The cause of the first step, if the trace no longer has it.
        package let missingCause: EventID?
    }

    /// The chains; the first one ends with the event to be explained.
    package internal(set) var chains: [Chain] = []
    /// The number of causes beyond the limit, which were not followed.
    package internal(set) var omitted = 0

    /// The event that is explained.
    package var target: CauseStep? { chains.first?.steps.last }
}

extension Timeline {
    /// Why the event with this id happened; nil if the trace has no such event.
    ///
    /// The cost is that of going to each event on the path; see `Timeline`. Moves the timeline to another position.
    ///
    /// - Parameters:
    ///   - limit: The most steps to list; causes beyond it are counted.
    ///   - mostEvents: After this many events no further cause is followed. Only a trace of very many nodes, whose
    ///     checkpoints lie far apart, reaches this limit.
    package func explanation(
        of id: EventID, limit: Int = 300, mostEvents: UInt64 = 10_000_000
    ) -> Explanation? {
        var finder = ExplanationFinder(self, limit: limit, mostEvents: mostEvents)
        return finder.explain(id)
    }
}

extension TracePast {
    /// Why the event with this id happened; nil if the trace has no such event, or if the answer is unsure.
    ///
    /// The cost is that of reading back from each event on the path to its causes.
    func explanation(of id: EventID, limit: Int = 300) -> Explanation? {
        var finder = ExplanationFinder(self, limit: limit, mostEvents: .max)
        return finder.explain(id)
    }
}

/// Something that finds events with their causes.
private protocol CauseSource: AnyObject {
    /// The step of an event, if there is one, and perhaps those of events that may be next; `around` are the frames around each.
    func steps(of id: EventID, ahead: [EventID]) -> [EventID: (step: CauseStep, around: [EventID])]
    /// How many events have been read so far.
    var walkedEvents: UInt64 { get }
    /// Whether to give up.
    var isUnsure: Bool { get }
}

extension Timeline: CauseSource {
    fileprivate var isUnsure: Bool { false }

    fileprivate func steps(
        of id: EventID, ahead: [EventID]
    ) -> [EventID: (step: CauseStep, around: [EventID])] {
        let start = checkpoint(before: id)
        return causeSteps(of: ahead.filter { checkpoint(before: $0) == start } + [id])
    }
}

extension TracePast: CauseSource {
    fileprivate var walkedEvents: UInt64 { 0 }

    fileprivate func steps(
        of id: EventID, ahead: [EventID]
    ) -> [EventID: (step: CauseStep, around: [EventID])] {
        step(of: id).map { [id: ($0, [])] } ?? [:]
    }
}

/// Follows causes back to their roots.
private struct ExplanationFinder<Source: CauseSource> {
    private let source: Source
    private let limit: Int
    private let lastWalk: UInt64
    /// Steps that were read before they are listed, and ids of events that may be next.
    private var read: [EventID: CauseStep] = [:]
    private var ahead: [EventID] = []
    private var result = Explanation()
    private var reported: Set<EventID> = []
    /// Heads of further chains, in the order in which they were found.
    private var pending: [EventID] = []
    private var isPending: Set<EventID> = []

    init(_ source: Source, limit: Int, mostEvents: UInt64) {
        self.source = source
        self.limit = max(1, limit)
        lastWalk = source.walkedEvents.addingReportingOverflow(mostEvents).partialValue
    }

    /// Steps that may be listed next lie near the current one: one pass over the events reads them together.
    private var mostAhead: Int { 600 }

    /// The step of an event; nil if there is no such event.
    private mutating func step(of id: EventID) -> CauseStep? {
        if let known = read.removeValue(forKey: id) { return known }
        let found = source.steps(of: id, ahead: ahead.filter { !reported.contains($0) })
        for (other, what) in found where other != id { read[other] = what.step }
        ahead.removeAll { found[$0] != nil }
        ahead += found[id]?.around ?? []
        ahead.removeFirst(max(0, ahead.count - mostAhead))
        return found[id]?.step
    }

    mutating func explain(_ id: EventID) -> Explanation? {
        guard follow(id) else { return nil }
        var next = 0
        while next < pending.count {
            let isLeft = reported.count < limit && source.walkedEvents < lastWalk
            if !reported.contains(pending[next]) {
                if isLeft { _ = follow(pending[next]) } else { result.omitted += 1 }
            }
            next += 1
        }
        return result
    }

    /// Adds the chain that ends with an event; false if there is no such event.
    private mutating func follow(_ head: EventID) -> Bool {
        var steps: [CauseStep] = []
        var next: EventID? = head
        var joins: EventID?
        var missing: EventID?
        while let id = next, !source.isUnsure {
            if reported.contains(id) {
                joins = id
                break
            }
            guard reported.count < limit, source.walkedEvents < lastWalk || read[id] != nil || reported.isEmpty else {
                result.omitted += 1
                break
            }
            guard let step = step(of: id) else {
                missing = id
                break
            }
            reported.insert(id)
            steps.append(step)
            next = step.mainCause
            for input in step.changedInputs where input != next && isPending.insert(input).inserted {
                pending.append(input)
                if ahead.count < mostAhead { ahead.append(input) }
            }
        }
        guard !steps.isEmpty else { return false }
        result.chains.append(.init(steps: steps.reversed(), joins: joins, missingCause: missing))
        return true
    }
}
