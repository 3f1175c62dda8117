import CWeirCore
import WeirRecording

extension Signal {
    /// Emits `value` to each subscriber, then completes.
    ///
    ///     just(1): (1|)
    @inlinable
    public static func just(
        _ value: Value, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Signal(.source, privacy: privacy, file: file, line: line) { _, sink in
            sink.emitTurn(value)
            sink.finish(.completed)
            return Disposable.ended()
        }
    }

    /// Completes at once.
    ///
    ///     empty: |
    public static func empty(file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        ending(.completed, file: file, line: line)
    }

    /// Fails at once.
    ///
    ///     failed: #
    public static func failed(
        _ error: any Error, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        ending(.failed(error), file: file, line: line)
    }

    /// Emits nothing and does not end, also if nothing holds the subscription.
    ///
    ///     never: ------
    public static func never(file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        Signal(.source, privacy: .public, file: file, line: line) { _, sink in EndlessToken(sink) }
    }

    /// Emits the value of a success, then completes; fails with the error of a failure.
    public convenience init(
        _ result: Result<Value, some Error>, privacy: TracePrivacy = .public, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(.source, privacy: privacy, file: file, line: line) { _, sink in
            switch result {
            case .success(let value):
                sink.emitTurn(value)
                sink.finish(.completed)
            case .failure(let error): sink.finish(.failed(error))
            }
            return Disposable.ended()
        }
    }

    private static func ending(_ ending: Ending, file: StaticString, line: UInt) -> Signal<Value> {
        Signal(.source, privacy: .public, file: file, line: line) { _, sink in
            sink.finish(ending)
            return Disposable.ended()
        }
    }
}

/// A subscription that ends only if it is disposed.
private final class EndlessToken<Value>: Disposable, @unchecked Sendable {  // The sink never changes.
    private let sink: Sink<Value>

    init(_ sink: Sink<Value>) {
        self.sink = sink
        super.init()
    }

    deinit {
        // Nobody can dispose it any more. A trace shows that; the subscriber is not told.
        guard weir_exchange_bool(&sink.isActive, false), weir_recording() != 0 else { return }
        sink.recordEnded(.sourceReleased)
    }

    override func end(_ reason: SubscriptionEndReason) { sink.cancel(reason) }
    override func weakened() -> Disposable { WeakEndlessToken(sink) }
}

private final class WeakEndlessToken<Value>: Disposable, @unchecked Sendable {  // Set once.
    private weak var sink: Sink<Value>?

    init(_ sink: Sink<Value>) {
        self.sink = sink
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) { sink?.cancel(reason) }
}
