import CWeirCore
import WeirRecording

/// The common part of all inputs of a combiner.
@usableFromInline
class AnyInputCell {
    /// Whether the input depends on the combiner, or the combiner has no owner: then this must not hold the input.
    @usableFromInline @exclusivity(unchecked) final var isWeak: Bool
    /// Whether the input depends on the combiner.
    final let isFeedback: Bool

    @usableFromInline
    init(isFeedback: Bool) {
        self.isFeedback = isFeedback
        isWeak = isFeedback
    }
    var node: Node? { nil }
    /// The stamp of the input; 0: the input has been released.
    var stamp: UInt32 { 0 }
    func connect(to evaluation: Evaluation, index: Int, file: StaticString, line: UInt) {}
    func disconnect() {}
    /// Stops holding the input; release the result outside of any gate.
    func weaken() -> Node? { nil }
}

/// One input of a combiner.
@usableFromInline
final class InputCell<Input>: AnyInputCell {
    @exclusivity(unchecked) private var strong: ReadOnlyObservable<Input>?
    /// The same, to be read without reference counting.
    @usableFromInline let source: Unmanaged<ReadOnlyObservable<Input>>
    /// The same input, if it must not be held.
    private weak var weakSource: ReadOnlyObservable<Input>?
    /// The evaluation of an input that is a combiner: the combiner's heir can replace it.
    private weak var weakEvaluation: Evaluation?
    /// The last value of a released input.
    @exclusivity(unchecked) private var last: Input
    private let lock: SystemLock?
    private var key: UInt64 = 0

    @usableFromInline
    init(_ source: ReadOnlyObservable<Input>, isFeedback: Bool) {
        self.source = .passUnretained(source)
        strong = isFeedback ? nil : source
        weakSource = isFeedback ? source : nil
        lock = isFeedback ? SystemLock() : nil
        last = source.stored
        super.init(isFeedback: isFeedback)
    }

    @inlinable @inline(__always)
    var value: Input {
        isWeak ? weakValue : source._withUnsafeGuaranteedRef { $0.storedForEvaluation }
    }

    @usableFromInline
    var weakValue: Input {
        guard let node else { return lock?.withLock { last } ?? last }
        let value = node.stored
        // One thread at a time evaluates; a feedback input's values are stored as they arrive.
        if !isFeedback { last = value }
        return value
    }

    override func weaken() -> Node? {
        guard let held = strong else { return nil }
        weakSource = held
        weakEvaluation = held.evaluation
        isWeak = true
        strong = nil
        return held
    }

    override func connect(to evaluation: Evaluation, index: Int, file: StaticString, line: UInt) {
        let remember: ((Input) -> Void)? = isFeedback ? { [weak self] in self?.remember($0) } : nil
        key = node?.add(EdgeSink(evaluation, index: index, remember: remember, file: file, line: line)) ?? 0
    }

    override func disconnect() { node?.removeSubscription(key, .disposed) }

    private func remember(_ value: Input) {
        var former = value
        lock?.withLock { swap(&last, &former) }
        // Only here, outside of the lock: releasing it may run anything.
        withExtendedLifetime(former) {}
    }

    override var stamp: UInt32 { node?.stamp ?? 0 }
    override var node: ReadOnlyObservable<Input>? {
        strong ?? weakSource ?? weakEvaluation?.combiner.map { unsafeDowncast($0, to: ReadOnlyObservable<Input>.self) }
    }
}

/// The sink through which an observable feeds a combiner.
private final class EdgeSink<Value>: Sink<Value> {
    let evaluation: Evaluation
    let index: Int

    init(
        _ evaluation: Evaluation, index: Int, remember: ((Value) -> Void)?, file: StaticString, line: UInt
    ) {
        self.evaluation = evaluation
        self.index = index
        let (file, line) = (file.utf8Start, UInt32(clamping: line))
        if let remember {
            super.init(
                { [unowned evaluation] value in
                    remember(value)
                    evaluation.inputUpdated(index)
                }, isTerminal: false, file: file, line: line)
        } else {
            super.init(
                operation: { sink, _ in
                    let me = unsafeDowncast(sink, to: EdgeSink<Value>.self)
                    me.evaluation.inputUpdated(me.index)
                }, file: file, line: line)
        }
    }

    override var target: Node? { evaluation.combiner }
    override func passPrivacyOn() { evaluation.combiner?.becomePrivate() }
}

#if Recording
// A combiner's deinit weakens or disconnects its inputs, which cuts the cycle input → subscription → evaluation → input.
extension AnyInputCell: SelfCutting {}
#endif
