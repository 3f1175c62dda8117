/// Encodes the events of one thread as records, in the order in which they come, and keeps the frames that are open.
///
/// A chunk that begins while frames are open begins with a `context`, as the format requires.
struct EventEncoder {
    private struct Frame {
        /// As in a `context`: 1 emission, 2 stimulus, 3 hop, 4 batch.
        var kind: UInt8
        var sequence: UInt64
        var node: UInt32 = 0
        var subscription: UInt32 = 0
    }

    /// The most frames that a `context` lists: as many as a recorder keeps.
    private static let mostFrames = 2048
    /// The most bytes of frames in a `context`: a chunk has room for it and for the longest record.
    private static let mostFrameBytes = 32_000
    /// A record this long is refused.
    static let longestRecord = 32_768

    /// The records of the chunk so far, and its header.
    private(set) var bytes: [UInt8] = []
    private(set) var header: ChunkHeader
    /// The number of the next event.
    private(set) var sequence: UInt64
    private(set) var lastTicks: UInt64
    private var frames: [Frame] = []

    init(thread: UInt32, sequence: UInt64, ticks: UInt64) {
        self.sequence = sequence
        lastTicks = ticks
        header = ChunkHeader(
            index: 0, content: .events, thread: thread, generation: 1, serial: 0, firstSequence: sequence,
            baseTicks: ticks, committed: 0, sealed: 0, checksum: 0, systemThread: thread)
    }

    /// Begins a chunk; `next` is the number of its first event, and `ticks` the time at which the thread takes it into use.
    mutating func beginChunk(at next: UInt64, ticks: UInt64) {
        // Events are missing before it, and with them the ends of frames.
        if next != sequence { frames.removeAll() }
        sequence = next
        bytes.removeAll(keepingCapacity: true)
        header.firstSequence = sequence
        lastTicks = ticks
        header.baseTicks = ticks
        guard !frames.isEmpty else { return }
        var (listed, list): (Int, [UInt8]) = (0, [])
        for frame in frames.prefix(Self.mostFrames) {
            let end = list.count
            list.append(frame.kind)
            for number in [frame.sequence, UInt64(frame.node), UInt64(frame.subscription)] {
                Varint.append(number, to: &list)
            }
            if list.count > Self.mostFrameBytes {
                list.removeLast(list.count - end)
                break
            }
            listed += 1
        }
        var payload: [UInt8] = []
        Varint.append(UInt64(listed), to: &payload)
        payload += list
        Varint.append(UInt64(frames.count - listed), to: &payload)
        counted(EventKind.context.rawValue, payload)
    }

    /// Appends an event, with the next number; false: it is too long.
    mutating func append(_ event: TraceEvent) -> Bool {
        let start = bytes.count
        var tag = event.kind.rawValue
        if event.isStamped { tag |= TraceFormat.EventFlag.stamped }
        if event.kind.rawValue < 16 {
            if event.delivers { tag |= TraceFormat.EventFlag.delivers }
            if event.isReplayed { tag |= TraceFormat.EventFlag.replayed }
            bytes.append(tag)
            if event.kind != .deliveryEnded { Varint.append(UInt64(event.subject), to: &bytes) }
            if event.isStamped { Varint.append(event.ticks - lastTicks, to: &bytes) }
            switch event.kind {
            case .emitted, .completed, .failed: event.value.append(to: &bytes)
            case .suppressed, .subscriptionEnded: bytes.append(event.reason)
            case .written: TraceValue.unsigned(event.count).append(to: &bytes)
            default: break
            }
        } else {
            var payload: [UInt8] = []
            if event.isStamped { Varint.append(event.ticks - lastTicks, to: &payload) }
            for number in Self.numbers(event) { Varint.append(number, to: &payload) }
            if event.kind == .stimulusBegan || event.kind == .checkpoint {
                payload += Self.text(event.text)
            }
            counted(tag, payload)
        }
        guard bytes.count - start <= Self.longestRecord else {
            bytes.removeLast(bytes.count - start)
            return false
        }
        if event.isStamped { lastTicks = event.ticks }
        follow(event)
        sequence += 1
        return true
    }

