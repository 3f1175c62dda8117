/// A trace file that no recorder would write, built record by record.
///
/// A full chunk ends; the thread's next chunk repeats its open frames. Sequence numbers, serial numbers, lengths and
/// checksums are valid, so a reader meets no damage, only the file's content.
struct CraftedFile {
    private struct Frame {
        var opener: UInt8
        var sequence: UInt64
        var node: UInt32 = 0
        var subscription: UInt32 = 0
    }

    private struct Thread {
        var records: [UInt8] = []
        var firstSequence: UInt64 = 1
        var sequence: UInt64 = 1
        var ticks: UInt64 = 0
        var baseTicks: UInt64 = 0
        var frames: [Frame] = []
    }

    private static let chunkSize = 65536
    /// Bytes of a chunk after its header, less the longest record.
    private static let room = chunkSize - 64 - 2048
    /// If more frames are open, only their number is repeated.
    private static let framesKept = 1000

    private var chunks: [[UInt8]] = []
    private var definitions: [UInt8] = []
    private var strings: [String: UInt64] = [:]
    private var threads: [UInt32: Thread] = [:]
    private var clock: UInt64 = 0

    // MARK: Definitions

    private mutating func define(_ tag: UInt8, _ payload: [UInt8]) {
        if definitions.count + payload.count > Self.room { closeDefinitions() }
        definitions += [tag] + varint(UInt64(payload.count)) + payload
    }

    mutating func string(_ text: String) -> UInt64 {
        if let known = strings[text] { return known }
        let id = UInt64(strings.count) + 1
        strings[text] = id
        define(1, varint(id) + Array(text.utf8))
        return id
    }

    /// A node; `kind` as in `NodeKind`: 1 observable, 2 emitter, 3 combiner, 5 source, 16 map.
    mutating func node(_ id: UInt32, kind: UInt8 = 1, _ label: String? = nil, file: String? = "A.swift", line: Int = 1)
    {
        let (label, file) = (label.map { string($0) } ?? 0, file.map { string($0) } ?? 0)
        let references = varint(label) + varint(0) + varint(file) + varint(UInt64(line)) + varint(0)
        define(2, varint(UInt64(id)) + [kind, 0] + references + [0])
    }

    /// A subscription; without a target it is a handler.
    mutating func subscription(_ id: UInt32, _ source: UInt32, _ target: UInt32 = 0, line: Int = 1) {
        let ends = varint(UInt64(id)) + varint(UInt64(source)) + varint(UInt64(target))
        define(3, ends + [target == 0 ? 0 : 1] + varint(string("A.swift")) + varint(UInt64(line)))
    }

    mutating func object(_ id: UInt32, _ type: String) {
        let type = string(type)
        define(4, varint(UInt64(id)) + varint(type) + varint(0))
    }

    /// A part of a snapshot, of `count` parts.
    mutating func snapshotPart(_ number: UInt32, part: Int = 0, of count: Int = 1, _ bytes: [UInt8]) {
        define(6, varint(UInt64(number)) + varint(UInt64(part)) + varint(UInt64(count)) + bytes)
    }

    /// From the thread's next event on, it runs the work of the main queue, which has this number.
    mutating func mainQueueSpan(number: UInt32, on thread: UInt32) {
        closeDefinitions()
        let span = varint(nextSequence(thread)) + varint(UInt64(number)) + [1] + varint(0)
        let definition = [7] + varint(UInt64(span.count)) + span
        append(content: 2, thread: thread, firstSequence: 0, baseTicks: 0, definition)
    }

    private mutating func closeDefinitions() {
        guard !definitions.isEmpty else { return }
        append(content: 2, thread: 1, firstSequence: 0, baseTicks: 0, definitions)
        definitions = []
    }

    // MARK: Events

    /// The sequence number of the thread's next event.
    func nextSequence(_ thread: UInt32 = 1) -> UInt64 { threads[thread]?.sequence ?? 1 }

    /// Writes a record: its tag, its fields up to the stamp, the stamp, the rest. Each is one tick later than the last.
    private mutating func record(
        _ thread: UInt32, _ tag: UInt8, _ head: [UInt8] = [], isStamped: Bool = true, isCounted: Bool = false,
        _ rest: [UInt8] = []
    ) {
        var state = threads.removeValue(forKey: thread) ?? Thread()
        if state.records.count > Self.room { close(thread, &state) }
        if state.records.isEmpty {
            state.firstSequence = state.sequence
            (state.baseTicks, state.ticks) = (clock, clock)
            if !state.frames.isEmpty { state.records = Self.context(state.frames) }
        }
        var stamp: [UInt8] = []
        if isStamped {
            clock += 1000
            stamp = varint(clock - state.ticks)
            state.ticks = clock
        }
        let body = head + stamp + rest
        state.records += [tag | (isStamped ? 0x80 : 0)] + (isCounted ? varint(UInt64(body.count)) : []) + body
        state.sequence += 1
        threads[thread] = state
    }

