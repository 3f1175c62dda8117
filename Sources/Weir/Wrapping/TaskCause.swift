import CWeirCore
import WeirRecording

#if Recording
/// The cause of a task's work; the tasks that it starts inherit it.
enum TaskCause {
    /// The cause that the task has set or inherited.
    @TaskLocal static var ofTask: ThreadLog.Place?

    /// The nearest cause of the task: the element of a loop that it is working on, or else what it has set or inherited.
    static var current: ThreadLog.Place? {
        let ofTask = ofTask
        return LoopBody.element(in: ofTask) ?? ofTask
    }

    /// The current delivery, or else the cause of this task; nil: none, or nothing is being recorded.
    static var here: ThreadLog.Place? {
        guard weir_recording() != 0 else { return nil }
        return ThreadLog().openPlace ?? (weir_tasks_carry_causes() ? current : nil)
    }

    /// Runs `body`, which makes a task whose cause is the current delivery.
    static func inherited<Result>(by body: () -> Result) -> Result {
        guard let cause = here else { return body() }
        return carried(cause, body)
    }

    /// Runs `body` with `cause`.
    static func carried<Result>(_ cause: ThreadLog.Place, _ body: () -> Result) -> Result {
        weir_tasks_carry_from_now_on()
        return $ofTask.withValue(cause, operation: body)
    }

    /// Runs `body`, which throws one type of error, with `cause`.
    static func carrying<Result, Failure: Error>(
        _ cause: ThreadLog.Place, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result = await carried(cause, isolation: isolation) { () async -> Swift.Result<Result, Failure> in
            // A closure runs on the caller's actor only if it captures it; else it would hop to the thread pool and back.
            _ = isolation
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Runs `body` with `cause`.
    static func carried<Result>(
        _ cause: ThreadLog.Place?, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard let cause else { return try await body() }
        weir_tasks_carry_from_now_on()
        return try await $ofTask.withValue(cause, operation: body)
    }
}

/// The hop from the cause of a task to an event in it, if the event has no nearer cause.
///
/// Made before the event is recorded, and ended after it; `weir_tasks_carry_causes` says whether it is needed.
@usableFromInline
struct TaskHop: ~Copyable {
    /// The hop, or the turn of an untraced task.
    private let frame: RecordedFrame

    /// A hop to `node` from the cause of the task, unless a frame is open on this thread.
    @usableFromInline
    init(of node: Node?) { self.init(of: node, cause: nil) }

    /// The same, with a `cause` that is nearer than that of the task.
    init(of node: Node?, cause: ThreadLog.Place?) {
        let log = ThreadLog()
        // The usual case: that frame is nearer than the cause of the task, whose search takes longer.
        if log.isInFrame {
            self.frame = .none
            return
        }
        var frame = Self.begin(node, cause)
        // A callback has a name of its own.
        if !frame.isOpen, cause == nil, node?.technique != .callback, UntracedTask.mayBeHere,
            log.isReady(weir_recording()), UntracedTask.isHere(log), log.openPlace == nil
        {
            frame = UntracedTask.begin(log)
        }
        self.frame = frame
    }

    private static func begin(_ node: Node?, _ cause: ThreadLog.Place?) -> RecordedFrame {
        let log = ThreadLog()
        // The question for room counts a loss, so it comes last: without a cause, nothing is recorded here.
        guard let cause = cause ?? TaskCause.current, log.isReady(weir_recording()), log.openPlace == nil else {
            return .none
        }
        let code = node?.code(log) ?? 0
        // A cause from another recording does not apply. Defining the node may have ended in yet another recording.
        guard node == nil || code != 0, cause.session == log.session else { return .none }
        return log.hopBegan(code, cause: cause, carries: true)
    }

    @usableFromInline
    consuming func end() { frame.close() }
}
#else
/// No task has a cause.
enum TaskCause {
    static var here: ThreadLog.Place? { nil }

    static func inherited<Result>(by body: () -> Result) -> Result { body() }
    static func carried<Result>(_ cause: ThreadLog.Place, _ body: () -> Result) -> Result { body() }
    static func carried<Result>(
        _ cause: ThreadLog.Place?, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result { try await body() }
}
#endif
