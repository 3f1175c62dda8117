/// Writes a trace from definitions and events that were not recorded here, such as those of a program in another language.
///
/// Events of a thread come in their order; definitions may come before or after the events that mention them. Memory grows
/// with the names and with the number of threads: each keeps one chunk.
package struct TraceAssembler {
    /// The contents of the file header.
    package struct Header {
        /// The recorded process.
        package var processID: UInt32 = 0
        package var program = ""
        /// Nanoseconds since 1970-01-01 UTC.
        package var startWallClock: Int64 = 0
        package var clock = TraceClockKind.monotonic
        package var valuePolicy = ValuePolicy.described
        package var isFlightRecorder = false
        package var isClosed = true
        /// nil: unknown.
        package var lostEvents: UInt64? = 0
        /// nil: unknown.
        package var overwrittenEvents: UInt64? = 0
        package var labels: [String: String] = [:]

        package init() {}
    }

    /// Why an event or definition was refused.
    package enum Refusal: Error {
        /// Its time is before that of the thread's previous event.
        case timeGoesBack
        /// Its number is not above that of the thread's previous event.
        case numberGoesBack(last: UInt64)
        /// Its record would be longer than a trace allows.
        case tooLong
        /// The file cannot be written.
        case unwritable(TraceCopyError)
    }

    private struct Definitions {
        var header: ChunkHeader
        var bytes: [UInt8] = []
        var strings: [String: UInt64] = [:]
    }

    private static let room = TraceFormat.chunkSize - TraceFormat.chunkHeaderLength
    /// The times of an assembled trace are nanoseconds.
    private static let ticksPerSecond: UInt64 = 1_000_000_000

    /// With so many bytes of records, a chunk ends before the next event with a time of its own; nil: when it is almost full.
    package var chunkFill: Int?

    private var file: TraceCopyFile
    private var threads: [UInt32: EventEncoder] = [:]
    private var definitions: [UInt32: Definitions] = [:]

    /// Writes into an empty file; the header comes last, so that an unfinished file is not a trace.
    package init(descriptor: Int32) { file = TraceCopyFile(descriptor) }

    /// Writes the remaining events and the header.
    package mutating func finish(_ header: Header) throws(Refusal) {
        for thread in definitions.keys.sorted() { try flushDefinitions(of: thread) }
        for thread in threads.keys.sorted() {
            guard let encoder = threads[thread] else { continue }
            try append(encoder.header, encoder.bytes)
        }
        let content = TraceFileHeaderContent(
            processID: header.processID, clock: header.clock, valuePolicy: header.valuePolicy,
            isFlightRecorder: header.isFlightRecorder, ticksPerSecond: Self.ticksPerSecond, startTicks: 0,
            startWallClock: header.startWallClock, byteLimit: 0, program: header.program, recordCost: nil,
            redaction: nil, labels: header.labels)
        do throws(TraceCopyError) {
            try file.finish(
                content, lost: header.lostEvents, overwritten: header.overwrittenEvents, isClosed: header.isClosed)
        } catch { throw .unwritable(error) }
    }

    // MARK: Events

    /// The number that the thread's next event has unless it names a higher one.
    package func nextSequence(of thread: UInt32) -> UInt64 { threads[thread]?.sequence ?? 1 }

    /// Adds the next event of its thread; a sequence number of 0 means the next one. Times are nanoseconds.
    package mutating func add(_ event: TraceEvent) throws(Refusal) {
        let thread = event.id.thread
        var encoder =
            threads.removeValue(forKey: thread)
            ?? EventEncoder(thread: thread, sequence: max(1, event.id.sequence), ticks: event.ticks)
        defer { threads[thread] = encoder }
        let sequence = event.id.sequence == 0 ? encoder.sequence : event.id.sequence
        if sequence < encoder.sequence { throw .numberGoesBack(last: encoder.sequence - 1) }
        if event.isStamped, event.ticks < encoder.lastTicks { throw .timeGoesBack }
        // Values may be long, so each record begins with room for the longest. A chunk begins with an event that has a time of its
        // own, if one comes early enough: events before it may be later than their times say, but not later than the next chunk.
        let isFull =
            encoder.bytes.count + EventEncoder.longestRecord > Self.room
            || event.isStamped && encoder.bytes.count >= chunkFill ?? Self.room / 2 - 2048
        if sequence > encoder.sequence || isFull {
            try append(encoder.header, encoder.bytes)
            encoder.beginChunk(at: sequence, ticks: event.isStamped ? event.ticks : encoder.lastTicks)
        }
        if !encoder.append(event) { throw .tooLong }
    }

    private mutating func append(_ header: ChunkHeader, _ bytes: [UInt8]) throws(Refusal) {
        guard !bytes.isEmpty else { return }
        do throws(TraceCopyError) { try file.append(header, bytes) } catch { throw .unwritable(error) }
    }

    // MARK: Definitions

    /// Adds a node; an id of 0 in a field means 'none'.
    package mutating func add(_ node: TraceNode) throws(Refusal) {
        let label = try string(node.label)
        let type = try string(node.valueType)
        let file = try string(node.site?.file)
        var body: [UInt8] = []
        Varint.append(UInt64(node.id), to: &body)
        body.append(node.rawKind)
        body.append(TraceFormat.NodeFlags(node.isPrivate, node.technique, node.strategy).rawValue)
        for field in [label, type, file, Self.line(node.site), UInt64(node.owner ?? 0)] {
            Varint.append(field, to: &body)
        }
        node.value.append(to: &body)
        try record(.node, body)
    }

    /// Adds a subscription.
    package mutating func add(_ subscription: TraceSubscription) throws(Refusal) {
        let file = try string(subscription.site?.file)
        var body: [UInt8] = []
        for field in [subscription.id, subscription.source, subscription.target ?? 0] {
            Varint.append(UInt64(field), to: &body)
        }
        body.append(
            (subscription.isInternal ? 1 : 0) | (subscription.isTiming ? 2 : 0) | (subscription.isOfAwait ? 4 : 0))
        for field in [file, Self.line(subscription.site), UInt64(subscription.owner ?? 0)] {
            Varint.append(field, to: &body)
        }
        try record(.subscription, body)
    }

    /// Adds an object.
    package mutating func add(_ object: TraceObject) throws(Refusal) {
        let type = try string(object.type)
        let label = try string(object.label)
        var body: [UInt8] = []
        for field in [UInt64(object.id), type, label] { Varint.append(field, to: &body) }
        try record(.object, body)
    }

    /// Adds an intention.
    package mutating func add(_ intention: TraceIntention) throws(Refusal) {
        let rule = try string(intention.rule)
        let reason = try string(intention.reason)
        let file = try string(intention.site?.file)
        var body: [UInt8] = []
        for field in [UInt64(intention.node), rule, reason, file, Self.line(intention.site)] {
            Varint.append(field, to: &body)
        }
        try record(.intention, body)
    }

    /// Adds a write site.
    package mutating func add(_ writeSite: TraceWriteSite) throws(Refusal) {
        let function = try string(writeSite.function)
        let file = try string(writeSite.site?.file)
        var body: [UInt8] = []
        for field in [UInt64(writeSite.id), function, file, Self.line(writeSite.site)] {
            Varint.append(field, to: &body)
        }
        try record(.writeSite, body)
    }

    /// Adds an executor span of a thread; a runner of nil: the thread itself.
    package mutating func add(
        _ span: ExecutorSpan, of thread: UInt32, by runner: ExecutorSpan.Runner?
    ) throws(Refusal) {
        let (kind, type): (UInt8, String?) =
            switch runner {
            case nil: (0, nil)
            case .main?: (1, nil)
            case .actor(let type)?: (2, type)
            }
        let name = try string(type, of: thread)
        var body: [UInt8] = []
        Varint.append(span.sequence, to: &body)
        Varint.append(runner == nil ? 0 : UInt64(span.number), to: &body)
        body.append(kind)
        Varint.append(name, to: &body)
        try record(.executorSpan, body, of: thread)
    }

    /// Adds a heap snapshot.
    package mutating func add(snapshot number: UInt32, _ bytes: [UInt8]) throws(Refusal) {
        let count = max(1, (bytes.count + SnapshotLimits.partBytes - 1) / SnapshotLimits.partBytes)
        for part in 0..<count {
            var body: [UInt8] = []
            for field in [UInt64(number), UInt64(part), UInt64(count)] { Varint.append(field, to: &body) }
            let start = part * SnapshotLimits.partBytes
            body += bytes[start..<min(bytes.count, start + SnapshotLimits.partBytes)]
            try record(.snapshotPart, body)
        }
    }

    private static func line(_ site: TraceSite?) -> UInt64 { UInt64(max(0, site?.line ?? 0)) }

    /// The id of a string, which is defined if it is new; 0: none.
    private mutating func string(_ text: String?, of thread: UInt32 = 1) throws(Refusal) -> UInt64 {
        guard let text, !text.isEmpty else { return 0 }
        if let known = definitions[thread]?.strings[text] { return known }
        let id = UInt64(definitions[thread]?.strings.count ?? 0) + 1
        var body: [UInt8] = []
        Varint.append(id, to: &body)
        body += text.utf8.prefix(TraceFormat.longestString)
        try record(.string, body, of: thread)
        definitions[thread]?.strings[text] = id
        return id
    }

    private mutating func record(
        _ tag: TraceFormat.DefinitionTag, _ body: [UInt8], of thread: UInt32 = 1
    ) throws(Refusal) {
        if body.count > Self.room / 2 { throw .tooLong }
        if let open = definitions[thread], open.bytes.count + body.count + 8 > Self.room {
            try flushDefinitions(of: thread)
        }
        if definitions[thread] == nil {
            definitions[thread] = Definitions(
                header: ChunkHeader(
                    index: 0, content: .definitions, thread: thread, generation: 1, serial: 0, firstSequence: 0,
                    baseTicks: 0, committed: 0, sealed: 0, checksum: 0, systemThread: thread))
        }
        definitions[thread]?.bytes.append(tag.rawValue)
        Varint.append(UInt64(body.count), to: &definitions[thread]!.bytes)
        definitions[thread]?.bytes += body
    }

    private mutating func flushDefinitions(of thread: UInt32) throws(Refusal) {
        guard let open = definitions[thread] else { return }
        try append(open.header, open.bytes)
        definitions[thread]?.bytes.removeAll(keepingCapacity: true)
    }
}
