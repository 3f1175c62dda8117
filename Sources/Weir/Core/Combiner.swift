import CWeirCore
import WeirRecording

/// An observable whose value is computed from other observables; it is read and subscribed to, not written.
///
/// It is made first and combined later, so that combiners may depend on each other:
/// ```swift
/// let nameIsValid = Combiner(false), passwordIsValid = Combiner(false)
/// nameIsValid.combine(name, passwordIsValid) { name, _ in name.count >= 6 }
/// passwordIsValid.combine(nameIsValid, password) { _, password in password.count >= 6 }
/// ```
/// When an input updates, the transform receives the current values of all inputs and its result is stored. An equal result goes
/// no further, which ends a feedback loop. A loop whose values keep changing recurses until the stack overflows (with the
/// strategy `.settled` it is aborted, see `batch`).
///
/// **Threads.** One thread at a time evaluates. If an input updates on another thread during an evaluation, the evaluating thread
/// evaluates once more. So the final value is the transform of the values that the inputs hold.
///
/// **Ownership.** The combiner holds its inputs. It holds an input that depends on the combiner itself weakly, so a loop leaks
/// nothing. Inputs do not hold the combiner. Its subscribers still receive updates while an input lives, even if the combiner is
/// no longer kept: as with `map`, dropping it ends nothing.
///
/// **Privacy.** A combiner becomes private permanently when one of its inputs is private: its value may reveal the input's value.
/// A combiner made with `privacy: .public` reveals nothing about a secret and stays public.
public final class Combiner<Value>: ReadOnlyObservable<Value>, Combining {
    /// The inputs from which the value is computed.
    public let combination: Combination

    /// A combiner without inputs, which holds `value` until its first evaluation.
    ///
    /// - Parameter privacy: nil: private once an input is. `.public` discloses the value, regardless of the inputs.
    public init(
        _ value: Value, strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        combination = Combination(strategy, isDisclosed: privacy == .public)
        super.init(holding: value, privacy: privacy ?? .public, file: file, line: line)
        if isDisclosed { hidesValues = false }
        recordCreated()
    }

    private init(heirOf former: Combiner<Value>) {
        combination = former.combination.inherited()
        super.init(heirOf: former)
    }

    deinit { combination.end(of: self) { Combiner(heirOf: self) } }

    /// The current value. Reading never delivers.
    @inlinable
    public override var value: Value {
        noteRead()
        return held
    }

    override var height: Int32 { combination.height }
    override var inputs: [Node] { combination.inputs }
    override var evaluation: Evaluation? { combination.current }
    override var kind: NodeKind { .combiner }
    override var tracedStrategy: NodeStrategy? { combination.strategy.traced }
    override var isDisclosed: Bool { combination.isDisclosed }
}

// As for `ReadOnlyObservable`; the combination has its own gate.
extension Combiner: @unchecked Sendable where Value: Sendable {}

/// A combiner that can also be written; the next update of an input replaces the written value.
///
/// ```swift
/// let instruction = WritableCombiner("")
/// instruction.combine(nameError, passwordError) { $0 ?? $1 ?? "" }
/// instruction.value = "Welcome"
/// ```
/// Otherwise the same as `Combiner`.
public final class WritableCombiner<Value>: Observable<Value>, Combining {
    /// The inputs from which the value is computed.
    public let combination: Combination

    /// A combiner without inputs, which holds `value` until its first evaluation or write.
    ///
    /// - Parameter privacy: nil: private once an input is. `.public` discloses the value, regardless of the inputs.
    public init(
        _ value: Value, strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        combination = Combination(strategy, isDisclosed: privacy == .public)
        super.init(value, privacy: privacy ?? .public, file: file, line: line)
        if isDisclosed { hidesValues = false }
        recordCreated()
    }

    private init(heirOf former: WritableCombiner<Value>) {
        combination = former.combination.inherited()
        super.init(heirOf: former)
    }

    deinit { combination.end(of: self) { WritableCombiner(heirOf: self) } }

    override var height: Int32 { max(super.height, combination.height) }
    override var inputs: [Node] { combination.inputs }
    override var evaluation: Evaluation? { combination.current }
    override var kind: NodeKind { .combiner }
    override var tracedStrategy: NodeStrategy? { combination.strategy.traced }
    override var isDisclosed: Bool { combination.isDisclosed }
}