    private static func numbers(_ event: TraceEvent) -> [UInt64] {
        switch event.kind {
        case .eventsLost: [event.count]
        case .objectTracked, .objectReleased, .objectExpected: [UInt64(event.subject)]
        case .hopBegan:
            [UInt64(event.subject), UInt64(event.cause?.thread ?? 0), event.cause?.sequence ?? 0]
                + (event.scheduledBy > 0 || event.carriesCause ? [UInt64(event.scheduledBy)] : [])
                + (event.carriesCause ? [1] : [])
        case .hopScheduled: [UInt64(event.subject), event.count]
        // The parts of a snapshot may come anywhere: a count of 0.
        case .snapshotTaken: [UInt64(event.subject), 0, 0, event.count]
        default: []
        }
    }

    static func text(_ text: String) -> [UInt8] {
        let content = Array(text.utf8)
        var bytes: [UInt8] = []
        Varint.append(UInt64(content.count), to: &bytes)
        return bytes + content
    }

    private mutating func counted(_ tag: UInt8, _ payload: [UInt8]) {
        bytes.append(tag)
        Varint.append(UInt64(payload.count), to: &bytes)
        bytes += payload
    }

    // MARK: Frames

    private mutating func follow(_ event: TraceEvent) {
        switch event.kind {
        case .emitted, .completed, .failed:
            if event.delivers { frames.append(Frame(kind: 1, sequence: sequence, node: event.subject)) }
        case .stimulusBegan: frames.append(Frame(kind: 2, sequence: sequence))
        case .hopBegan: frames.append(Frame(kind: 3, sequence: sequence, subscription: event.scheduledBy))
        case .batchBegan: frames.append(Frame(kind: 4, sequence: sequence))
        case .deliveryBegan, .deliveryNext:
            guard let emission = frames.lastIndex(where: { $0.kind == 1 }) else { return }
            frames.removeSubrange((emission + 1)...)
            frames[emission].subscription = event.subject
        case .deliveryEnded: end(1)
        case .stimulusEnded: end(2)
        case .hopEnded: end(3)
        case .batchEnded: end(4)
        default: break
        }
    }

    private mutating func end(_ kind: UInt8) {
        if let place = frames.lastIndex(where: { $0.kind == kind }) { frames.removeSubrange(place...) }
    }
}

extension TraceValue {
    /// Appends the value as the format writes it.
    func append(to bytes: inout [UInt8]) {
        func put(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
        func begin(_ form: TraceFormat.ValueForm) { bytes.append(form.rawValue) }
        switch self {
        case .notRecorded: begin(.notRecorded)
        case .withheld: begin(.withheld)
        case .void: begin(.void)
        case .nil: begin(.nil)
        case .bool(let value): begin(value ? .true : .false)
        case .signed(let number):
            begin(.signed)
            Varint.append(Varint.zigzag(number), to: &bytes)
        case .unsigned(let number):
            begin(.unsigned)
            Varint.append(number, to: &bytes)
        case .double(let number):
            begin(.double)
            put(number.bitPattern)
        case .float(let number):
            begin(.float)
            put(number.bitPattern)
        case .string(let text):
            begin(.string)
            bytes += EventEncoder.text(text)
        case .cutString(let text, let whole):
            begin(.cutString)
            bytes += EventEncoder.text(text)
            put(whole)
        case .fingerprint(let whole):
            begin(.fingerprint)
            put(whole)
        case .described(let text):
            begin(.description)
            bytes += EventEncoder.text(text)
        case .cutDescription(let text, let whole):
            begin(.cutDescription)
            bytes += EventEncoder.text(text)
            put(whole)
        case .hashedDescription(let text, let isCut, let whole):
            begin(.hashedDescription)
            Varint.append(UInt64(9 + text.utf8.count), to: &bytes)
            put(whole)
            bytes.append(isCut ? 1 : 0)
            bytes += text.utf8
        case .enumCase(let name, let payload):
            begin(.enumCase)
            let (form, whole): (TraceFormat.PayloadForm, UInt64?) =
                switch payload {
                case .none: (.none, nil)
                case .fingerprint(let whole): (.fingerprint, whole)
                case .unknown: (.unknown, nil)
                case .noneOfAnyEnum: (.noneOfAnyEnum, nil)
                }
            Varint.append(UInt64(1 + (whole == nil ? 0 : 8) + name.utf8.count), to: &bytes)
            bytes.append(form.rawValue)
            if let whole { put(whole) }
            bytes += name.utf8
        case .opaque, .unknown: begin(.opaque)
        }
    }
}
