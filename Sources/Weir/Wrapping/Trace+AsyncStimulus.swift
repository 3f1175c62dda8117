import CWeirCore
import WeirRecording

extension Trace {
    /// Names the cause of the effects of `body`, which may await: a tap that saves, a message that is handled.
    ///
    /// ```swift
    /// await Trace.stimulus("save") { await model.save() }
    /// ```
    /// Emissions in it, and in everything that inherits its task-local values, are caused by the stimulus, unless there is a
    /// nearer cause: calls of actors, `async let`, task groups, and `Task { … }`, however often they await. Each emission that
    /// has its cause from the task is recorded inside a hop. A detached task inherits nothing: write `Trace.detached { … }`. A
    /// stream carries causes from one task to another if it is traced (`AsyncStream.traced`), a completion handler with
    /// ``carryingCause(_:)``.
    ///
    /// While nothing is recorded, it costs one check. The causes of a recording end with it.
    @_disfavoredOverload @discardableResult
    public static func stimulus<Result, Failure: Error>(
        _ name: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        #if Recording
        guard let (cause, turn) = openStimulus(name) else { return try await body() }
        defer {
            stimulusIsOver()
            turn?.end()
        }
        return try await TaskCause.carrying(cause, body)
        #else
        return try await body()
        #endif
    }

    /// A detached task whose work is caused by the current delivery or stimulus, as that of ``task(priority:_:)`` is.
    ///
    /// The same as `Task.detached { … }`: it inherits neither the actor, nor the priority, nor other task-local values.
    @discardableResult
    public static func detached<Success: Sendable>(
        priority: TaskPriority? = nil, _ body: @escaping @Sendable @isolated(any) () async -> Success
    ) -> Task<Success, Never> {
        guard let cause = TaskCause.here else { return Task.detached(priority: priority, operation: body) }
        return Task.detached(priority: priority) {
            await TaskCause.carried(cause) { await body() }
        }
    }

    /// The same for a `body` that may throw.
    @_disfavoredOverload @discardableResult
    public static func detached<Success: Sendable>(
        priority: TaskPriority? = nil, _ body: @escaping @Sendable @isolated(any) () async throws -> Success
    ) -> Task<Success, any Error> {
        guard let cause = TaskCause.here else { return Task.detached(priority: priority, operation: body) }
        return Task.detached(priority: priority) {
            try await TaskCause.carried(cause) { try await body() }
        }
    }
}
