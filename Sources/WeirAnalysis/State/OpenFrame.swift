import WeirTrace

/// A frame that is open at one moment of a trace: an emission, a stimulus, a hop or a batch.
package struct OpenFrame: Sendable, Equatable {
    /// The event that opened it.
    package let id: EventID
    /// The kind of the event that opened it: an emission, completion or failure, a stimulus, a hop or a batch.
    package let opener: EventKind
    /// The node that emitted or hopped; 0 if there is none.
    package let node: UInt32
    /// The value of an emission.
    package let value: TraceValue
    /// The name of a stimulus.
    package let text: String
    /// The number of the stimulus in the trace, from 1; 0 if it is no stimulus.
    package let stimulusNumber: UInt64
    /// The event that caused it.
    package let cause: EventID?
    /// How many frames were open around it.
    package let depth: Int
    /// The subscription that receives the delivery; 0 before the first one, and while the turn settles.
    package internal(set) var subscription: UInt32 = 0

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
