import WeirTrace

extension SubscriptionEndReason {
    /// The reason as the end of a sentence.
    package var phrase: String {
        switch self {
        case .disposed: "disposed"
        case .bag: "its bag was emptied or released"
        case .sourceReleased: "its source was released"
        case .completed: "its source completed"
        case .failed: "its source failed"
        case .failedUnhandled: "its source failed, and no handler received the failure"
        case .targetReleased: "the target of the binding had been released"
        }
    }

    /// The JSON name of a reason, from its number in the file.
    package static func jsonName(_ reason: UInt8) -> String {
        switch SubscriptionEndReason(rawValue: reason) {
        case .disposed: "disposed"
        case .bag: "bag"
        case .sourceReleased: "sourceReleased"
        case .completed: "completed"
        case .failed: "failed"
        case .failedUnhandled: "failedUnhandled"
        case .targetReleased: "targetReleased"
        case nil: "reason\(reason)"
        }
    }

    /// The phrase for a reason, from its number in the file.
    package static func phrase(_ reason: UInt8) -> String {
        SubscriptionEndReason(rawValue: reason)?.phrase ?? "reason \(reason)"
    }
}
