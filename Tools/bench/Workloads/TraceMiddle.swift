import WeirTrace

/// The subjects of questions about a trace: a time and an event in its middle, and its busiest node.
struct TraceMiddle {
    let events: Int
    /// Half the time from the start of the recording to its last event.
    let nanoseconds: Int64
    /// An event of the first thread.
    let event: EventID
    /// Its id.
    let busiestNode: UInt32

    init(_ path: String) throws {
        let count = try EventCount(path)
        let reader = try TraceReader(path: path)
        var last = reader.header.startTicks
        var eventsOfThread: [UInt32: UInt64] = [:]
        reader.forEachEventChunk { header, records in
            var cursor = RecordCursor(records, of: header)
            while cursor.next() {}
            last = max(last, cursor.ticks)
            eventsOfThread[header.thread] = max(eventsOfThread[header.thread] ?? 0, cursor.sequence)
            return true
        }
        guard let thread = eventsOfThread.keys.min(), let number = eventsOfThread[thread],
            let busiest = count.perNode.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key
        else { throw BenchmarkError("\(path): there are no events of nodes in it") }
        events = count.total
        nanoseconds = reader.header.nanoseconds(at: last) / 2
        event = EventID(thread: thread, sequence: max(1, number / 2))
        busiestNode = busiest
    }
}
