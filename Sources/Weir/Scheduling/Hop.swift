import CWeir
import WeirTrace

/// Carries the cause of work that runs later, or on another thread: made where the work is given away, used where it runs.
///
/// ```swift
/// let hop = Hop()
/// Task { let result = await load(); hop.run(of: downstream) { downstream.emit(result) } }
/// ```
/// Nothing recorded, it costs a check.
@usableFromInline
struct Hop: Sendable {
    private let cause: ThreadLog.Place?

    /// From what is being delivered here.
    @usableFromInline
    init() { cause = weir_recording() == 0 ? nil : ThreadLog().openPlace }

    /// Of what a subscription that is being made will bring later: caused by the emission in the course of which it is
    /// made (a load that a request starts). One that is made outside of any (a control, a notification) causes nothing: what
    /// it brings is a stimulus.
    static func ofSubscription() -> Hop { Hop(cause: weir_recording() == 0 ? nil : ThreadLog().openEmission) }

    /// Of work that is left to another thread: from what is being delivered here, or from what has caused this task.
    static var queued: Hop { weir_tasks_carry_causes() ? Hop(cause: TaskCause.here) : Hop() }

    private init(cause: ThreadLog.Place?) { self.cause = cause }

    /// Of work that nothing causes but time.
    @usableFromInline static var uncaused: Hop { Hop(cause: nil) }

    /// Runs `work` for the cold signal that `sink` subscribes to; as a turn of its own unless one is open on this thread.
    ///
    /// A scheduler that ran it at once has carried it nowhere: then a trace shows no hop.
    @usableFromInline
    func run<Value>(of sink: Sink<Value>, _ work: () -> Void) { run(of: { sink.originCode($0) }, work) }

    /// As above, for a hot signal.
    func run(of node: Node, _ work: () -> Void) { run(of: { node.code($0) }, work) }

    private func run(of code: (ThreadLog) -> UInt32, _ work: () -> Void) {
        let session = weir_recording() == 0 ? nil : begin(code)
        _ = weir_turn_begin()
        work()
        if weir_turn_must_settle() { Settling.settle() }
        weir_turn_end()
        guard let session else { return }
        let log = ThreadLog()
        // Another recording may have begun in the meantime: its frames are not ours to close.
        _ = log.isReady(weir_recording())
        if log.session == session { log.hopEnded(session) }
    }

    /// As `run`, where nothing is open on this thread that could be the cause instead; else just runs `work`.
    func runIfLater<Value>(of sink: Sink<Value>, _ work: () -> Void) {
        let isLater = weir_recording() != 0 && cause != nil && !weir_turn_is_open() && ThreadLog().openPlace == nil
        if isLater { run(of: sink, work) } else { work() }
    }

    private func begin(_ code: (ThreadLog) -> UInt32) -> UInt32? {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return nil }
        if let cause, log.openPlace == cause { return nil }
        let session = log.session
        let node = code(log)
        guard node != 0, log.session == session, log.hopBegan(node, cause: cause) else { return nil }
        return log.session
    }
}
