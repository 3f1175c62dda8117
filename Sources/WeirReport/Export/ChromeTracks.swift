/// The Trace Event Format of Chrome, as JSON: opens in Perfetto, chrome://tracing and Speedscope.
struct ChromeTracks: TrackFormat {
    private let sink: ByteSink
    private let process: UInt64
    private var isFirst: Bool
    private var lines: [UInt64: UInt64] = [:]

    /// The tracks of the trace that is the `number`th one, from 1.
    init(_ sink: ByteSink, number: Int) {
        self.sink = sink
        process = UInt64(number)
        isFirst = number == 1
    }

    /// The text before the events of all traces.
    static func begin(_ sink: ByteSink) { sink.append("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n") }

    /// The text after the events of all traces.
    static func end(_ sink: ByteSink) { sink.append("\n]}\n") }

    mutating func process(_ name: String, id: UInt32) throws {
        begin("M", "process_name", line: 0)
        sink.append(",\"args\":{\"name\":")
        sink.append(json: name)
        sink.append(",\"pid\":")
        sink.append(decimal: UInt64(id))
        try end(extra: "}")
    }

    mutating func track(_ id: UInt64, parent: UInt64, name: String, thread: UInt32?) throws {
        let line = UInt64(lines.count + 1)
        lines[id] = line
        begin("M", "thread_name", line: line)
        sink.append(",\"args\":{\"name\":")
        sink.append(json: name)
        try end(extra: "}")
        begin("M", "thread_sort_index", line: line)
        sink.append(",\"args\":{\"sort_index\":")
        // The nodes of a thread stand below it.
        sink.append(decimal: thread.map { UInt64($0) << 32 } ?? ((lines[parent] ?? 0) << 32 + line))
        try end(extra: "}")
    }

    private var counters: [UInt64: String] = [:]

    mutating func counter(_ id: UInt64, name: String) { counters[id] = name }

    mutating func slice(_ slice: TrackSlice) throws {
        let line = lines[slice.track] ?? 0
        if let flow = slice.incoming {
            try arrow("s", flow.id, line: lines[flow.fromTrack] ?? 0, at: flow.fromNanoseconds)
            try arrow("f", flow.id, line: line, at: slice.began)
        }
        begin(slice.ended == nil ? "i" : "X", slice.name, line: line)
        time("ts", slice.began)
        if let ended = slice.ended { time("dur", ended - slice.began) } else { sink.append(",\"s\":\"t\"") }
        sink.append(",\"cat\":\"")
        sink.append(slice.category)
        sink.append("\",\"args\":{")
        for (place, detail) in slice.details.enumerated() {
            if place > 0 { sink.append(UInt8(ascii: ",")) }
            sink.append(UInt8(ascii: "\""))
            sink.append(detail.0)
            sink.append("\":")
            sink.append(json: detail.1)
        }
        try end(extra: "}")
    }

    mutating func count(_ track: UInt64, at nanoseconds: UInt64, _ value: UInt64) throws {
        begin("C", counters[track] ?? "", line: 0)
        time("ts", nanoseconds)
        sink.append(",\"args\":{\"rate\":")
        sink.append(decimal: value)
        try end(extra: "}")
    }

    private mutating func arrow(_ phase: StaticString, _ id: UInt64, line: UInt64, at nanoseconds: UInt64) throws {
        begin(phase, "cause", line: line)
        time("ts", nanoseconds)
        sink.append(",\"cat\":\"cause\",\"bp\":\"e\",\"id\":\"")
        sink.append(decimal: id)
        try end(extra: "\"")
    }

    private mutating func begin(_ phase: StaticString, _ name: String, line: UInt64) {
        sink.append(isFirst ? "{\"ph\":\"" : ",\n{\"ph\":\"")
        isFirst = false
        sink.append(phase)
        sink.append("\",\"pid\":")
        sink.append(decimal: process)
        sink.append(",\"tid\":")
        sink.append(decimal: line)
        sink.append(",\"name\":")
        sink.append(json: name)
    }

    private func end(extra: StaticString) throws {
        sink.append(extra)
        sink.append("}")
        try sink.flushIfFull()
    }

    /// Microseconds, with the nanoseconds as decimals.
    private func time(_ name: StaticString, _ nanoseconds: UInt64) {
        sink.append(",\"")
        sink.append(name)
        sink.append("\":")
        sink.append(decimal: nanoseconds / 1000)
        let rest = nanoseconds % 1000
        guard rest > 0 else { return }
        sink.append(rest < 10 ? ".00" : rest < 100 ? ".0" : ".")
        sink.append(decimal: rest)
    }
}
