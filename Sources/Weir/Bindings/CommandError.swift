import WeirRecording

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
