import CWeir
import WeirTrace

/// An observable whose value is computed from other observables.
///
/// Made first and combined later, so that combiners may depend on each other:
/// ```swift
/// let nameIsValid = Combiner(false), passwordIsValid = Combiner(false)
/// nameIsValid.combine(name, passwordIsValid) { name, _ in name.count >= 6 }
/// passwordIsValid.combine(nameIsValid, password) { _, password in password.count >= 6 }
/// ```
/// When an input updates, the transform gets the current values of all inputs and its result is written; an equal result
/// goes no further, which is what ends a feedback loop. A loop whose values keep changing recurses until the stack ends
/// (with the strategy `.settled` it is given up, see `batch`).
/// The combiner holds its inputs; an input that depends on the combiner itself it holds weakly, so a loop leaks nothing.
/// Inputs do not hold the combiner. What is computed from private inputs is not private unless it is made so.
public final class Combiner<Value>: Observable<Value> {
    @usableFromInline let strategy: CombineStrategy
    private var evaluation: Evaluation?

    /// A combiner without inputs, which holds `value` until its first evaluation.
    public init(
        _ value: Value, strategy: CombineStrategy = .every, privacy: TracePrivacy = .public,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.strategy = strategy
        super.init(value, privacy: privacy, file: file, line: line)
        recordCreated()
    }

    deinit { evaluation?.disconnect() }

    @usableFromInline
    func cell<Input>(_ input: Observable<Input>) -> InputCell<Input> {
        var visited: Set<ObjectIdentifier> = []
        // Nothing depends on a combiner that nobody has subscribed to: so a long chain is made without walking it each time.
        let isFeedback = input === self || hasHadSubscribers && input.depends(on: self, visited: &visited)
        return InputCell(input, isFeedback: isFeedback)
    }

    /// Depends on `cells` from now on, and on nothing else.
    @usableFromInline
    func replace(by cells: [AnyInputCell], file: StaticString, line: UInt, run: @escaping (Node) -> Void) {
        let next = Evaluation(of: self, strategy: strategy, cells: cells, run: run)
        let biased = weir_gate_enter(&gate)
        let former = evaluation
        evaluation = next
        weir_gate_leave(&gate, biased)
        GraphShape.change()
        former?.disconnect()
        next.connect(file: file, line: line)
    }

    private var currentEvaluation: Evaluation? {
        let biased = weir_gate_enter(&gate)
        defer { weir_gate_leave(&gate, biased) }
        return evaluation
    }

    override var height: Int32 { currentEvaluation?.height ?? 0 }

    override var inputs: [Node] { currentEvaluation?.inputs ?? [] }

    override var kind: NodeKind { .combiner }
}

extension Combiner: @unchecked Sendable where Value: Sendable {}
