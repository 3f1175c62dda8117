/// Perfetto's own format: packets of Protocol Buffers with track descriptors and track events.
///
/// The numbers of the fields are those of Perfetto's `perfetto_trace.proto`.
struct PerfettoTracks: TrackFormat {
    private enum EventType: UInt64 {
        case sliceBegin = 1
        case sliceEnd = 2
        case moment = 3
        case counter = 4
    }

    private let sink: ByteSink
    private let sequence: UInt64
    private let process: UInt64
    private var isFirst = true

    /// The tracks of the trace that is the `number`th one, from 1.
    init(_ sink: ByteSink, number: Int) {
        self.sink = sink
        sequence = UInt64(number)
        process = UInt64(number) << 56 | 0xFF
    }

    mutating func process(_ name: String, id: UInt32) throws {
        var description = Protobuf()
        // Several traces may have the same id, or none.
        description.add(1, UInt64(id == 0 ? UInt32(sequence) : id))
        description.add(6, name)
        var track = Protobuf()
        track.add(1, process)
        track.add(3, description)
        try packet(at: nil, 60, track)
    }

    mutating func track(_ id: UInt64, parent: UInt64, name: String, thread: UInt32?) throws {
        var track = Protobuf()
        track.add(1, id)
        track.add(2, name)
        track.add(5, parent == 0 ? process : parent)
        try packet(at: nil, 60, track)
    }

    mutating func counter(_ id: UInt64, name: String) throws {
        var track = Protobuf()
        track.add(1, id)
        track.add(2, name)
        track.add(5, process)
        track.add(8, Protobuf())
        try packet(at: nil, 60, track)
    }

    mutating func slice(_ slice: TrackSlice) throws {
        var event = Protobuf()
        event.add(9, (slice.ended == nil ? EventType.moment : .sliceBegin).rawValue)
        event.add(11, slice.track)
        event.add(22, "\(slice.category)")
        event.add(23, slice.name)
        for (name, text) in slice.details {
            var detail = Protobuf()
            detail.add(10, "\(name)")
            detail.add(6, text)
            event.add(4, detail)
        }
        for flow in slice.outgoing { event.add(47, fixed: flow) }
        // An arrow that ends here may be one that a hop shares with others of the same cause.
        if let flow = slice.incoming { event.add(47, fixed: flow.id) }
        try packet(at: slice.began, 11, event)
        guard let ended = slice.ended else { return }
        var end = Protobuf()
        end.add(9, EventType.sliceEnd.rawValue)
        end.add(11, slice.track)
        try packet(at: ended, 11, end)
    }

    mutating func count(_ track: UInt64, at nanoseconds: UInt64, _ value: UInt64) throws {
        var event = Protobuf()
        event.add(9, EventType.counter.rawValue)
        event.add(11, track)
        event.add(30, value)
        try packet(at: nanoseconds, 11, event)
    }

    private mutating func packet(at nanoseconds: UInt64?, _ field: UInt64, _ content: Protobuf) throws {
        var packet = Protobuf()
        if let nanoseconds { packet.add(8, nanoseconds) }
        packet.add(10, sequence)
        if isFirst { packet.add(13, 1) }
        isFirst = false
        packet.add(field, content)
        var trace = Protobuf()
        trace.add(1, packet)
        sink.append(trace.bytes)
        try sink.flushIfFull()
    }
}

/// A message of Protocol Buffers under construction: fields in the order in which they are added.
struct Protobuf {
    private(set) var bytes: [UInt8] = []

    private mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A field of type `uint64`, `uint32`, `int64` (not negative), `bool` or an enumeration.
    mutating func add(_ field: UInt64, _ number: UInt64) {
        append(varint: field << 3)
        append(varint: number)
    }

    /// A field of type `fixed64`.
    mutating func add(_ field: UInt64, fixed number: UInt64) {
        append(varint: field << 3 | 1)
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    /// A field of type `string`.
    mutating func add(_ field: UInt64, _ text: String) {
        append(varint: field << 3 | 2)
        append(varint: UInt64(text.utf8.count))
        bytes += text.utf8
    }

    /// A field that is a message.
    mutating func add(_ field: UInt64, _ message: Protobuf) {
        append(varint: field << 3 | 2)
        append(varint: UInt64(message.bytes.count))
        bytes += message.bytes
    }
}
