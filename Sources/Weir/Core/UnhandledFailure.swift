import WeirRecording

/// A failure that ended a subscription without a handler for it.
///
/// `subscribe`, `bind` and `Observer` receive values only; `subscribeEvents` and `values` receive failures too.
public struct UnhandledFailure: Sendable, CustomStringConvertible {
    /// The failure.
    public let error: any Error
    /// The file of the subscription, in the form of `#fileID`.
    public let file: String
    /// The line of the subscription.
    public let line: Int

    /// `Login/LoginView.swift:12: the subscription ended with a failure that no handler receives: timedOut`
    public var description: String {
        "\(file):\(line): the subscription ended with a failure that no handler receives: \(error)"
    }

    fileprivate static let hook = Guarded<(@Sendable (UnhandledFailure) -> Void)?>(nil)
}

extension Trace {
    /// Calls `handler` with each failure that ends a subscription without a handler for it, recorded or not.
    ///
    /// ```swift
    /// Trace.onUnhandledFailure { assertionFailure("\($0)") }
    /// ```
    /// The process has one handler; nil removes it, and initially there is none. It runs on the thread that fails, inside the
    /// delivery of the failure. A trace shows such an end as "its source failed, and no handler received the failure", whether or
    /// not there is a handler here.
    public static func onUnhandledFailure(_ handler: (@Sendable (UnhandledFailure) -> Void)?) {
        let former = UnhandledFailure.hook.withState { hook in
            defer { hook = handler }
            return hook
        }
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(former) {}
    }
}

extension Sink {
    /// Passes the end of the source on; reports a failure that no handler receives.
    final func hear(_ ending: Ending) {
        end(ending)
        guard case .failed(let error) = ending, !hearsFailure else { return }
        guard let hook = UnhandledFailure.hook.withState({ $0 }) else { return }
        hook(UnhandledFailure(error: error, file: String(cString: file), line: Int(line)))
    }

    /// The reason that a trace records for the end of the subscription.
    final func reason(of ending: Ending) -> SubscriptionEndReason {
        if case .failed = ending, !hearsFailure { return .failedUnhandled }
        return ending.reason
    }
}
