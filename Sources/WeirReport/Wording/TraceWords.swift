import WeirTrace

extension EventKind {
    /// The kind's name on the command line and in JSON.
    package var name: String {
        switch self {
        case .emitted: "emitted"
        case .suppressed: "suppressed"
        case .deliveryBegan: "deliveryBegan"
        case .deliveryNext: "deliveryNext"
        case .deliveryEnded: "deliveryEnded"
        case .subscriptionStarted: "subscriptionStarted"
        case .subscriptionEnded: "subscriptionEnded"
        case .nodeCreated: "nodeCreated"
        case .nodeReleased: "nodeReleased"
        case .completed: "completed"
        case .failed: "failed"
        case .written: "written"
        case .context: "context"
        case .eventsLost: "eventsLost"
        case .stimulusBegan: "stimulusBegan"
        case .stimulusEnded: "stimulusEnded"
        case .frame: "frame"
        case .checkpoint: "checkpoint"
        case .objectTracked: "objectTracked"
        case .objectReleased: "objectReleased"
        case .objectExpected: "objectExpected"
        case .snapshotTaken: "snapshotTaken"
        case .hopBegan: "hopBegan"
        case .hopEnded: "hopEnded"
        case .hopScheduled: "hopScheduled"
        case .batchBegan: "batchBegan"
        case .batchEnded: "batchEnded"
        }
    }

    /// The plural noun for a count of such events.
    package var plural: String {
        switch self {
        case .emitted: "emissions"
        case .suppressed: "suppressions"
        case .deliveryBegan: "first deliveries of an emission"
        case .deliveryNext: "further deliveries"
        case .deliveryEnded: "emissions delivered"
        case .subscriptionStarted: "subscriptions started"
        case .subscriptionEnded: "subscriptions ended"
        case .nodeCreated: "nodes created"
        case .nodeReleased: "nodes released"
        case .completed: "completions"
        case .failed: "failures"
        case .written: "writes with a write site"
        case .context: "contexts"
        case .eventsLost: "reports of losses"
        case .stimulusBegan: "stimuli"
        case .stimulusEnded: "stimuli ended"
        case .frame: "frames"
        case .checkpoint: "checkpoints"
        case .objectTracked: "objects tracked"
        case .objectReleased: "objects released"
        case .objectExpected: "objects expected to be released"
        case .snapshotTaken: "snapshots of the heap"
        case .hopBegan: "hops: work given to a scheduler earlier"
        case .hopEnded: "hops ended"
        case .hopScheduled: "calls of handlers that waited for their actors"
        case .batchBegan: "batches"
        case .batchEnded: "batches ended"
        }
    }
}

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
        case .echoed: "echoed"
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
        case .echoed: "this side of the channel sent the value, and does not get it back"
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

extension TraceClockKind {
    /// The clock in words.
    package var phrase: String {
        switch self {
        case .ticks: "the processor's tick counter"
        case .monotonic: "the system's monotonic clock"
        case .virtual: "virtual"
        }
    }

    /// The clock's name in JSON.
    package var jsonName: String {
        switch self {
        case .ticks: "ticks"
        case .monotonic: "monotonic"
        case .virtual: "virtual"
        }
    }
}

extension ValuePolicy {
    /// The policy's name on the command line and in JSON.
    package var name: String {
        switch self {
        case .none: "none"
        case .scalars: "scalars"
        case .described: "described"
        case .encoded: "encoded"
        }
    }

    /// The policy in words.
    package var phrase: String {
        switch self {
        case .none: "none: only that something changed"
        case .scalars: "scalars: numbers, Bool and short strings as they are"
        case .described: "described: every value, or a description of it"
        case .encoded: "encoded: every value, so that the run can be driven again"
        }
    }
}

extension TraceRedaction {
    /// The removed parts, in words.
    package var phrase: String {
        "a copy without the values of \(hidesAllValues ? "all" : "some") nodes"
            + (hidesTexts ? ", and without the names of stimuli and checkpoints" : "")
    }
}

/// Words for the lines that write.
enum WriteSiteWords {
    /// "in LoginViewModel.signIn(), Login/LoginViewModel.swift:31".
    static func place(_ writeSite: TraceWriteSite) -> String {
        let function = writeSite.function.map { "in " + TerminalText.escaped($0) }
        let site = writeSite.site.map { TerminalText.escaped($0.description) }
        guard let function else { return site.map { "at \($0)" } ?? "" }
        return function + (site.map { ", \($0)" } ?? "")
    }

    /// The members of a JSON object.
    static func json(_ writeSite: TraceWriteSite) -> [JSONValue.Member] {
        [
            .init(name: "writtenIn", value: writeSite.function.map(JSONValue.string) ?? .null),
            .init(name: "writtenAt", value: writeSite.site.map { .string($0.description) } ?? .null),
        ]
    }
}
