/// The events of a run, in one order that all threads agree on.
///
/// An event's index is its time: a thread takes the next free index and fills it. Taking it is a relaxed atomic addition,
/// so recording orders nothing that the program leaves unordered, and the thread sanitizer still sees its races.
///
/// `@unchecked Sendable`: an event is written by the one thread that took its index, and read when all threads have been joined.
package final class History: @unchecked Sendable {
    package struct Event: Sendable, Equatable {
        package enum Kind: UInt8, Sendable {
            /// For a node: `a` is the value.
            case writeBegan, writeEnded, emitBegan, emitEnded, completeBegan, completeEnded, readBegan, readEnded
            /// For a combiner: `a` is the result, `b` and `c` are the arguments.
            case evaluated
            /// For a thread.
            case batchBegan, batchEnded
            /// For a listener: `a`, and for signals of two sources `b`, are the values.
            case callBegan, callEnded, subscribeBegan, subscribeEnded, disposeBegan, disposeEnded, ended
        }

        package var kind: Kind
        /// A node's or a listener's index.
        package var subject: Int32
        package var thread: UInt32
        package var a = 0
        package var b = 0
        package var c = 0

        package init(_ kind: Kind, _ subject: Int, thread: Int, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0) {
            self.kind = kind
            self.subject = Int32(subject)
            self.thread = UInt32(thread)
            (self.a, self.b, self.c) = (a, b, c)
        }
    }

    package static let capacity = 1 << 14
    private let places = UnsafeMutablePointer<Event>.allocate(capacity: capacity)
    private let taken = RelaxedCounter()

    package init() {}

    deinit { places.deallocate() }

    /// - Returns: the time.
    @discardableResult
    func add(_ kind: Event.Kind, _ subject: Int, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0) -> Int {
        let place = taken.next()
        guard place < Self.capacity else { return place }
        (places + place).initialize(to: Event(kind, subject, thread: RunningThread.number, a, b, c))
        return place
    }

    /// The number of events so far; it rises while the program makes progress.
    package var count: Int { taken.count }

    /// Whether it holds more events than a program of this size can make, so that the program must be in an endless loop.
    package var isFull: Bool { count > Self.capacity }

    /// Only valid once no thread adds events.
    package var events: [Event] { Array(UnsafeBufferPointer(start: places, count: min(count, Self.capacity))) }

    package func clear() { taken.reset() }
}
