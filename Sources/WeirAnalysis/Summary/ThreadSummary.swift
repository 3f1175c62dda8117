/// The contribution of one thread to a recording.
package struct ThreadSummary: Sendable, Equatable {
    /// The thread's number in the trace: 1 for the first that recorded.
    package let number: UInt32
    /// Events that were read.
    package internal(set) var events: UInt64 = 0
    /// The sequence number of its last event; higher than `events` if earlier ones are missing.
    package internal(set) var lastSequence: UInt64 = 0

    /// Recorded events that the file no longer holds, according to the sequence numbers.
    package var missing: UInt64 { lastSequence > events ? lastSequence - events : 0 }

    init(number: UInt32) {
        self.number = number
    }
}
