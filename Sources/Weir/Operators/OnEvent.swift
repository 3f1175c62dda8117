import WeirRecording

extension Signal {
    /// The same signal; `handler` receives its events first.
    ///
    /// ```swift
    /// load().onEvent { if case .failed(let error) = $0 { log(error) } }
    /// ```
    /// Runs once for every subscription, like everything in a chain. A value that `handler` itself emits into the source follows
    /// the one that it handles.
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
        let events = HandledEvents(handler, disposed, passedTo: downstream)
        return source.attach(
            InputSink<Value, Value>(feeding: downstream) {
                events.next($0)
            } end: {
                events.end($0)
            } cancelled: { [disposed] reason in
                disposed()
                downstream.cancel(reason)
            })
    }
}

/// Passes the events of one subscription to a handler, then on.
///
/// A value that the handler causes waits until the one that it handles has been passed on: otherwise it would overtake it.
@usableFromInline
final class HandledEvents<Value> {
    @usableFromInline let handler: (Event<Value>) -> Void
    private let disposed: () -> Void
    @usableFromInline let downstream: Sink<Value>
    @usableFromInline @exclusivity(unchecked) var isHandling = false
    @usableFromInline @exclusivity(unchecked) var hasWaiting = false
    @exclusivity(unchecked) private var waiting = Queue<(value: Value, hop: Hop)>()

    @usableFromInline
    init(
        _ handler: @escaping (Event<Value>) -> Void, _ disposed: @escaping () -> Void, passedTo downstream: Sink<Value>
    ) {
        self.handler = handler
        self.disposed = disposed
        self.downstream = downstream
    }

    @inlinable
    func next(_ value: Value) {
        if _slowPath(isHandling || hasWaiting) { return wait(for: value) }
        handle(value)
        if _slowPath(hasWaiting) { runWaiting() }
    }

    @inlinable
    func handle(_ value: Value) {
        isHandling = true
        handler(.next(value))
        isHandling = false
        downstream.emit(value)
    }

    @usableFromInline
    func end(_ ending: Ending) {
        if hasWaiting { runWaiting() }
        switch ending {
        case .completed: handler(.completed)
        case .failed(let error): handler(.failed(error))
        case .released, .abandoned: disposed()
        }
        downstream.finish(ending)
    }

    @usableFromInline @inline(never)
    func wait(for value: Value) {
        hasWaiting = true
        waiting.append((value, Hop.queued))
    }

    @usableFromInline @inline(never)
    func runWaiting() {
        while let next = waiting.popFirst() {
            hasWaiting = !waiting.isEmpty
            if downstream.isHeard { next.hop.run(of: downstream) { handle(next.value) } }
        }
    }
}
