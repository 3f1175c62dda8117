import CWeir
import WeirTrace

/// What has caused the work of a task; the tasks that it starts inherit it.
enum TaskCause {
    @TaskLocal static var current: ThreadLog.Place?

    /// What is being delivered here, else what has caused this task; nil: nothing, or nothing is being recorded.
    static var here: ThreadLog.Place? {
        guard weir_recording() != 0 else { return nil }
        return ThreadLog().openPlace ?? current
    }

    /// Runs `body`, which makes a task that is caused by what is being delivered here.
    static func inherited<Result>(by body: () -> Result) -> Result {
        guard let cause = here else { return body() }
        return carried(cause, body)
    }

    /// Runs `body` as caused by `cause`.
    static func carried<Result>(_ cause: ThreadLog.Place, _ body: () -> Result) -> Result {
        weir_tasks_carry_from_now_on()
        return $current.withValue(cause, operation: body)
    }

    /// Runs `body` as caused by `cause`.
    static func carried<Result>(
        _ cause: ThreadLog.Place?, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard let cause else { return try await body() }
        weir_tasks_carry_from_now_on()
        return try await $current.withValue(cause, operation: body)
    }
}

/// The hop by which what happens in a task comes from what has caused the task, where nothing nearer has.
///
/// Made before it is recorded, and ended after: `weir_tasks_carry_causes` tells whether there is any need to.
@usableFromInline
struct TaskHop {
    private let session: UInt32?

    /// A hop to `node` from what has caused the task, unless something is open on this thread.
    @usableFromInline
    init(of node: Node?) { session = Self.begin(node, nil) }

    /// As the other one; `cause` is nearer than what has caused the task.
    init(of node: Node?, cause: ThreadLog.Place?) { session = Self.begin(node, cause) }

    private static func begin(_ node: Node?, _ cause: ThreadLog.Place?) -> UInt32? {
        let log = ThreadLog()
        guard log.isReady(weir_recording()), log.openPlace == nil, let cause = cause ?? TaskCause.current else {
            return nil
        }
        let code = node?.code(log) ?? 0
        // A cause in another recording is none in this one. Defining the node may have ended in one more.
        guard node == nil || code != 0, cause.session == log.session, log.hopBegan(code, cause: cause) else {
            return nil
        }
        return log.session
    }

    @usableFromInline
    func end() {
        guard let session else { return }
        let log = ThreadLog()
        // Another recording may have begun in the meantime: its frames are not ours to close.
        _ = log.isReady(weir_recording())
        if log.session == session { log.hopEnded(session) }
    }
}
