import WeirTrace

/// How many events a trace holds, and how many bytes their records take.
struct TraceSize {
    private(set) var events = 0
    private(set) var bytes = 0

    var bytesPerEvent: Double { Double(bytes) / Double(events) }

    init(of path: String) throws {
        let reader = try TraceReader(path: path)
        var (events, bytes) = (0, 0)
        reader.forEachEventChunk { header, records in
            var cursor = RecordCursor(records, of: header)
            while cursor.next() { events += 1 }
            bytes += records.count
            reader.noteEnd(of: cursor, in: header)
            return true
        }
        guard reader.isIntact else { throw BenchmarkError("\(path): \(reader.damage)") }
        (self.events, self.bytes) = (events, bytes)
    }
}
