import WeirRecording

extension Command {
    /// A command that runs `action`; an error that it throws fails the execution.
    ///
    /// - Parameters:
    ///   - enabledIf: as for the other commands.
    ///   - action: runs inside `execute`; its result is the execution's only value.
    public convenience init(
        enabledIf: Signal<Bool>? = nil, privacy: TracePrivacy = .public, isolation: (any Actor)? = #isolation,
        file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext execute action: @escaping @Sendable @isolated(any) (Input) throws -> Output
    ) {
        let home = action.isolation ?? isolation
        let action = Isolation.throwingWork(action)
        self.init(enabledIf: enabledIf, privacy: privacy, isolation: home, file: file, line: line) { input in
            // The execution subscribes to the signal once, before this closure's caller continues.
            nonisolated(unsafe) let input = input
            return Signal(privacy: privacy, file: file, line: line) { subscriber in
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
    /// Cancelling the execution cancels the task. An execution delivers its value and its end on the task's thread, to handlers
    /// that belong to no actor; the command publishes them in its own isolation.
    ///
    /// - Parameters:
    ///   - enabledIf: as for the other commands.
    ///   - action: its result is the execution's only value.
    public convenience init(
        enabledIf: Signal<Bool>? = nil, allowsConcurrentExecution: Bool = false, privacy: TracePrivacy = .public,
        isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext execute action: @escaping @Sendable @isolated(any) (Input) async throws -> Output
    ) {
        self.init(
            enabledIf: enabledIf, allowsConcurrentExecution: allowsConcurrentExecution, privacy: privacy,
            isolation: action.isolation ?? isolation, file: file, line: line
        ) { input in
            Signal(privacy: privacy, file: file, line: line) { try await action(input) }
        }
    }
}

/// Why a command did not execute.
public enum CommandError: Error, Hashable, Sendable {
    /// `enabledIf` is false.
    case disabled
    /// The command is executing, and does not allow concurrent executions.
    case executing

    /// The reason that a trace records.
    var reason: SuppressionReason {
        switch self {
        case .disabled: .disabled
        case .executing: .executing
        }
    }
}
