import CWeirCore
import WeirRecording

extension Trace {
    /// A task whose work is caused by the current delivery, however often it awaits.
    ///
    /// ```swift
    /// Trace.task {
    ///     let text = await greeting(name)
    ///     form.name = text
    /// }
    /// ```
    /// The same as `Task { … }`, with the same isolation. Emissions in it, and in the tasks that it starts (except detached
    /// ones), are caused by the delivery during which this was called, unless there is a nearer cause, such as an enclosing
    /// emission. This also applies across actors, task groups and `async let`. Each emission that has its cause from the task is
    /// recorded inside a hop. While nothing is recorded, it costs one check.
    @discardableResult
    public static func task<Success: Sendable>(
        priority: TaskPriority? = nil,
        @_inheritActorContext @_implicitSelfCapture _ body: sending @escaping @isolated(any) () async -> Success
    ) -> Task<Success, Never> {
        // The task inherits the cause when it is made. The closure is passed on once.
        nonisolated(unsafe) let body = body
        return TaskCause.inherited(by: { Task(priority: priority, operation: body) })
    }

    /// The same for a `body` that may throw.
    @_disfavoredOverload @discardableResult
    public static func task<Success: Sendable>(
        priority: TaskPriority? = nil,
        @_inheritActorContext @_implicitSelfCapture _ body: sending @escaping @isolated(any) () async throws -> Success
    ) -> Task<Success, any Error> {
        nonisolated(unsafe) let body = body
        return TaskCause.inherited(by: { Task(priority: priority, operation: body) })
    }
}
