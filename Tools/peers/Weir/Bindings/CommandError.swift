import WeirTrace

/// Why a command did not execute.
public enum CommandError: Error, Hashable, Sendable {
    /// What enables the command says false.
    case disabled
    /// The command is executing, and does not allow concurrent executions.
    case executing

    /// As a trace says it.
    var reason: SuppressionReason {
        switch self {
        case .disabled: .disabled
        case .executing: .executing
        }
    }
}
