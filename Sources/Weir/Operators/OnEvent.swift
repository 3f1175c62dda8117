import WeirRecording

extension Signal {
    /// The same signal; `handler` receives its events first.
    ///
    /// ```swift
    /// load().onEvent { if case .failed(let error) = $0 { log(error) } }
    /// ```
    /// Runs once for every subscription, like everything in a chain.
    ///
    /// - Parameters:
    ///   - subscribed: called before the source is subscribed to.
    ///   - disposed: called when the subscription ends before the signal does: disposed, or the source was released.
    ///   - handler: called with each value, and with the failure or completion.
    @inlinable
    public func onEvent(
        subscribed: @escaping @Sendable () -> Void = {}, disposed: @escaping @Sendable () -> Void = {},
        file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @Sendable (Event<Value>) -> Void
    ) -> Signal<Value> {
        Operator(
            .onEvent, OnEvent(subscribed: subscribed, disposed: disposed, handler: handler), to: self, file: file,
            line: line)
    }
}

@usableFromInline
struct OnEvent<Value>: Operation {
    @usableFromInline var keepsCurrent: Bool { true }
    @usableFromInline typealias Input = Value
    @usableFromInline typealias Output = Value
    @usableFromInline let subscribed: () -> Void
    @usableFromInline let disposed: () -> Void
    @usableFromInline let handler: (Event<Value>) -> Void

    @inlinable
    init(
        subscribed: @escaping () -> Void, disposed: @escaping () -> Void, handler: @escaping (Event<Value>) -> Void
    ) {
        self.subscribed = subscribed
        self.disposed = disposed
        self.handler = handler
    }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        subscribed()
        return source.attach(
            InputSink<Value, Value>(feeding: downstream) { [handler] in
                handler(.next($0))
                downstream.emit($0)
            } end: { [handler, disposed] ending in
                switch ending {
                case .completed: handler(.completed)
                case .failed(let error): handler(.failed(error))
                case .released, .abandoned: disposed()
                }
                downstream.finish(ending)
            } cancelled: { [disposed] reason in
                disposed()
                downstream.cancel(reason)
            })
    }
}