    private mutating func open(_ opener: UInt8, _ thread: UInt32, node: UInt32 = 0) {
        guard let sequence = threads[thread]?.sequence else { return }
        threads[thread]?.frames.append(Frame(opener: opener, sequence: sequence - 1, node: node))
    }

    private mutating func closeFrame(_ thread: UInt32) { _ = threads[thread]?.frames.popLast() }

    private static func context(_ frames: [Frame]) -> [UInt8] {
        let kept = frames.prefix(framesKept)
        var body = varint(UInt64(kept.count))
        for frame in kept {
            body += [frame.opener] + varint(frame.sequence) + varint(UInt64(frame.node))
            body += varint(UInt64(frame.subscription))
        }
        if frames.count > kept.count { body += varint(UInt64(frames.count - kept.count)) }
        return [16] + varint(UInt64(body.count)) + body
    }

    /// A value without subscribers, or the beginning of its delivery, which `ended` closes.
    mutating func emitted(_ node: UInt32, _ value: Int, delivers: Bool = false, on thread: UInt32 = 1) {
        let number = varint(UInt64(bitPattern: Int64(value) << 1 ^ Int64(value) >> 63))
        record(thread, 1 | (delivers ? 0x40 : 0), varint(UInt64(node)), [6] + number)
        if delivers { open(1, thread, node: node) }
    }

    /// As above, with a text.
    mutating func emitted(_ node: UInt32, _ text: String, on thread: UInt32 = 1) {
        record(thread, 1, varint(UInt64(node)), [10] + varint(UInt64(text.utf8.count)) + Array(text.utf8))
    }

    mutating func delivered(_ subscription: UInt32, isFirst: Bool = true, on thread: UInt32 = 1) {
        record(thread, isFirst ? 3 : 4, varint(UInt64(subscription)))
        if let last = threads[thread]?.frames.indices.last { threads[thread]?.frames[last].subscription = subscription }
    }

    /// Ends all deliveries of the innermost emission.
    mutating func ended(on thread: UInt32 = 1) {
        record(thread, 5)
        closeFrame(thread)
    }

    /// A value and all of its deliveries; nothing happens inside them.
    mutating func emitted(_ node: UInt32, _ value: Int, to subscriptions: some Sequence<UInt32>, on thread: UInt32 = 1)
    {
        emitted(node, value, delivers: true, on: thread)
        var isFirst = true
        for subscription in subscriptions {
            delivered(subscription, isFirst: isFirst, on: thread)
            isFirst = false
        }
        ended(on: thread)
    }

    /// A value that went no further; `reason` as in `SuppressionReason`: 1 equal, 3 waiting, 6 batched.
    mutating func suppressed(_ node: UInt32, _ reason: UInt8, on thread: UInt32 = 1) {
        record(thread, 2, varint(UInt64(node)), [reason])
    }

    mutating func started(_ subscription: UInt32, on thread: UInt32 = 1) {
        record(thread, 6, varint(UInt64(subscription)))
    }

    mutating func ended(subscription: UInt32, on thread: UInt32 = 1, isStamped: Bool = true) {
        record(thread, 7, varint(UInt64(subscription)), isStamped: isStamped, [1])
    }

    /// A record of a kind that no version knows.
    mutating func unknown(on thread: UInt32 = 1) { record(thread, 31, isCounted: true) }

    mutating func created(_ node: UInt32, on thread: UInt32 = 1) { record(thread, 8, varint(UInt64(node))) }

    mutating func stimulus(_ name: String, on thread: UInt32 = 1) {
        record(thread, 18, isCounted: true, varint(UInt64(name.utf8.count)) + Array(name.utf8))
        open(2, thread)
    }

    mutating func stimulusEnded(on thread: UInt32 = 1) {
        record(thread, 19, isCounted: true)
        closeFrame(thread)
    }

    mutating func checkpoint(_ name: String, on thread: UInt32 = 1) {
        record(thread, 21, isCounted: true, varint(UInt64(name.utf8.count)) + Array(name.utf8))
    }

    mutating func snapshotTaken(_ number: UInt32, on thread: UInt32 = 1) {
        record(thread, 29, isCounted: true, varint(UInt64(number)) + varint(0) + varint(0))
    }

    /// Kinds 22, 23 and 28: an object is tracked, released, or should be gone by the next checkpoint.
    mutating func object(_ id: UInt32, kind: UInt8, on thread: UInt32 = 1) {
        record(thread, kind, isCounted: true, varint(UInt64(id)))
    }

