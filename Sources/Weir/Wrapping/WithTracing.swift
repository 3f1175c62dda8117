import CWeirCore
import WeirRecording

/// Records `body` as a named handler: a callback, a delegate's method, the body of a task that has awaited.
///
/// ```swift
/// button.onTouch = { [weak model] in
///     withTracing("touch Login") { model?.login() }
/// }
/// ```
/// A trace shows an emission of a node of that name, delivered to a timed handler. Emissions in `body` are caused by it. Its own
/// cause is the current delivery or the cause of the task (``Trace/task(priority:_:)``); without one, it is a stimulus. For
/// closures that are stored elsewhere, write it inside the closure, as above. Unlike `Trace.stimulus` it is a node: `weir graph`
/// draws it, and `weir why` and `weir redundant` treat it like any other.
///
/// Any thread may call it. `body` cannot await: after an `await`, code may run on another thread. Cost while nothing is recorded:
/// one predictable branch; while recording, one lock.
///
/// - Parameters:
///   - name: the name in traces; one node for each name and line.
///   - value: the argument of the callback; recorded according to the value policy.
@inlinable @inline(__always) @discardableResult
public func withTracing<Value, Result>(
    _ name: StaticString, _ value: Value = (), file: StaticString = #fileID, line: UInt = #line,
    _ body: () throws -> Result
) rethrows -> Result {
    #if Recording
    if _fastPath(weir_recording() == 0) { return try body() }
    return try CallbackProbes.shared.subscription(name, of: Value.self, file: file, line: line).emitted(value, body)
    #else
    return try body()
    #endif
}

#if Recording
/// The probes of callbacks: one for each name and line of the program, so their number is limited.
@usableFromInline
final class CallbackProbes: @unchecked Sendable {  // The lock guards the mutable state.
    @usableFromInline static let shared = CallbackProbes()

    private struct Site: Hashable {
        let name: UnsafeRawPointer?
        let file: UnsafeRawPointer?
        let line: UInt
        let type: ObjectIdentifier

        /// Few sites share name and line, and hashing less is faster.
        func hash(into hasher: inout Hasher) {
            hasher.combine(UInt(bitPattern: name) ^ line)
        }
    }

    private let lock = SystemLock()
    private var known: [Site: TraceProbe.Subscription] = [:]
    /// In the order of creation: addresses differ from run to run.
    private var all: [TraceProbe.Subscription] = []

    /// A callback has no end of its own: its subscription ends with the recording.
    func recordEnds() {
        for subscription in lock.withLock({ all }) { subscription.recordingEnds() }
    }

    @usableFromInline
    func subscription<Value>(
        _ name: StaticString, of type: Value.Type, file: StaticString, line: UInt
    ) -> TraceProbe.Subscription {
        let site = Site(
            name: name.hasPointerRepresentation ? UnsafeRawPointer(name.utf8Start) : nil,
            file: file.hasPointerRepresentation ? UnsafeRawPointer(file.utf8Start) : nil, line: line,
            type: ObjectIdentifier(type))
        if let found = lock.withLock({ known[site] }) { return found }
        let probe = CallbackProbe("\(name)", of: type, technique: .callback, file: file, line: line)
        let sink = CallbackHandler({ _ in }, isTerminal: true, file: file.utf8Start, line: UInt32(clamping: line))
        let new = TraceProbe.Subscription(to: probe, sink)
        // Another thread may have come first; then this subscription ends, and nothing was recorded of it.
        return lock.withLock {
            if let found = known[site] { return found }
            known[site] = new
            all.append(new)
            return new
        }
    }
}

private final class CallbackProbe: TraceProbe, LivesForever, @unchecked Sendable {}  // Adds no state to `TraceProbe`.

private final class CallbackHandler: Sink<Void>, LivesForever {}
#endif

/// Lives as long as the process by design: not a leak.
package protocol LivesForever: AnyObject {}
