import WeirAnalysis
import WeirTrace

/// The events of a page, column by column, as its script reads them.
///
/// Each column is a sequence of varints or bytes with one element for each event. Neighbours in a column are alike, so
/// columns compress better than records. Times, sequence numbers and causes are differences.
struct EventColumns {
    /// Bits of the column `flags`.
    private enum Flag {
        static let replayed: UInt8 = 1
        static let delivers: UInt8 = 2
        static let ending: UInt8 = 4
        static let stamped: UInt8 = 8
    }

    private let topology: Topology
    private let scale: TimeScale
    private(set) var count = 0
    /// The thread numbers, by the index that the column `thread` uses.
    private(set) var threads: [UInt32] = []
    private(set) var values = PageValues()

    private var kinds: [UInt8] = []
    private var flags: [UInt8] = []
    private var reasons: [UInt8] = []
    private var threadIndexes: [UInt8] = []
    private var sequences: [UInt8] = []
    private var times: [UInt8] = []
    private var subjects: [UInt8] = []
    private var causes: [UInt8] = []
    private var depths: [UInt8] = []
    private var counts: [UInt8] = []

    private var indexOfThread: [UInt32: Int] = [:]
    private var rows: [ThreadRows] = []
    private var lastTime: UInt64 = 0

    init(_ topology: Topology, _ scale: TimeScale) { (self.topology, self.scale) = (topology, scale) }

    /// Adds the next event in the order of the trace.
    mutating func take(_ event: TraceEvent) {
        let thread = index(ofThread: event.id.thread)
        kinds.append(event.kind.rawValue)
        flags.append(
            (event.isReplayed ? Flag.replayed : 0) | (event.delivers ? Flag.delivers : 0)
                | (event.deliversEnd ? Flag.ending : 0) | (event.isStamped ? Flag.stamped : 0))
        reasons.append(event.reason)
        Varint.append(UInt64(thread), to: &threadIndexes)
        let difference = Int64(truncatingIfNeeded: event.id.sequence &- rows[thread].last &- 1)
        Varint.append(Varint.zigzag(difference), to: &sequences)
        let time = scale.nanosecondsSinceStart(event.ticks)
        Varint.append(time > lastTime ? time - lastTime : 0, to: &times)
        lastTime = max(time, lastTime)
        Varint.append(subject(event), to: &subjects)
        let cause = event.cause.flatMap { row(of: $0) }
        Varint.append(UInt64(cause.map { count - $0 } ?? 0), to: &causes)
        Varint.append(UInt64(max(0, event.depth)), to: &depths)
        Varint.append(event.count, to: &counts)
        if event.text.isEmpty { values.take(event.value) } else { values.take(text: event.text) }
        rows[thread].add(event.id.sequence, row: count)
        count += 1
    }

    /// The columns with their names, and one piece of data that holds them one after the other.
    func encoded() -> (parts: JSONValue, bytes: [UInt8]) {
        let columns: [(String, [UInt8])] = [
            ("kind", kinds), ("flags", flags), ("reason", reasons), ("thread", threadIndexes), ("sequence", sequences),
            ("time", times), ("subject", subjects), ("cause", causes), ("depth", depths), ("count", counts),
            ("form", values.forms), ("payload", values.payloads),
        ]
        var bytes: [UInt8] = []
        let parts = columns.map { name, column in
            bytes += column
            return JSONValue.Member(name: name, value: .unsigned(UInt64(column.count)))
        }
        return (.object(parts), bytes)
    }

    /// The index of the node or subscription in the topology, plus one; the id of an object; 0: none, or not defined.
    private func subject(_ event: TraceEvent) -> UInt64 {
        switch event.kind {
        case .emitted, .suppressed, .completed, .failed, .nodeCreated, .nodeReleased, .hopBegan, .hopEnded,
            .hopScheduled, .written:
            UInt64((topology.place(ofNode: event.subject) ?? -1) + 1)
        case .deliveryBegan, .deliveryNext, .deliveryEnded, .subscriptionStarted, .subscriptionEnded:
            UInt64((topology.place(ofSubscription: event.subject) ?? -1) + 1)
        default: UInt64(event.subject)
        }
    }

    private mutating func index(ofThread number: UInt32) -> Int {
        if let known = indexOfThread[number] { return known }
        indexOfThread[number] = threads.count
        threads.append(number)
        rows.append(ThreadRows())
        return threads.count - 1
    }

    /// The row of an event; nil: it is not in the page.
    func row(of id: EventID) -> Int? {
        indexOfThread[id.thread].flatMap { rows[$0].row(of: id.sequence) }
    }
}

/// The rows of one thread's events: their numbers rise by one, except where events are missing.
///
/// Invariant: the first numbers of the runs rise.
private struct ThreadRows {
    private struct Run {
        var first: UInt64
        var start: Int
    }

    private var runs: [Run] = []
    private var rows: [Int32] = []
    private(set) var last: UInt64 = 0

    mutating func add(_ sequence: UInt64, row: Int) {
        if rows.isEmpty || sequence != last &+ 1 {
            // A damaged trace may go back: what it names twice counts the second time, and runs stay in order.
            if sequence <= last { runs.removeAll() }
            runs.append(Run(first: sequence, start: rows.count))
        }
        rows.append(Int32(clamping: row))
        last = sequence
    }

    func row(of sequence: UInt64) -> Int? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].first <= sequence { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let run = low - 1
        let end = run + 1 < runs.count ? runs[run + 1].start : rows.count
        let distance = sequence - runs[run].first
        guard distance < UInt64(end - runs[run].start) else { return nil }
        return Int(rows[runs[run].start + Int(distance)])
    }
}
