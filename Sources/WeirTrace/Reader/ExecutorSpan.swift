/// An executor span: from an event on, a thread runs the work of an actor, or of the main queue.
///
/// An actor does its work in turn, but on changing threads, and so does a main queue that several threads serve. A trace
/// gives such an executor a number of its own, as if it were a thread.
public struct ExecutorSpan: Sendable, Equatable {
    /// An executor that may run on several threads.
    public enum Runner: Sendable, Equatable {
        /// The main queue, or the main actor.
        case main
        /// An actor, or an executor that a later version added; the name of its type.
        case actor(String?)
    }

    /// The sequence number of the first event of the span, which ends where the thread's next span begins.
    public var sequence: UInt64
    /// The number of the executor; the number of the thread if it runs its own work.
    public var number: UInt32

    /// An executor span.
    public init(sequence: UInt64, number: UInt32) {
        self.sequence = sequence
        self.number = number
    }
}

extension TraceDefinitions {
    /// Adds `executorSpan` to `thread`, unless it repeats the last one.
    ///
    /// A recorder repeats a span when old definitions may be overwritten.
    mutating func add(_ executorSpan: ExecutorSpan, of thread: UInt32, by runner: ExecutorSpan.Runner?) {
        if let runner { runners[executorSpan.number] = runner }
        if let last = executorSpans[thread]?.last {
            guard last.sequence < executorSpan.sequence, last.number != executorSpan.number else { return }
        }
        executorSpans[thread, default: []].append(executorSpan)
    }

    /// The executor span of an event; nil: the thread ran its own work.
    package func executorSpan(at id: EventID) -> ExecutorSpan? {
        guard let spans = executorSpans[id.thread] else { return nil }
        var (first, end) = (0, spans.count)
        while first < end {
            let middle = (first + end) / 2
            if spans[middle].sequence <= id.sequence { first = middle + 1 } else { end = middle }
        }
        return first > 0 ? spans[first - 1] : nil
    }
}
