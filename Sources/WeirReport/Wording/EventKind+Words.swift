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
