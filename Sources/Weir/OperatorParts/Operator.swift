import WeirRecording

/// The work of an operator: connects one subscriber of its result to its source.
@usableFromInline
protocol Operation<Input, Output> {
    associatedtype Input
    associatedtype Output

    /// Subscribes `downstream` to `source` through the operator.
    ///
    /// The result ends the subscription and holds all sources. The sink attached to the source may hold `downstream`; only the
    /// result may hold the source.
    func attach(_ downstream: consuming Sink<Output>, to source: Signal<Input>) -> Disposable

    /// Whether the result has a current value if the source has one: the transformed current value.
    var keepsCurrent: Bool { get }
}

extension Operation {
    @usableFromInline var keepsCurrent: Bool { false }
}

/// The result of applying an operator to a signal.
///
/// Cost: one allocation to make; the operation states the cost of a subscription.
@usableFromInline
final class Operator<Applied: Operation>: Signal<Applied.Output> {
    @usableFromInline let source: Signal<Applied.Input>
    @usableFromInline let applied: Applied

    /// - Parameter isPrivate: nil: as private as the source.
    @inlinable
    init(
        _ kind: NodeKind, _ applied: Applied, to source: Signal<Applied.Input>, isPrivate: Bool? = nil,
        file: StaticString, line: UInt
    ) {
        // Read first, so that the signal is passed on, without reference counting.
        let isPrivate = isPrivate ?? source.isPrivate
        self.source = source
        self.applied = applied
        // A function without context: it costs no allocation, and is specialised where the operator is applied.
        super.init(kind, isPrivate: isPrivate, file: file, line: line) { signal, downstream in
            let me = unsafeDowncast(signal, to: Operator<Applied>.self)
            return me.applied.attach(downstream, to: me.source)
        }
    }

    /// For properties, which cannot capture the call site.
    init(
        _ kind: NodeKind, _ applied: Applied, to source: Signal<Applied.Input>, file: UnsafePointer<UInt8>, line: UInt32
    ) {
        self.source = source
        self.applied = applied
        super.init(kind, isPrivate: source.isPrivate, file: file, line: line) { signal, downstream in
            let me = unsafeDowncast(signal, to: Operator<Applied>.self)
            return me.applied.attach(downstream, to: me.source)
        }
    }

    /// The same operator, applied to another source.
    private init(
        _ applied: Applied, to source: Signal<Applied.Input>, like node: OperatorNode,
        start: @escaping (Signal<Applied.Output>, consuming Sink<Applied.Output>) -> Disposable
    ) {
        self.source = source
        self.applied = applied
        super.init(node, start: start)
    }

    override func withCurrent(file: StaticString, line: UInt) -> Signal<Applied.Output> {
        guard applied.keepsCurrent, case let current = source.withCurrent(file: file, line: line), current !== source
        else {
            return self
        }
        return Operator(applied, to: current, like: sharedIdentity, start: start)
    }

    override func forLater(_ others: LaterSignals) -> () -> Signal<Applied.Output>? {
        { [applied, start, node = sharedIdentity, source = others.later(source)] in
            source.signal().map { Operator(applied, to: $0, like: node, start: start) }
        }
    }

    override var inputs: [Node] { [source] }
}

extension Operator: @unchecked Sendable where Applied.Output: Sendable {}  // Adds constants to `Signal`.

/// An operation without state: each value causes emissions of its own.
@usableFromInline
protocol StatelessOperation<Input, Output>: Operation {
    /// Emits the result for `value` to `downstream`, or records why there is none.
    func receive(_ value: Input, _ downstream: Sink<Output>)
}

extension StatelessOperation {
    @inlinable
    func attach(_ downstream: consuming Sink<Output>, to source: Signal<Input>) -> Disposable {
        source.attach(StatelessSink(self, downstream))
    }
}

/// A stateless operation in one subscription. Cost: one allocation.
@usableFromInline
final class StatelessSink<Applied: StatelessOperation>: Sink<Applied.Input> {
    @usableFromInline let applied: Applied
    @usableFromInline let downstream: Sink<Applied.Output>

    @inlinable
    init(_ applied: Applied, _ downstream: Sink<Applied.Output>) {
        // Read first, so that the sink is passed on, without reference counting.
        let site = downstream.originSite
        let isOfSecret = downstream.isOfSecret
        self.applied = applied
        self.downstream = downstream
        super.init(
            operation: { sink, value in
                let me = unsafeDowncast(sink, to: StatelessSink<Applied>.self)
                me.applied.receive(value, me.downstream)
            }, file: site.file, line: site.line)
        self.isOfSecret = isOfSecret
    }

    override func end(_ ending: Ending) { downstream.finish(ending) }
    override func cancelled(_ reason: SubscriptionEndReason) { downstream.cancel(reason) }
    override func passPrivacyOn() { downstream.becomePrivate() }
    #if Recording
    override func targetCode(_ log: ThreadLog) -> UInt32 { downstream.originCodeAsTarget(log) }
    #endif
    override var isHeard: Bool { super.isHeard && downstream.isHeard }
}
