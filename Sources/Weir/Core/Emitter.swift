import CWeirCore
import WeirRecording

/// Emits events and keeps no current value.
///
/// ```swift
/// let rolled36 = Emitter<Void>()
/// rolled36.subscribe { print("36!") }
/// rolled36.emit()
/// ```
/// Every event goes to every subscriber, even if it equals the previous one. If a handler emits again, the later event is
/// delivered first (depth first), so the remaining subscribers receive the two in reverse order. See `Subject` for threads. A
/// subscriber that subscribes after the emitter has ended receives the end at once.
public final class Emitter<Value>: Subject<Value> {
    /// An emitter.
    ///
    /// - Parameter privacy: `.private` keeps values out of every trace.
    public init(privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line) {
        super.init(.emitter, privacy: privacy, file: file, line: line)
        recordCreated()
    }

    /// Delivers `value` to all subscribers; returns when all have been called.
    @inlinable
    public func emit(_ value: Value) { broadcast(value) }

    /// Ends the emitter with an error: subscribers receive the error, and nothing after it.
    public func fail(_ error: any Error) { finish(.failed(error)) }

    /// Ends the emitter: subscribers receive the completion, and nothing after it.
    public func complete() { finish(.completed) }
}

extension Emitter where Value == Void {
    /// Emits an event that has no value.
    @inlinable
    public func emit() { emit(()) }
}

extension Emitter: @unchecked Sendable where Value: Sendable {}
