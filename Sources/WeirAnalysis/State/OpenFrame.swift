import WeirTrace

/// A frame that is open at one moment of a trace: an emission, a stimulus, a hop or a batch.
public struct OpenFrame: Sendable, Equatable {
    /// The event that opened it.
    public let id: EventID
    /// The kind of the event that opened it: an emission, completion or failure, a stimulus, a hop or a batch.
    public let opener: EventKind
    /// The node that emitted or hopped; 0 if there is none.
    public let node: UInt32
    /// The value of an emission.
    public let value: TraceValue
    /// The name of a stimulus.
    public let text: String
    /// The number of the stimulus in the trace, from 1; 0 if it is no stimulus.
    public let stimulusNumber: UInt64
    /// The event that caused it.
    public let cause: EventID?
    /// How many frames were open around it.
    public let depth: Int
    /// The subscription that receives the delivery; 0 before the first one, and while the turn settles.
    public internal(set) var subscription: UInt32 = 0

    /// The frame that `event` opens, with the number of a stimulus.
    init(_ event: TraceEvent, stimulusNumber: UInt64 = 0) {
        id = event.id
        self.stimulusNumber = stimulusNumber
        opener = event.kind
        node = event.kind == .stimulusBegan || event.kind == .batchBegan ? 0 : event.subject
        value = event.value
        text = event.text
        cause = event.cause
        depth = event.depth
    }
}
