import WeirTrace

/// Follows what a condition gives, and evaluates it only where that may have changed.
public struct ConditionWatch: Sendable {
    /// The condition.
    public let condition: Condition
    /// What it gave last.
    public private(set) var judgement: Judgement
    private let asTruth: Bool
    /// The moment at which it was evaluated last.
    private var order: UInt64

    /// Follows a condition from a state on: whether it is true, or otherwise what value it has.
    public init(_ condition: Condition, asTruth: Bool, in state: TraceState) {
        self.condition = condition
        self.asTruth = asTruth
        order = state.order
        judgement = asTruth ? condition.truth(in: state) : condition.judgement(in: state)
    }

    /// Whether the event that has just happened may change what the condition gives.
    public func isConcerned(by event: TraceEvent, in state: TraceState) -> Bool {
        if condition.isChanging(event) { return true }
        // A change lasts for one moment only.
        return condition.mentionsMoment && order &+ 1 == state.order
    }

    /// Takes up the event that has just happened; whether it changed what the condition gives.
    public mutating func take(_ event: TraceEvent, in state: TraceState) -> Bool {
        guard isConcerned(by: event, in: state) else { return false }
        let before = judgement
        evaluate(in: state)
        // An event of no node of its own takes back what lasted for a moment: that is done once.
        if !condition.isChanging(event) { order = .max }
        return judgement != before
    }

    /// Evaluates it in a state that was reached in some other way.
    public mutating func evaluate(in state: TraceState) {
        order = state.order
        judgement = asTruth ? condition.truth(in: state) : condition.judgement(in: state)
    }
}

extension Condition {
    /// Whether an event gives one of its nodes a value.
    func isChanging(_ event: TraceEvent) -> Bool { event.kind == .emitted && nodes.contains(event.subject) }
}
