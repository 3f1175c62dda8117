import WeirRecording

extension Signal {
    /// Writes every value into `target`, until the result is disposed or the signal ends.
    ///
    /// ```swift
    /// draft.bind(to: model.name)
    /// ```
    /// An observable begins with its current value, also through `map`, `compactMap`, `filter`, `removeDuplicates`, `onEvent` and
    /// `disclosed`. Before other operators, write `current`: `name.current.throttle(…).bind(to: title)`. The binding is one-way: a
    /// value written into `target` by other code stays until the next value (`Channel` binds both ways). The target is held weakly:
    /// the first value after its release ends the subscription. In a trace the binding is an edge of the graph, not a refresh. A
    /// private signal makes the target private permanently; bind `disclosed()` if the values reveal nothing about the secret.
    @inlinable @discardableResult
    public final func bind(
        to target: Observable<Value>, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        let link = BindingLink()
        let sink = BindingSink<Value>(to: target, file: file, line: line) { [weak target] value in
            guard let target else { return link.cut() }
            target.value = value
        }
        sink.begin(at: target, with: self)
        return link.join(sink, to: withCurrent(file: file, line: line))
    }

    /// Writes every value into an observable of an optional; otherwise the same as `bind` to a non-optional observable.
    @inlinable @discardableResult
    public final func bind(
        to target: Observable<Value?>, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        let link = BindingLink()
        let sink = BindingSink<Value>(to: target, file: file, line: line) { [weak target] value in
            guard let target else { return link.cut() }
            target.value = value
        }
        sink.begin(at: target, with: self)
        return link.join(sink, to: withCurrent(file: file, line: line))
    }
}

/// The sink through which a signal feeds an observable.
@usableFromInline
final class BindingSink<Value>: Sink<Value> {
    private weak var node: Node?
    private var stop: (() -> Void)?

    @inlinable
    init(to node: Node, file: StaticString, line: UInt, _ handler: @escaping (Value) -> Void) {
        super.init(handler, isTerminal: false, file: file.utf8Start, line: UInt32(clamping: line))
        feed(node)
    }

    @usableFromInline
    func feed(_ node: Node) { self.node = node }

    /// The observable ranks at least as high as its source until the binding ends.
    @usableFromInline
    func begin<Held>(at target: Observable<Held>, with source: Signal<Value>) {
        target.isFed(by: source, through: self)
        stop = { [weak target, unowned self] in target?.isNoLongerFed(through: self) }
    }

    override func end(_ ending: Ending) { stop?() }
    override var failureUse: FailureUse { .unhandled }
    override func cancelled(_ reason: SubscriptionEndReason) { stop?() }
    override var target: Node? { node }
    override func passPrivacyOn() { node?.becomePrivate() }
}
