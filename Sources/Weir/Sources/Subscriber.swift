import CWeirCore
import WeirRecording

/// The receiver to which the closure of a cold signal sends values: one subscription.
///
/// Every function may be called from any thread. Values after the end, or after the subscription was disposed, are dropped; a
/// trace shows this.
public struct Subscriber<Value> {
    let production: Production<Value>

    /// Delivers a value; returns when it has been handled.
    public func next(_ value: Value) { production.next(value) }

    /// Ends the signal with an error.
    public func fail(_ error: any Error) { production.finish(.failed(error)) }

    /// Ends the signal.
    public func complete() { production.finish(.completed) }

    /// Delivers an event.
    public func send(_ event: Event<Value>) {
        switch event {
        case .next(let value): next(value)
        case .failed(let error): fail(error)
        case .completed: complete()
        }
    }

    /// Whether no subscriber is left: the signal has ended, or the subscription was disposed, here or further downstream.
    public var isDisposed: Bool { !production.sink.isHeard }
}

extension Subscriber: @unchecked Sendable where Value: Sendable {}

extension Signal {
    /// A cold signal: `produce` runs for every subscription, and sends to its subscriber.
    ///
    /// The result of `produce` is disposed once: when the signal ends, or the subscription is disposed.
    public convenience init(
        privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line,
        _ produce: @escaping @Sendable (Subscriber<Value>) -> Disposable?
    ) {
        self.init(.source, privacy: privacy, file: file, line: line) { _, sink in
            let production = Production(sink)
            return production.token(produce(Subscriber(production: production)))
        }
    }

    /// The same as `Signal { … }`, under the name that other libraries use.
    public static func create(
        privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line,
        _ produce: @escaping @Sendable (Subscriber<Value>) -> Disposable?
    ) -> Signal<Value> {
        Signal(privacy: privacy, file: file, line: line, produce)
    }
}

/// One run of a cold signal's closure.
///
/// Held by everything that may still emit: the closure's `Subscriber`, and the subscription. When both have been released, no
/// event can follow: it ends as released, and the result of the closure is disposed.
final class Production<Value>: @unchecked Sendable {  // The lock guards the mutable state.
    let sink: Sink<Value>
    /// The hop of events later than the subscription, if nothing that is open could have caused them.
    private let hop = Hop.ofSubscription()
    private let serializer = Serializer()
    private let lock = SystemLock()
    private var cleanup: Disposable?
    private var isOver = false
    /// Whether it ended by itself, without disposal.
    private var hasEnded = false
    private weak var token: ProductionToken<Value>?

    init(_ sink: Sink<Value>) { self.sink = sink }

    deinit {
        if isOver { return }
        sink.finish(.abandoned)
        cleanup?.dispose()
    }

    func next(_ value: Value) {
        guard serializer.enter(orLeave: later { $0.deliver(value) }) else { return }
        deliver(value)
        serializer.leave()
    }

    func finish(_ ending: Ending) {
        guard serializer.enter(orLeave: later { $0.end(ending) }) else { return }
        end(ending)
        serializer.leave()
    }

    private func later(_ work: @escaping (Production<Value>) -> Void) -> () -> Void {
        let hop = Hop.queued
        return { [self] in hop.run(of: sink) { work(self) } }
    }

    private func deliver(_ value: Value) {
        guard weir_load_bool(&sink.isActive) else { return sink.suppress(lateness) }
        hop.runIfLater(of: sink) { sink.emitTurn(value) }
    }

    private func end(_ ending: Ending) {
        if weir_load_bool(&sink.isActive) {
            lock.withLock { hasEnded = true }
            hop.runIfLater(of: sink) { sink.finish(ending) }
        } else {
            sink.suppress(lateness)
        }
        cleanUp(.disposed)
    }

    private var lateness: SuppressionReason { lock.withLock { hasEnded } ? .afterCompletion : .disposed }

    /// The subscriber's token, which ends the production; `cleanup` is the result of the closure.
    func token(_ cleanup: Disposable?) -> Disposable {
        let token = ProductionToken(self, holding: cleanup)
        let isTooLate = lock.withLock {
            if !isOver {
                self.cleanup = cleanup?.weakened()
                self.token = token
            }
            return isOver
        }
        guard isTooLate else { return token }
        cleanup?.dispose()
        return .ended()
    }

    func cleanUp(_ reason: SubscriptionEndReason) {
        let (cleanup, token) = lock.withLock { () -> (Disposable?, ProductionToken<Value>?) in
            isOver = true
            defer { self.cleanup = nil }
            return (self.cleanup, self.token)
        }
        cleanup?.dispose(reason)
        token?.release()
    }
}

extension Sink {
    /// The token of a subscription to a cold signal that emits nothing more.
    @usableFromInline
    func idleToken() -> Disposable {
        weir_load_bool(&isActive) ? Production(self).token(nil) : Disposable()
    }
}

/// A subscription to a cold signal, held by its subscriber.
private final class ProductionToken<Value>: Disposable, @unchecked Sendable {  // The lock guards the mutable state.
    private let lock = SystemLock()
    private var production: Production<Value>?
    private var cleanup: Disposable?

    init(_ production: Production<Value>, holding cleanup: Disposable?) {
        self.production = production
        self.cleanup = cleanup
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) {
        let production = lock.withLock { self.production }
        production?.sink.cancel(reason)
        production?.cleanUp(reason)
        release()
    }

    /// Called when the production is over: its sources need not be held any more.
    func release() {
        let former = lock.withLock { () -> (Production<Value>?, Disposable?) in
            defer { (production, cleanup) = (nil, nil) }
            return (production, cleanup)
        }
        withExtendedLifetime(former) {}
    }

    override func weakened() -> Disposable { WeakProductionToken(production) }
}

private final class WeakProductionToken<Value>: Disposable, @unchecked Sendable {
    private weak var production: Production<Value>?

    init(_ production: Production<Value>?) {
        self.production = production
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) {
        production?.sink.cancel(reason)
        production?.cleanUp(reason)
    }
}
