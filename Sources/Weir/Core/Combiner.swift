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
/// goes no further, which is what ends a feedback loop. A loop whose values keep changing recurses until the stack ends.
/// The combiner holds its inputs; an input that depends on the combiner itself it holds weakly, so a loop leaks nothing.
/// Inputs do not hold the combiner. What is computed from private inputs is not private unless it is made so.
public final class Combiner<Value>: Observable<Value> {
    @usableFromInline let strategy: CombineStrategy
    @usableFromInline @exclusivity(unchecked) var evaluation: Evaluation<Value>?
    /// One bit for each input that has updated; guarded by the gate.
    @usableFromInline @exclusivity(unchecked) var updated: UInt64 = 0

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

    /// Depends on `inputs` from now on, and on nothing else.
    ///
    /// Evaluates at the inputs' next updates, as the strategy says; not now. At most 64 inputs.
    @inlinable
    public func combine<each Input>(
        _ inputs: repeat Observable<each Input>, file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping (repeat each Input) -> Value
    ) {
        let combination = Combination<Value, repeat each Input>(
            repeat InputCell(each inputs, isFeedback: isUpstream(of: each inputs)), transform: transform)
        replace(by: Evaluation(cells: combination.allCells) { combination.evaluate() })
        combination.connect(to: self, file: file, line: line)
    }

    @usableFromInline
    func replace(by next: Evaluation<Value>) {
        let biased = weir_gate_enter(&gate)
        let former = evaluation
        updated = 0
        evaluation = next
        weir_gate_leave(&gate, biased)
        former?.disconnect()
    }

    /// An input has updated.
    @inlinable
    func inputUpdated(_ index: Int) {
        let biased = weir_gate_enter(&gate)
        guard let evaluation else { return weir_gate_leave(&gate, biased) }
        let isFirst = updated == 0
        updated |= 1 << UInt64(index)
        let isComplete = updated == evaluation.allInputs
        weir_gate_leave(&gate, biased)
        let runs =
            switch strategy {
            case .first: isFirst
            case .all: isComplete
            case .every: true
            }
        if runs {
            write(evaluation.evaluate())
        } else if weir_recording() != 0 {
            recordSuppressed(.waiting)
        }
    }

    @usableFromInline
    func isUpstream(of input: Node) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        return input === self || input.depends(on: self, visited: &visited)
    }

    override func depends(on other: Node, visited: inout Set<ObjectIdentifier>) -> Bool {
        guard visited.insert(ObjectIdentifier(self)).inserted else { return false }
        let biased = weir_gate_enter(&gate)
        let current = evaluation
        weir_gate_leave(&gate, biased)
        guard let evaluation = current else { return false }
        for input in evaluation.inputs {
            if input === other || input.depends(on: other, visited: &visited) { return true }
        }
        return false
    }

    override var kind: NodeKind { .combiner }
}

extension Observable {
    /// An observable whose value is computed from `inputs`, at once and then as `strategy` says.
    ///
    /// The transform also runs once right away, for the first value. Give `initial` to have it run on updates only.
    /// At most 64 inputs. Keep the result: the inputs do not.
    @inlinable
    public static func combine<each Input>(
        _ inputs: repeat Observable<each Input>, strategy: CombineStrategy = .every,
        privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping (repeat each Input) -> Value
    ) -> Combiner<Value> {
        let first = transform(repeat currentValue(each inputs))
        let combiner = Combiner(first, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(repeat each inputs, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until `inputs` update and `strategy` lets the transform run.
    @inlinable
    public static func combine<each Input>(
        _ inputs: repeat Observable<each Input>, initial: Value, strategy: CombineStrategy = .every,
        privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping (repeat each Input) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(repeat each inputs, file: file, line: line, transform: transform)
        return combiner
    }
}

@inlinable
func currentValue<Value>(_ observable: Observable<Value>) -> Value { observable.value }

extension Combiner: @unchecked Sendable where Value: Sendable {}
