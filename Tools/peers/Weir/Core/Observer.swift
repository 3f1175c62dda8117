import WeirTrace

/// A handler that is made before there is anything to observe, and subscribes later, to as many signals as it likes.
///
/// ```swift
/// let observer = Observer<String> { print($0) }
/// observer.subscribe(to: viewModel.username)
/// ```
/// A signal holds its observers strongly. A subscription ends when it is disposed or its signal is released, not when
/// the observer's owner lets go of the observer. The object that adoption found it in is the one for which it works: a trace
/// shows what reaches it after that object's release.
public final class Observer<Value>: Node {
    private let handler: (Value) -> Void

    /// An observer that calls `handler` with every value of what it will subscribe to.
    public init(
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Value) -> Void
    ) {
        self.handler = handler
        super.init(file: file, line: line, privacy: .public)
        recordCreated()
    }

    /// Hears every value of `signal` from now on.
    @discardableResult
    public func subscribe(
        to signal: Signal<Value>, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        signal.attach(TerminalSink(handler, target: self, onEnd: nil, file: file, line: line))
    }

    /// Hears the current value of `observable` now if `initial`, and every new one from now on.
    @discardableResult
    public func subscribe(
        to observable: Observable<Value>, initial: Bool, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        let sink = TerminalSink(handler, target: self, onEnd: nil, file: file, line: line)
        let subscription = observable.attach(sink)
        if initial { observable.replay(to: sink) }
        return subscription
    }

    override var kind: NodeKind { .observer }
    override var valueType: Any.Type? { Value.self }
}
