import WeirRecording

/// A failure that nothing receives.
///
/// `subscribe`, `bind` and `Observer` receive values only; `subscribeEvents` and `values` receive failures too. A command
/// publishes the failures of its executions through `errors`.
public struct UnhandledFailure: Sendable, CustomStringConvertible {
    /// The failure.
    public let error: any Error
    /// The file of the subscription or of the call of `execute`, in the form of `#fileID`.
    public let file: String
    /// The line of the subscription or of the call of `execute`.
    public let line: Int
    private let isOfExecution: Bool

    /// `Login/LoginView.swift:12: the subscription ended with a failure that no handler receives: timedOut`
    public var description: String {
        let what =
            isOfExecution
            ? "the execution failed, and nothing receives the failure"
            : "the subscription ended with a failure that no handler receives"
        return "\(file):\(line): \(what): \(error)"
    }

    /// - Parameters:
    ///   - file, line: the subscription, or the call of `execute`.
    fileprivate init(_ error: any Error, _ file: UnsafePointer<UInt8>, _ line: UInt32, isOfExecution: Bool) {
        self.error = error
        self.file = String(cString: file)
        self.line = Int(line)
        self.isOfExecution = isOfExecution
    }

    fileprivate static let hook = Guarded<(@Sendable (UnhandledFailure) -> Void)?>(nil)
}

extension Trace {
    /// Calls `handler` with each failure that nothing receives, recorded or not.
    ///
    /// It is a failure that ends a subscription without a handler for it, or one of an execution: if nothing subscribes to its
    /// command's `errors`, and nothing has received it from the execution by the time that this is released.
    ///
    /// ```swift
    /// Trace.onUnhandledFailure { assertionFailure("\($0)") }
    /// ```
    /// The process has one handler; nil removes it, and initially there is none. It runs on the thread that fails, inside the
    /// delivery of the failure; for an execution, on the thread that releases it. A trace shows such an end as "its source
    /// failed, and no handler received the failure", whether or not there is a handler here.
    public static func onUnhandledFailure(_ handler: (@Sendable (UnhandledFailure) -> Void)?) {
        let former = UnhandledFailure.hook.withState { hook in
            defer { hook = handler }
            return hook
        }
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(former) {}
    }
}

/// The use of a failure that reaches a sink.
enum FailureUse {
    /// A handler receives it, or something further down the chain.
    case received
    /// Nothing receives it.
    case unhandled
    /// A command publishes it; whether something receives it there, or from the execution itself, is known later.
    case published
    /// It is dropped, for the command publishes it.
    case dropped

    /// Whether the failure of an execution counts as received by it, or as reported.
    var counts: Bool { self == .received || self == .unhandled }
}

extension Sink {
    /// Passes the end of the source on; reports a failure that no handler receives.
    final func hear(_ ending: Ending) {
        end(ending)
        if case .failed(let error) = ending, failureUse == .unhandled { reportUnhandled(error, at: file, line) }
    }

    /// Reports a failure that nothing receives.
    final func reportUnhandled(_ error: any Error, at file: UnsafePointer<UInt8>, _ line: UInt32) {
        guard let hook = UnhandledFailure.hook.withState({ $0 }) else { return }
        hook(UnhandledFailure(error, file, line, isOfExecution: failureUse == .published))
    }

    /// The reason that a trace records for the end of the subscription; nil: it is recorded later, by who knows it then.
    final func reason(of ending: Ending) -> SubscriptionEndReason? {
        guard case .failed = ending else { return ending.reason }
        return switch failureUse {
        case .received, .dropped: .failed
        case .unhandled: .failedUnhandled
        case .published: nil
        }
    }
}
