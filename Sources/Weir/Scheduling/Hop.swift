import CWeirCore
import WeirRecording

#if Recording
/// Carries the cause of work that runs later or on another thread: made where the work is passed on, used where it runs.
///
/// ```swift
/// let hop = Hop()
/// Task { let result = await load(); hop.run(of: downstream) { downstream.emit(result) } }
/// ```
/// While nothing is recorded, it costs one check.
@usableFromInline
struct Hop: Sendable {
    private let cause: ThreadLog.Place?

    /// A hop caused by the current delivery.
    @usableFromInline
    init() { cause = weir_recording() == 0 ? nil : ThreadLog().openPlace }

    /// A hop for later events of a new subscription. The cause is the emission during which the subscription is made (a load that
    /// a request starts). Later events of a subscription made outside of any emission (a control, a notification) have no cause:
    /// each is a stimulus.
    static func ofSubscription() -> Hop { Hop(cause: weir_recording() == 0 ? nil : ThreadLog().openEmission) }

    /// A hop for work left to another thread; the cause is the current delivery, or the cause of this task.
    static var queued: Hop { weir_tasks_carry_causes() ? Hop(cause: TaskCause.here) : Hop() }

    /// A hop from a known cause; nil: none.
    init(cause: ThreadLog.Place?) { self.cause = cause }

    /// A hop for work that has no cause except time.
    @usableFromInline static var uncaused: Hop { Hop(cause: nil) }

    /// Runs `work` for the cold source of `sink`; as a turn of its own unless one is open on this thread.
    ///
    /// If a scheduler ran the work at once, there was no hop, and a trace shows none.
    @usableFromInline
    func run<Value>(of sink: Sink<Value>, _ work: () -> Void) { run(of: { sink.originCode($0) }, work) }

    /// As above, for a hot signal.
    func run(of node: Node, _ work: () -> Void) { run(of: { node.code($0) }, work) }

    private func run(of code: (ThreadLog) -> UInt32, _ work: () -> Void) {
        let frame = weir_recording() == 0 ? .none : begin(code)
        _ = weir_turn_begin()
        work()
        if weir_turn_must_settle() { Settling.settle() }
        weir_turn_end()
        frame.close()
    }

    /// Same as `run` if nothing open on this thread could be the cause instead; otherwise just runs `work`.
    func runIfLater<Value>(of sink: Sink<Value>, _ work: () -> Void) {
        let isLater = weir_recording() != 0 && cause != nil && !weir_turn_is_open() && ThreadLog().openPlace == nil
        if isLater { run(of: sink, work) } else { work() }
    }

    private func begin(_ code: (ThreadLog) -> UInt32) -> RecordedFrame {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return .none }
        if let cause, log.openPlace == cause { return .none }
        let session = log.session
        let node = code(log)
        // A node that the recording leaves out passes a known cause on; nothing else is recorded of it.
        let isLeftOut = node == 0 && weir_choosing() != 0 && cause != nil && cause?.session == session
        guard node != 0 || isLeftOut, log.session == session else { return .none }
        return log.hopBegan(node, cause: cause)
    }
}
#else
/// Runs work later or on another thread, as a turn of its own.
@usableFromInline
struct Hop: Sendable {
    @usableFromInline
    init() {}

    init(cause: ThreadLog.Place?) {}

    static func ofSubscription() -> Hop { Hop() }
    static var queued: Hop { Hop() }
    @usableFromInline static var uncaused: Hop { Hop() }

    @usableFromInline
    func run<Value>(of sink: Sink<Value>, _ work: () -> Void) { run(work) }

    func run(of node: Node, _ work: () -> Void) { run(work) }

    private func run(_ work: () -> Void) {
        _ = weir_turn_begin()
        work()
        if weir_turn_must_settle() { Settling.settle() }
        weir_turn_end()
    }

    func runIfLater<Value>(of sink: Sink<Value>, _ work: () -> Void) { work() }
}
#endif
