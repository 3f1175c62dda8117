import WeirTrace

/// Follows the result of a condition, and evaluates it only when it may have changed.
package struct ConditionWatch: Sendable {
    /// The condition.
    package let condition: Condition
    /// The latest result.
    package private(set) var judgement: Judgement
    private let asTruth: Bool
    /// The moment of the latest evaluation.
    private var order: UInt64

    /// Follows a condition from a state on: its truth if `asTruth`, otherwise its value.
    package init(_ condition: Condition, asTruth: Bool, in state: TraceState) {
        self.condition = condition
        self.asTruth = asTruth
        order = state.order
        judgement = asTruth ? condition.truth(in: state) : condition.judgement(in: state)
    }

    /// Whether the event that has just happened may change the result.
    package func isConcerned(by event: TraceEvent, in state: TraceState) -> Bool {
        if condition.isChanging(event) { return true }
        // A change lasts for one moment only.
        return condition.mentionsMoment && order &+ 1 == state.order
    }

    /// Takes the event that has just happened, and returns whether it changed the result.
    package mutating func take(_ event: TraceEvent, in state: TraceState) -> Bool {
        guard isConcerned(by: event, in: state) else { return false }
        let before = judgement
        evaluate(in: state)
        // An event that gives no watched node a value ends a momentary change. That is evaluated once.
        if !condition.isChanging(event) { order = .max }
        return judgement != before
    }

    /// Evaluates the condition in a state that was reached by other means than `take`.
    package mutating func evaluate(in state: TraceState) {
        order = state.order
        judgement = asTruth ? condition.truth(in: state) : condition.judgement(in: state)
    }
}

extension Condition {
    /// Whether an event gives one of the condition's nodes a value.
    func isChanging(_ event: TraceEvent) -> Bool { event.kind == .emitted && nodes.contains(event.subject) }
}
