import CWeir
import WeirTrace

/// An observable whose value is computed from other observables; to be read and subscribed to, not written.
///
/// Made first and combined later, so that combiners may depend on each other:
/// ```swift
/// let nameIsValid = Combiner(false), passwordIsValid = Combiner(false)
/// nameIsValid.combine(name, passwordIsValid) { name, _ in name.count >= 6 }
/// passwordIsValid.combine(nameIsValid, password) { _, password in password.count >= 6 }
/// ```
/// When an input updates, the transform gets the current values of all inputs and its result is stored; an equal result
/// goes no further, which is what ends a feedback loop. A loop whose values keep changing recurses until the stack ends
/// (with the strategy `.settled` it is given up, see `batch`).
///
/// **Threads.** One thread at a time evaluates. When an input updates on another thread meanwhile, the thread that
/// evaluates does so once more. So the value is in the end the transform of the values that the inputs hold.
///
/// **Ownership.** The combiner holds its inputs; an input that depends on the combiner itself it holds weakly, so a loop
/// leaks nothing. Inputs do not hold the combiner. But its subscribers hear updates as long as an input lives, even if nobody
/// keeps the combiner: as with `map`, dropping it ends nothing.
///
/// **Privacy.** A combiner is private from the moment on in which one of its inputs is, and stays so: its value may tell theirs.
/// One that is made with `privacy: .public` says nothing of a secret, and is not.
public final class Combiner<Value>: ReadOnlyObservable<Value>, Combining {
    /// What the value is computed from.
    public let combination: Combination

    /// A combiner without inputs, which holds `value` until its first evaluation.
    ///
    /// - Parameter privacy: nil: private as soon as an input is. `.public` discloses the value, whatever it is computed from.
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
    override var isDisclosed: Bool { combination.isDisclosed }
}

// As for `ReadOnlyObservable`; what is combined is guarded by its own gate.
extension Combiner: @unchecked Sendable where Value: Sendable {}

/// A combiner that may also be written: an input's next update replaces what was written.
///
/// ```swift
/// let instruction = WritableCombiner("")
/// instruction.combine(nameError, passwordError) { $0 ?? $1 ?? "" }
/// instruction.value = "Welcome"
/// ```
/// Otherwise as `Combiner`.
public final class WritableCombiner<Value>: Observable<Value>, Combining {
    /// What the value is computed from.
    public let combination: Combination

    /// A combiner without inputs, which holds `value` until its first evaluation or write.
    ///
    /// - Parameter privacy: nil: private as soon as an input is. `.public` discloses the value, whatever it is computed from.
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
    override var isDisclosed: Bool { combination.isDisclosed }
}

// As for `Combiner`.
extension WritableCombiner: @unchecked Sendable where Value: Sendable {}

/// What can be combined from observables: `Combiner`, `WritableCombiner`.
public protocol Combining<Value>: AnyObject {
    /// The type of the value that is computed.
    associatedtype Value
    /// What it is computed from.
    var combination: Combination { get }
}

/// What a combiner is computed from at present.
public final class Combination {
    @exclusivity(unchecked) private var gate = weir_gate()
    /// Guarded by the gate.
    @exclusivity(unchecked) private var evaluation: Evaluation?
    /// The evaluation of an heir, which holds the heir.
    private weak var heldBy: Evaluation?
    let strategy: CombineStrategy
    /// Traces may hold the value, whatever it is computed from.
    let isDisclosed: Bool

    init(_ strategy: CombineStrategy, isDisclosed: Bool) {
        self.strategy = strategy
        self.isDisclosed = isDisclosed
    }

    var current: Evaluation? {
        let biased = weir_gate_enter(&gate)
        defer { weir_gate_leave(&gate, biased) }
        return evaluation ?? heldBy
    }

    var height: Int32 { current?.height ?? 0 }
    var inputs: [Node] { current?.inputs ?? [] }

    /// The same, for the heir of its combiner.
    func inherited() -> Combination {
        let heirs = Combination(strategy, isDisclosed: isDisclosed)
        heirs.heldBy = evaluation
        return heirs
    }

    /// Nobody keeps `combiner` any more. If it has subscribers, its inputs keep an heir.
    func end<Value>(of combiner: ReadOnlyObservable<Value>, heir: () -> Node) {
        if let evaluation, combiner.isHeard { evaluation.keep(heir()) } else { current?.disconnect() }
    }

    /// `combiner` depends on `cells` from now on, and on nothing else.
    ///
    /// - Parameter since: the inputs' stamps together when the combiner's value was computed; if they are others when the
    ///   combiner has subscribed, it evaluates at once.
    fileprivate func replace<Value>(
        of combiner: ReadOnlyObservable<Value>, by cells: [AnyInputCell], since: UInt32?, file: StaticString,
        line: UInt,
        run: @escaping (Node, Evaluation) -> Void
    ) {
        let next = Evaluation(of: combiner, strategy: strategy, cells: cells, run: run)
        let biased = weir_gate_enter(&gate)
        let former = evaluation
        evaluation = next
        weir_gate_leave(&gate, biased)
        GraphShape.change()
        former?.disconnect()
        next.connect(file: file, line: line)
        if let since, since != cells.reduce(0, { $0 &+ $1.stamp }) { next.evaluate() }
    }
}

extension TracePrivacy? {
    /// The privacy of a combiner of these inputs and `input`; nil: the inputs after it decide.
    @inlinable
    func of(_ input: Node) -> TracePrivacy? { self ?? (input.isPrivate ? .private : nil) }
}

extension Combining {
    @usableFromInline
    func cell<Input>(_ input: ReadOnlyObservable<Input>) -> InputCell<Input> {
        let combiner = unsafeDowncast(self, to: ReadOnlyObservable<Value>.self)
        var visited: Set<ObjectIdentifier> = []
        // Nothing depends on a combiner that nobody has subscribed to: so a long chain is made without walking it each time.
        let isFeedback =
            input === combiner || combiner.hasHadSubscribers && input.depends(on: combiner, visited: &visited)
        return InputCell(input, isFeedback: isFeedback)
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
