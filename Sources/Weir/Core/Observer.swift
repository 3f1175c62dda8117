import WeirRecording

/// A handler that is made before its signals exist, and later subscribes to any number of them.
///
/// ```swift
/// let observer = Observer<String> { print($0) }
/// observer.subscribe(to: viewModel.username)
/// ```
/// A signal holds its observers strongly. A subscription ends when it is disposed or its signal is released, not when the
/// observer's owner releases the observer. The observer works for the object in which adoption found it: a trace shows the values
/// that reach it after that object's release.
public final class Observer<Value>: Node {
    private let handler: (Value) -> Void
    /// The actor to which the handler belongs.
    private let home: (any Actor)?

    /// An observer that calls `handler` with every value of the signals to which it will subscribe.
    ///
    /// A handler that is made in an actor's isolation runs there; see ``Signal/subscribe(owner:file:line:_:)``.
    public init(
        file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (Value) -> Void
    ) {
        home = handler.isolation
        self.handler = Isolation.handler(handler)
        super.init(file: file, line: line, privacy: .public)
        recordCreated()
    }

    /// Receives every value of `signal` from now on.
    @discardableResult
    public func subscribe(
        to signal: Signal<Value>, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        if let home {
            return signal.attach(
                handler, in: home, operation: IsolatedSink.receive, owner: nil, target: self, file: file, line: line)
        }
        return signal.attach(TerminalSink(handler, target: self, onEnd: nil, file: file, line: line))
    }

    /// Receives the current value of `observable` now if `initial` is true, and every new value from now on.
    @discardableResult
    public func subscribe(
        to observable: ReadOnlyObservable<Value>, initial: Bool, file: StaticString = #fileID, line: UInt = #line
    ) -> Disposable {
        if let home {
            let sink = IsolatedSink(
                handler, queue: HomeQueue(home), target: self, owner: nil, onEnd: nil, file: file, line: line,
                operation: IsolatedSink.receive)
            return IsolatedSubscription(initial ? observable.attachCurrent(sink) : observable.attach(sink), sink.queue)
        }
        let sink = TerminalSink(handler, target: self, onEnd: nil, file: file, line: line)
        return initial ? observable.attachCurrent(sink) : observable.attach(sink)
    }

    override var kind: NodeKind { .observer }
    override var valueType: Any.Type? { Value.self }
}

extension Observer: @unchecked Sendable {}  // Has constants; the compiler has checked the handler.
