import CWeir

/// An open interval of a `SignpostSink`.
///
///     interval = began ended
///
/// Its holder ends it once, even if the recording has stopped since then or another one has begun.
package struct SignpostInterval {
    private let sink: any SignpostSink
    private let kind: SignpostKind
    private let state: AnyObject
    /// A forked child does not end the intervals of its parent.
    private let era: UInt32

    /// Nil: the recording has no signposts, nothing reads them, or a signal handler has interrupted the recorder.
    init?(
        _ kind: SignpostKind, of writer: TraceWriter?, _ name: () -> String, cause: () -> String? = { nil }
    ) {
        guard let sink = writer?.configuration.signposts, sink.isEnabled, !weir_has_interrupted_recorder() else {
            return nil
        }
        let (name, cause) = (name(), cause())
        // A signal handler that emits now must not enter the sink.
        weir_enter_inside()
        defer { weir_leave_inside() }
        self.sink = sink
        self.kind = kind
        state = sink.began(kind, name, cause: cause)
        era = weir_era()
    }

    package func end(unchanged: Bool = false) {
        guard era == weir_era() else { return }
        weir_enter_inside()
        defer { weir_leave_inside() }
        sink.ended(kind, state, unchanged: unchanged)
    }
}

/// The names of the turns that each thread has begun lately, and the last values of handlers: bounded, and kept only for signposts.
final class SignpostMemory: @unchecked Sendable {  // The lock guards the state.
    private static let mostTurns = 64
    private static let mostHandlers = 10_000

    private let lock = SystemLock()
    private var turns: [UInt32: [(sequence: UInt64, name: String)]] = [:]
    private var hashes: [UInt32: Int] = [:]

    /// A turn with that name begins at the record `sequence` of a thread.
    func began(_ name: String, thread: UInt32, sequence: UInt64) {
        lock.withLock {
            var known = turns[thread, default: []]
            if known.count >= Self.mostTurns { known.removeFirst(Self.mostTurns / 2) }
            known.append((sequence, name))
            turns[thread] = known
        }
    }

    /// The turn that a record belongs to; nil: it is too long ago.
    func turn(thread: UInt32, sequence: UInt64) -> String? {
        lock.withLock { turns[thread]?.last { $0.sequence <= sequence }?.name }
    }

    /// Whether the last value that a subscription received had the same hash; remembers this one.
    func repeats(_ hash: Int, _ subscription: UInt32) -> Bool {
        lock.withLock {
            guard hashes.count < Self.mostHandlers || hashes[subscription] != nil else { return false }
            return hashes.updateValue(hash, forKey: subscription) == hash
        }
    }
}

extension ThreadLog {
    /// Begins the interval of a turn if what is recorded next on this thread begins one; `name`: that of the stimulus or node.
    package func turnBegins(_ name: () -> String) -> SignpostInterval? {
        guard depth == 0, isReady(weir_recording()) else { return nil }
        return turn(name, cause: nil, sequence: thread.pointee.sequence &+ 1)
    }

    /// Begins the interval of a refresh.
    package func refreshBegins(_ name: () -> String, cause: () -> String? = { nil }) -> SignpostInterval? {
        SignpostInterval(.refresh, of: ThreadKeeper.ofCallingThread().writer, name, cause: cause)
    }

    /// Whether a value with that hash is the one that the subscription received last.
    package func repeats(_ hash: Int, _ subscription: UInt32) -> Bool {
        guard recordsValues else { return false }
        return ThreadKeeper.ofCallingThread().writer?.signpostMemory?.repeats(hash, subscription) ?? false
    }

    /// A stimulus or hop has opened the outermost frame of the thread.
    func frameOpened(_ name: @autoclosure () -> String, cause place: Place? = nil) {
        guard weir_has_signposts(), depth == 1 else { return }
        let keeper = ThreadKeeper.ofCallingThread()
        keeper.turn?.end()
        keeper.turn = turn(name, cause: place, sequence: thread.pointee.sequence)
    }

    /// A frame has been closed.
    func frameClosed() {
        guard weir_has_signposts(), depth == 0 else { return }
        takeTurn()?.end()
    }

    /// The open interval of the thread's turn, for a caller that ends it later, perhaps on another thread.
    package func takeTurn() -> SignpostInterval? {
        guard weir_has_signposts() else { return nil }
        let keeper = ThreadKeeper.ofCallingThread()
        defer { keeper.turn = nil }
        return keeper.turn
    }

    private func turn(_ name: () -> String, cause place: Place?, sequence: UInt64) -> SignpostInterval? {
        let keeper = ThreadKeeper.ofCallingThread()
        guard let memory = keeper.writer?.signpostMemory else { return nil }
        let cause = place.flatMap { memory.turn(thread: $0.thread, sequence: $0.sequence) }
        return SignpostInterval(.turn, of: keeper.writer) {
            let name = name()
            // Later work that a hop causes has the same stimulus.
            memory.began(cause ?? name, thread: keeper.number, sequence: sequence)
            return name
        } cause: {
            cause
        }
    }
}
