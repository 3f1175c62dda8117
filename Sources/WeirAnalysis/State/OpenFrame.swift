import WeirTrace

/// Something that had begun and not ended at one moment of a trace: an emission, a stimulus, a hop or a batch.
public struct OpenFrame: Sendable, Equatable {
    /// The event that opened it.
    public let id: EventID
    /// What opened it: an emission, completion or failure, a stimulus, a hop or a batch.
    public let opener: EventKind
    /// The node that emitted or hopped; 0: none.
    public let node: UInt32
    /// The value of an emission.
    public let value: TraceValue
    /// The name of a stimulus.
    public let text: String
    /// Which stimulus of the trace it is, from 1; 0: it is none.
    public let stimulusNumber: UInt64
    /// What caused it.
    public let cause: EventID?
    /// How many frames were open around it.
    public let depth: Int
    /// The subscription that is being delivered to; 0: none so far, or the turn settles.
    public internal(set) var subscription: UInt32 = 0

    /// What `event` opens; of a stimulus with its number.
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
