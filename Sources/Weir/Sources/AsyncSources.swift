import WeirRecording

extension Signal where Value: Sendable {
    /// Runs `produce` in a task for each subscription: emits its result and completes, or fails with the error that it throws.
    ///
    /// ```swift
    /// let user = Signal { try await service.user(named: name) }
    /// ```
    /// Disposing a subscription cancels its task. The result is delivered on the task's thread. A trace shows it as a hop caused
    /// by the subscribing code. Writes in `produce`, and in tasks that it starts (except detached ones), have the same cause. Dropping
    /// the subscription cancels nothing, as always.
    ///
    /// - Parameter priority: the priority of the task; nil: that of the subscriber.
    public convenience init(
        priority: TaskPriority? = nil, privacy: TracePrivacy = .public, file: StaticString = #fileID,
        line: UInt = #line, _ produce: @escaping @Sendable () async throws -> Value
    ) {
        self.init(privacy: privacy, file: file, line: line) { subscriber in
            let hop = Hop()
            func run() -> Task<Void, Never> {
                Task(priority: priority) {
                    do {
                        let value = try await produce()
                        hop.run(of: subscriber.production.sink) {
                            subscriber.next(value)
                            subscriber.complete()
                        }
                    } catch {
                        // If the subscription was disposed, the disposal has caused the error.
                        guard !subscriber.isDisposed else { return }
                        hop.run(of: subscriber.production.sink) { subscriber.fail(error) }
                    }
                }
            }
            return .cancelling(TaskCause.inherited(by: run))
        }
    }
}

extension Disposable {
    static func cancelling(_ task: Task<Void, Never>) -> Disposable { Disposable(plain: { task.cancel() }) }
}

extension Signal where Value: Sendable {
    /// Iterates `sequence` in a task for each subscription: emits its elements, then completes, or fails with its error.
    ///
    /// ```swift
    /// Signal(NotificationCenter.default.notifications(named: name).map { _ in })
    /// ```
    /// Disposing a subscription cancels its task. Elements are delivered on the task's thread, each as a turn of its own; a trace
    /// shows them without a cause. Each subscription iterates anew; for a sequence with a single consumer, such as an
    /// `AsyncStream`, use `share()`.
    ///
    /// - Parameter priority: the priority of the task; nil: that of the subscriber.
    public convenience init<Elements: AsyncSequence & Sendable>(
        _ sequence: Elements, priority: TaskPriority? = nil, privacy: TracePrivacy = .public,
        file: StaticString = #fileID, line: UInt = #line
    ) where Elements.Element == Value {
        self.init(privacy: privacy, file: file, line: line) { subscriber in
            .cancelling(
                Task(priority: priority) {
                    do {
                        for try await value in sequence {
                            guard !subscriber.isDisposed else { return }
                            Hop.uncaused.run(of: subscriber.production.sink) { subscriber.next(value) }
                        }
                        guard !subscriber.isDisposed else { return }
                        Hop.uncaused.run(of: subscriber.production.sink) { subscriber.complete() }
                    } catch {
                        guard !subscriber.isDisposed else { return }
                        Hop.uncaused.run(of: subscriber.production.sink) { subscriber.fail(error) }
                    }
                })
        }
    }
}
