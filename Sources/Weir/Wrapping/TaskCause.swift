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

    /// Runs `body` as caused by `cause`.
    static func carried<Result>(
        _ cause: ThreadLog.Place?, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard let cause else { return try await body() }
        return try await $current.withValue(cause, operation: body)
    }
}

/// The hop by which an emission in a task comes from what has caused the task, where nothing nearer has.
struct TaskHop {
    private let session: UInt32?

    init(of node: Node) {
        session = Self.begin(node)
    }

    private static func begin(_ node: Node) -> UInt32? {
        let log = ThreadLog()
        guard log.isReady(weir_recording()), log.openPlace == nil, let cause = TaskCause.current else { return nil }
        let code = node.code(log)
        guard code != 0, log.hopBegan(code, cause: cause) else { return nil }
        return log.session
    }

    func end() {
        guard let session else { return }
        let log = ThreadLog()
        // Another recording may have begun in the meantime: its frames are not ours to close.
        _ = log.isReady(weir_recording())
        if log.session == session { log.hopEnded(session) }
    }
}

extension Trace {
    /// A task whose work is caused by what is being delivered here, however often it awaits.
    ///
    /// ```swift
    /// Trace.task {
    ///     let found = try await service.find(query)
    ///     withTracing("results arrived") { model.results = found }
    /// }
    /// ```
    /// The cause comes into effect where `withTracing`, a probe or a traced sequence emits in that task, or in one that it
    /// starts (but for detached ones), while nothing else is being delivered. What an observable of Weir emits outside of these
    /// is a stimulus. Recorded or not, it is a `Task`; nothing recorded, it costs a check.
    @discardableResult
    public static func task<Success: Sendable>(
        priority: TaskPriority? = nil, _ body: @escaping @Sendable () async throws -> Success
    ) -> Task<Success, any Error> {
        let cause = TaskCause.here
        return Task(priority: priority) { try await TaskCause.carried(cause, body) }
    }
}