// As for `Combiner`.
extension WritableCombiner: @unchecked Sendable where Value: Sendable {}

/// A value that is combined from observables: `Combiner`, `WritableCombiner`.
public protocol Combining<Value>: AnyObject {
    /// The type of the computed value.
    associatedtype Value
    /// The inputs from which the value is computed.
    var combination: Combination { get }
}

/// The current inputs and evaluation of a combiner.
public final class Combination {
    @exclusivity(unchecked) private var gate = weir_gate()
    /// Guarded by the gate.
    @exclusivity(unchecked) private var evaluation: Evaluation?
    /// The evaluation that holds the heir to which this combination belongs.
    private weak var heldBy: Evaluation?
    let strategy: CombineStrategy
    /// Whether traces may hold the value, regardless of the inputs.
    let isDisclosed: Bool

    init(_ strategy: CombineStrategy, isDisclosed: Bool) {
        self.strategy = strategy
        self.isDisclosed = isDisclosed
    }

    var current: Evaluation? {
        HeldGate.inside(&gate) { evaluation ?? heldBy }
    }

    var height: Int32 { current?.height ?? 0 }
    var inputs: [Node] { current?.inputs ?? [] }

    /// The same combination, for the heir of its combiner.
    func inherited() -> Combination {
        let heirs = Combination(strategy, isDisclosed: isDisclosed)
        heirs.heldBy = evaluation
        return heirs
    }

    /// Called when `combiner` is released. If it has subscribers, its inputs keep an heir.
    func end<Value>(of combiner: ReadOnlyObservable<Value>, heir: () -> Node) {
        if let evaluation, combiner.isHeard { evaluation.keep(heir()) } else { current?.disconnect() }
    }

    /// `combiner` depends on `cells` only, from now on.
    ///
    /// - Parameter since: the sum of the inputs' stamps when the combiner's value was computed. If the sum differs once the
    ///   combiner has subscribed, the combiner evaluates at once.
    fileprivate func replace<Value>(
        of combiner: ReadOnlyObservable<Value>, by cells: [AnyInputCell], since: UInt32?, file: StaticString,
        line: UInt,
        run: @escaping (Node, Evaluation) -> Void
    ) {
        let next = Evaluation(of: combiner, strategy: strategy, cells: cells, run: run)
        let held = HeldGate(&gate)
        let former = evaluation
        evaluation = next
        held.leave(&gate)
        GraphShape.change()
        former?.disconnect()
        next.connect(file: file, line: line)
        if let since, since != cells.reduce(0, { $0 &+ $1.stamp }) { next.evaluate() }
    }
}

extension TracePrivacy? {
    /// The privacy of a combiner of the previous inputs and `input`; nil: the following inputs decide.
    @inlinable
    func of(_ input: Node) -> TracePrivacy? { self ?? (input.isPrivate ? .private : nil) }
}

extension Combining {
    @inlinable
    func cell<Input>(_ input: ReadOnlyObservable<Input>) -> InputCell<Input> {
        InputCell(input, isFeedback: isFeedback(input))
    }

    /// Whether `input` depends on the combiner.
    @usableFromInline
    func isFeedback(_ input: Node) -> Bool {
        let combiner = unsafeDowncast(self, to: ReadOnlyObservable<Value>.self)
        var visited: Set<ObjectIdentifier> = []
        // Nothing depends on a combiner that never had a subscriber, so making a long chain does not walk it each time.
        return input === combiner || combiner.hasHadSubscribers && input.depends(on: combiner, visited: &visited)
    }

    @usableFromInline
    func replace(
        by cells: [AnyInputCell], since: UInt32?, file: StaticString, line: UInt,
        run: @escaping (Node, Evaluation) -> Void
    ) {
        combination.replace(
            of: unsafeDowncast(self, to: ReadOnlyObservable<Value>.self), by: cells, since: since, file: file,
            line: line,
            run: run)
    }
}

/// Selects the input updates that a combiner evaluates.
public enum CombineStrategy: Sendable {
    /// Only the first update of any input.
    case first
    /// Every update once each input has updated at least once.
    case all
    /// Every update of any input.
    case every
    /// Once per turn, after all inputs that change in the turn have changed: without glitches. See `batch`.
    case settled

    /// The same, as a trace says it.
    fileprivate var traced: NodeStrategy {
        switch self {
        case .first: .first
        case .all: .all
        case .every: .every
        case .settled: .settled
        }
    }
}
