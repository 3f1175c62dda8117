import CWeir
import WeirTrace

extension Trace {
    /// A task whose work is caused by what is being delivered here, however often it awaits.
    ///
    /// ```swift
    /// Trace.task {
    ///     let text = await greeting(name)
    ///     form.name = text
    /// }
    /// ```
    /// As `Task { … }`, and with the same isolation. What is emitted in it, and in the tasks that it starts (but for detached
    /// ones), is caused by what was being delivered where this was called, unless something nearer causes it, such as
    /// an emission in whose delivery it lies. Also across actors, task groups and `async let`. Each emission that has its cause
    /// from the task is recorded inside a hop. Nothing recorded, it costs a check.
    @discardableResult
    public static func task<Success: Sendable>(
        priority: TaskPriority? = nil,
        @_inheritActorContext @_implicitSelfCapture _ body: sending @escaping @isolated(any) () async -> Success
    ) -> Task<Success, Never> {
        // The task inherits the cause as it is made. The closure is handed on once.
        nonisolated(unsafe) let body = body
        return TaskCause.inherited(by: { Task(priority: priority, operation: body) })
    }

    /// As the other one, for a `body` that may throw.
    @_disfavoredOverload @discardableResult
    public static func task<Success: Sendable>(
        priority: TaskPriority? = nil,
        @_inheritActorContext @_implicitSelfCapture _ body: sending @escaping @isolated(any) () async throws -> Success
    ) -> Task<Success, any Error> {
        nonisolated(unsafe) let body = body
        return TaskCause.inherited(by: { Task(priority: priority, operation: body) })
    }
}