    mutating func hop(_ node: UInt32, cause: (thread: UInt32, sequence: UInt64), on thread: UInt32 = 1) {
        let causes = varint(UInt64(cause.thread)) + varint(cause.sequence)
        record(thread, 24, isCounted: true, varint(UInt64(node)) + causes)
        open(3, thread)
    }

    mutating func hopEnded(on thread: UInt32 = 1) {
        record(thread, 25, isCounted: true)
        closeFrame(thread)
    }

    mutating func batch(on thread: UInt32 = 1) {
        record(thread, 26, isCounted: true)
        open(4, thread)
    }

    mutating func batchEnded(on thread: UInt32 = 1) {
        record(thread, 27, isCounted: true)
        closeFrame(thread)
    }

    /// Ends the thread's chunk; the next one repeats the open frames.
    mutating func endChunk(on thread: UInt32 = 1) {
        guard var state = threads[thread] else { return }
        close(thread, &state)
        threads[thread] = state
    }

    /// Loses the thread's chunk so far; the next one repeats the open frames.
    mutating func loseChunk(on thread: UInt32 = 1) { threads[thread]?.records = [] }

    // MARK: Bytes

    private mutating func close(_ thread: UInt32, _ state: inout Thread) {
        guard !state.records.isEmpty else { return }
        append(
            content: 1, thread: thread, firstSequence: state.firstSequence, baseTicks: state.baseTicks, state.records)
        state.records = []
    }

    private mutating func append(
        content: UInt8, thread: UInt32, firstSequence: UInt64, baseTicks: UInt64, _ records: [UInt8]
    ) {
        var head: [UInt8] = [0x63, 0x68, 0x6E, 0x6B, content, 0]
        head += little(UInt16(64)) + little(thread) + little(UInt32(1)) + little(UInt64(chunks.count + 1))
        head += little(firstSequence) + little(baseTicks)
        let length = little(UInt32(records.count))
        let system = little(UInt32(0))
        let check = UInt32(truncatingIfNeeded: checksum(head + system))
        let sum = checksum(head + length + records)
        chunks.append(head + length + length + little(sum) + little(check) + system + records)
    }

    /// The whole file.
    mutating func finish() -> [UInt8] {
        closeDefinitions()
        for thread in threads.keys.sorted() {
            guard var state = threads[thread] else { continue }
            close(thread, &state)
        }
        var body: [UInt8] = []
        body.reserveCapacity(chunks.count * Self.chunkSize)
        for (place, chunk) in chunks.enumerated() {
            body += chunk
            guard place < chunks.count - 1 else { continue }
            body += [UInt8](repeating: 0, count: (place + 1) * Self.chunkSize - body.count)
        }
        return Self.header(length: 4096 + body.count) + body
    }

    private static func header(length: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x57, 0x45, 0x49, 0x52, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += little(UInt16(1)) + little(UInt16(4096)) + little(UInt32(chunkSize)) + little(UInt32(4711))
        bytes += [3, 1] + little(UInt16(0)) + little(UInt64(1_000_000_000)) + little(UInt64(0))
        bytes += little(Int64(1_700_000_000_000_000_000)) + little(UInt64(0)) + varint(7) + Array("crafted".utf8)
        bytes += [UInt8](repeating: 0, count: 4032 - bytes.count)
        bytes += little(checksum(bytes)) + little(UInt64(0)) + little(~UInt64(0)) + little(UInt32(2))
        bytes += little(~UInt32(2)) + little(UInt64(length)) + little(~UInt64(length))
        return bytes + [UInt8](repeating: 0, count: 4096 - bytes.count)
    }
}

func varint(_ number: UInt64) -> [UInt8] {
    var (bytes, rest): ([UInt8], UInt64) = ([], number)
    while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
    }
    return bytes + [UInt8(rest)]
}

private func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
}

/// As the format page defines it: FNV-1a over words of eight bytes, in four lanes.
private func checksum(_ bytes: [UInt8]) -> UInt64 {
    let (basis, prime): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x100_0000_01B3)
    var lanes = (0..<4).map { basis &+ $0 }
    let padded = bytes + [UInt8](repeating: 0, count: (32 - bytes.count % 32) % 32)
    padded.withUnsafeBytes { words in
        for place in 0..<words.count / 8 {
            let word = UInt64(littleEndian: words.load(fromByteOffset: place * 8, as: UInt64.self))
            lanes[place % 4] = (lanes[place % 4] ^ word) &* prime
        }
    }
    let hash = lanes.reduce(basis ^ UInt64(bytes.count)) { ($0 ^ $1) &* prime }
    return hash ^ (hash >> 32)
}
