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
    /// The actor to which the handler belongs.
    private let home: (any Actor)?

    /// An observer that calls `handler` with every value of what it will subscribe to.
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

    /// Hears every value of `signal` from now on.
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

    /// Hears the current value of `observable` now if `initial`, and every new one from now on.
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
