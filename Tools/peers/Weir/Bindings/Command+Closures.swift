extension Command {
    /// A command that runs `action`; an error that it throws fails the execution.
    ///
    /// - Parameters:
    ///   - enabledIf: as for the other commands.
    ///   - action: runs inside `execute`; what it returns is the execution's only value.
    public convenience init(
        enabledIf: Signal<Bool>? = nil, privacy: TracePrivacy = .public, file: StaticString = #fileID,
        line: UInt = #line, execute action: @escaping (Input) throws -> Output
    ) {
        self.init(enabledIf: enabledIf, privacy: privacy, file: file, line: line) { input in
            Signal(privacy: privacy, file: file, line: line) { subscriber in
                do {
                    subscriber.next(try action(input))
                    subscriber.complete()
                } catch {
                    subscriber.fail(error)
                }
                return nil
            }
        }
    }
}

extension Command where Input: Sendable, Output: Sendable {
    /// A command that runs an async function in a task; an error that it throws fails the execution.
    ///
    /// Cancelling the execution cancels the task. Values and the end are delivered on the task's thread.
    ///
    /// - Parameters:
    ///   - enabledIf: as for the other commands.
    ///   - action: what it returns is the execution's only value.
    public convenience init(
        enabledIf: Signal<Bool>? = nil, allowsConcurrentExecution: Bool = false, privacy: TracePrivacy = .public,
        file: StaticString = #fileID, line: UInt = #line,
        execute action: @escaping @Sendable (Input) async throws -> Output
    ) {
        self.init(
            enabledIf: enabledIf, allowsConcurrentExecution: allowsConcurrentExecution, privacy: privacy, file: file,
            line: line
        ) { input in
            Signal(privacy: privacy, file: file, line: line) { try await action(input) }
        }
    }
}
