/// What one thread contributed to a recording.
public struct ThreadSummary: Sendable, Equatable {
    /// The thread's number in the trace: 1 for the first that recorded.
    public let number: UInt32
    /// Events that were read.
    public internal(set) var events: UInt64 = 0
    /// The sequence number of its last event; higher than `events` when earlier ones are gone.
    public internal(set) var lastSequence: UInt64 = 0

    /// Events that the thread recorded and the file no longer holds, as far as the numbering tells.
    public var missing: UInt64 { lastSequence > events ? lastSequence - events : 0 }

    init(number: UInt32) {
        self.number = number
    }
}
