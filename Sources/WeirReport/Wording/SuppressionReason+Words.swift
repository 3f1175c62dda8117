import WeirTrace

extension SuppressionReason {
    /// The reason in a word or two, as tables show it.
    package var word: String {
        switch self {
        case .equal: "equal"
        case .filtered: "filtered"
        case .waiting: "waiting"
        case .disabled: "disabled"
        case .noSubscriber: "no subscriber"
        case .batched: "batched"
        case .superseded: "superseded"
        case .afterCompletion: "after completion"
        case .disposed: "disposed"
        case .unsettled: "unsettled"
        case .executing: "executing"
        }
    }

    /// The reason as the end of a sentence.
    package var phrase: String {
        switch self {
        case .equal: "equal to the current value"
        case .filtered: "it did not let the value pass"
        case .waiting: "waits for other inputs, or for the turn to settle"
        case .disabled: "disabled"
        case .noSubscriber: "nobody subscribes"
        case .batched: "batched, only the last value goes on"
        case .superseded: "superseded by a newer value of the same node"
        case .afterCompletion: "after completion"
        case .disposed: "already disposed"
        case .executing: "still executing"
        case .unsettled: "left unsettled, for a feedback loop kept changing it"
        }
    }

    /// The JSON name of a reason, from its number in the file.
    package static func jsonName(_ reason: UInt8) -> String {
        switch SuppressionReason(rawValue: reason) {
        case .noSubscriber: "noSubscriber"
        case .afterCompletion: "afterCompletion"
        case .some(let known): known.word
        case nil: "reason\(reason)"
        }
    }

    /// The word for a reason, from its number in the file.
    package static func word(_ reason: UInt8) -> String {
        SuppressionReason(rawValue: reason)?.word ?? "reason \(reason)"
    }

    /// The phrase for a reason, from its number in the file.
    package static func phrase(_ reason: UInt8) -> String {
        SuppressionReason(rawValue: reason)?.phrase ?? "reason \(reason)"
    }
}
