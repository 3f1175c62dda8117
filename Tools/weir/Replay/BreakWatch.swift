import WeirAnalysis
import WeirTrace

/// Detects where a condition becomes true.
struct BreakWatch {
    let named: NamedCondition
    private var watch: ConditionWatch?

    init(_ named: NamedCondition) { self.named = named }

    /// Begins in a state in which the condition may already be true.
    mutating func begin(in state: TraceState) { watch = ConditionWatch(named.condition, asTruth: true, in: state) }

    /// Whether the event that has just happened makes it true.
    mutating func isHit(by event: TraceEvent, _ state: TraceState) -> Bool {
        let wasTrue = watch?.judgement.truth == true
        guard watch?.take(event, in: state) ?? false else { return false }
        return !wasTrue && watch?.judgement.truth == true
    }
}
