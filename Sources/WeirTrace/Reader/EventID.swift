/// The name of an event within a trace: its thread and its number on that thread, written "1:42".
public struct EventID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The thread's number: 1 for the first thread that recorded.
    public var thread: UInt32
    /// The event's number on its thread, from 1.
    public var sequence: UInt64

    /// The event number `sequence` of `thread`.
    public init(thread: UInt32, sequence: UInt64) {
        self.thread = thread
        self.sequence = sequence
    }

    /// Parses the format of `description`; `nil` for anything but two decimal numbers separated by a colon.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }),
            let thread = UInt32(parts[0]), let sequence = UInt64(parts[1])
        else { return nil }
        self.init(thread: thread, sequence: sequence)
    }

    /// "thread:sequence".
    public var description: String { "\(thread):\(sequence)" }

    /// Orders by thread, then by sequence number; this is not an order in time.
    public static func < (left: EventID, right: EventID) -> Bool {
        (left.thread, left.sequence) < (right.thread, right.sequence)
    }
}
