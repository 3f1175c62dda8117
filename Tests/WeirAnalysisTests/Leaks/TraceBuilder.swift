/// Writes traces byte by byte as the format page says, independent of the module under test.
struct TraceBuilder {
    var version: UInt16 = 1
    var processID: UInt32 = 4711
    var clock: UInt8 = 3
    var valuePolicy: UInt8 = 1
    var isFlightRecorder = false
    var ticksPerSecond: UInt64 = 1_000_000_000
    var startTicks: UInt64 = 0
    var startWallClock: Int64 = 1_700_000_000_000_000_000
    var byteLimit: UInt64 = 0
    var program = "sample"
    /// Picoseconds that a record cost, without a stamp and with one.
    var recordCosts: (UInt32, UInt32) = (0, 0)
    var lostEvents: UInt64 = 0
    var isClosed = true
    /// Whether a closed trace has its length in its header.
    var hasLength = true
    var chunks: [Chunk] = []

    struct Chunk {
        var content: UInt8 = 1
        var thread: UInt32 = 1
        var generation: UInt32 = 1
        var serial: UInt64
        var firstSequence: UInt64 = 1
        var baseTicks: UInt64 = 0
        var records: [UInt8] = []
        var isSealed = true
        var systemThread: UInt32 = 0

        var header: [UInt8] {
            var bytes: [UInt8] = [0x63, 0x68, 0x6E, 0x6B, content, 0]
            bytes += little(UInt16(64)) + little(thread) + little(generation) + little(serial)
            bytes += little(firstSequence) + little(baseTicks)
            let length = little(UInt32(records.count))
            let system = little(systemThread)
            let check = UInt32(truncatingIfNeeded: referenceChecksum(bytes + system))
            let sum = isSealed ? referenceChecksum(bytes + length + records) : 0
            return bytes + length + (isSealed ? length : little(UInt32(0))) + little(sum) + little(check)
                + system
        }
    }

    /// Appends a chunk of events; its serial is the next one.
    mutating func events(
        thread: UInt32 = 1, from sequence: UInt64 = 1, at ticks: UInt64 = 0, sealed: Bool = true,
        _ records: [Record]
    ) {
        chunks.append(
            Chunk(
                thread: thread, serial: UInt64(chunks.count + 1), firstSequence: sequence, baseTicks: ticks,
                records: records.flatMap(\.bytes), isSealed: sealed))
    }

    /// Appends a chunk of definitions; its serial is the next one.
    mutating func definitions(thread: UInt32 = 1, generation: UInt32 = 1, _ records: [Definition]) {
        chunks.append(
            Chunk(
                content: 2, thread: thread, generation: generation, serial: UInt64(chunks.count + 1),
                firstSequence: 0, records: records.flatMap(\.bytes)))
    }

    var bytes: [UInt8] {
        var body: [UInt8] = []
        for (place, chunk) in chunks.enumerated() {
            body += chunk.header + chunk.records
            if place < chunks.count - 1 || !isClosed {
                body += [UInt8](repeating: 0, count: (place + 1) * 65536 - body.count)
            }
        }
        return header(length: 4096 + body.count) + body
    }

    func header(length: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x57, 0x45, 0x49, 0x52, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += little(version) + little(UInt16(4096)) + little(UInt32(65536)) + little(processID)
        bytes += [clock, valuePolicy] + little(UInt16(isFlightRecorder ? 1 : 0))
        bytes += little(ticksPerSecond) + little(startTicks) + little(startWallClock) + little(byteLimit)
        bytes += text(program)
        if recordCosts != (0, 0) {
            bytes += [UInt8](repeating: 0, count: 1088 - bytes.count)
            bytes += little(recordCosts.0) + little(recordCosts.1)
        }
        bytes += [UInt8](repeating: 0, count: 4032 - bytes.count)
        bytes += little(referenceChecksum(bytes)) + little(lostEvents) + little(~lostEvents)
        let state: UInt32 = isClosed ? 2 : 1
        bytes += little(state) + little(~state)
        if isClosed && hasLength { bytes += little(UInt64(length)) + little(~UInt64(length)) }
        return bytes + [UInt8](repeating: 0, count: 4096 - bytes.count)
    }
}

/// A record of an event chunk.
enum Record {
    case emitted(_ node: UInt64, Value, at: UInt64? = nil, delivers: Bool = false, replayed: Bool = false)
    /// A completion (10) or failure (11).
    case ended(_ kind: UInt8, _ node: UInt64, Value = .none, at: UInt64? = nil, delivers: Bool = false)
    /// Any other compact record: `rest` follows the id and the stamp.
    case compact(_ kind: UInt8, _ id: UInt64?, at: UInt64? = nil, rest: [UInt8] = [])
    /// A record that carries its length.
    case counted(_ kind: UInt8, _ payload: [UInt8] = [], at: UInt64? = nil)
    case raw([UInt8])

    static func suppressed(_ node: UInt64, _ reason: UInt8, at: UInt64? = nil) -> Record {
        .compact(2, node, at: at, rest: [reason])
    }
    static func deliveryBegan(_ subscription: UInt64, at: UInt64? = nil) -> Record {
        .compact(3, subscription, at: at)
    }
    static func deliveryNext(_ subscription: UInt64, at: UInt64? = nil) -> Record {
        .compact(4, subscription, at: at)
    }
    static func deliveryEnded(at: UInt64? = nil) -> Record { .compact(5, nil, at: at) }
    static func stimulusBegan(_ name: String, at: UInt64? = nil) -> Record {
        .counted(18, text(name), at: at)
    }
    static func stimulusEnded(at: UInt64? = nil) -> Record { .counted(19, at: at) }
    /// `subscription`: whose delivery scheduled its work; nil: not stated, as in older traces.
    static func hopBegan(
        _ node: UInt64, cause thread: UInt64, _ sequence: UInt64, by subscription: UInt64? = nil, carries: Bool = false,
        at: UInt64? = nil
    ) -> Record {
        .counted(
            24,
            varint(node) + varint(thread) + varint(sequence) + (subscription.map(varint) ?? []) + (carries ? [1] : []),
            at: at)
    }
    static func hopEnded(at: UInt64? = nil) -> Record { .counted(25, at: at) }
    static func batchBegan(at: UInt64? = nil) -> Record { .counted(26, at: at) }
    static func batchEnded(at: UInt64? = nil) -> Record { .counted(27, at: at) }
    /// Open frames: kind (1 emission, 2 stimulus, 3 hop, 4 batch), sequence, node, subscription.
    static func context(_ frames: [(UInt8, UInt64, UInt64, UInt64)]) -> Record {
        let fields = frames.flatMap { [$0.0] + varint($0.1) + varint($0.2) + varint($0.3) }
        return .counted(16, varint(UInt64(frames.count)) + fields)
    }

    var bytes: [UInt8] {
        switch self {
        case .emitted(let node, let value, let stamp, let delivers, let replayed):
            let flags: UInt8 = (stamp == nil ? 0 : 0x80) | (delivers ? 0x40 : 0) | (replayed ? 0x20 : 0)
            return [1 | flags] + varint(node) + (stamp.map(varint) ?? []) + value.bytes
        case .ended(let kind, let node, let value, let stamp, let delivers):
            let flags: UInt8 = (stamp == nil ? 0 : 0x80) | (delivers ? 0x40 : 0)
            return [kind | flags] + varint(node) + (stamp.map(varint) ?? []) + value.bytes
        case .compact(let kind, let id, let stamp, let rest):
            return [kind | (stamp == nil ? 0 : 0x80)] + (id.map(varint) ?? []) + (stamp.map(varint) ?? [])
                + rest
        case .counted(let kind, let payload, let stamp):
            let body = (stamp.map(varint) ?? []) + payload
            return [kind | (stamp == nil ? 0 : 0x80)] + varint(UInt64(body.count)) + body
        case .raw(let bytes): return bytes
        }
    }
}

/// A recorded value: a form and its payload.
struct Value {
    var bytes: [UInt8]

    static let none = Value(bytes: [0])
    static func form(_ form: UInt8, _ rest: [UInt8] = []) -> Value { Value(bytes: [form] + rest) }
    static func signed(_ number: Int64) -> Value {
        .form(6, varint(UInt64(bitPattern: (number << 1) ^ (number >> 63))))
    }
    static func string(_ string: String) -> Value { .form(10, text(string)) }
}

/// A record of a definition chunk.
enum Definition {
    case string(UInt64, String)
    case node(
        UInt64, kind: UInt8 = 1, flags: UInt8 = 0, label: UInt64 = 0, type: UInt64 = 0, file: UInt64 = 0,
        line: UInt64 = 0, owner: UInt64 = 0, value: Value = .none)
    case subscription(
        UInt64, source: UInt64, target: UInt64 = 0, flags: UInt8 = 0, file: UInt64 = 0, line: UInt64 = 0,
        owner: UInt64? = nil)
    case object(UInt64, type: UInt64 = 0, label: UInt64 = 0)
    case intention(_ node: UInt64, rule: UInt64 = 0, reason: UInt64 = 0, file: UInt64 = 0, line: UInt64 = 0)
    /// For the chunk's thread.
    case executorSpan(from: UInt64, number: UInt64 = 0, what: UInt8 = 0, type: UInt64 = 0)
    case writeSite(UInt64, function: UInt64 = 0, file: UInt64 = 0, line: UInt64 = 0)
    case raw(tag: UInt8, [UInt8])

    var bytes: [UInt8] {
        let (tag, payload) = parts
        return [tag] + varint(UInt64(payload.count)) + payload
    }

    var parts: (tag: UInt8, payload: [UInt8]) {
        switch self {
        case .string(let id, let string): return (1, varint(id) + Array(string.utf8))
        case .node(let id, let kind, let flags, let label, let type, let file, let line, let owner, let value):
            let references = varint(label) + varint(type) + varint(file) + varint(line) + varint(owner)
            return (2, varint(id) + [kind, flags] + references + value.bytes)
        case .subscription(let id, let source, let target, let flags, let file, let line, let owner):
            let ends = varint(id) + varint(source) + varint(target)
            return (3, ends + [flags] + varint(file) + varint(line) + (owner.map(varint) ?? []))
        case .intention(let node, let rule, let reason, let file, let line):
            return (5, varint(node) + varint(rule) + varint(reason) + varint(file) + varint(line))
        case .executorSpan(let sequence, let number, let what, let type):
            return (7, varint(sequence) + varint(number) + [what] + varint(type))
        case .object(let id, let type, let label): return (4, varint(id) + varint(type) + varint(label))
        case .writeSite(let id, let function, let file, let line):
            return (8, varint(id) + varint(function) + varint(file) + varint(line))
        case .raw(let tag, let payload): return (tag, payload)
        }
    }
}

func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
}

func text(_ string: String) -> [UInt8] { varint(UInt64(string.utf8.count)) + Array(string.utf8) }

func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<MemoryLayout<Number>.size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

/// The checksum as the format page defines it, word by word.
func referenceChecksum(_ bytes: [UInt8]) -> UInt64 {
    let basis: UInt64 = 0xCBF2_9CE4_8422_2325
    let prime: UInt64 = 0x100_0000_01B3
    var lanes = [basis, basis + 1, basis + 2, basis + 3]
    let padded = bytes + [UInt8](repeating: 0, count: (32 - bytes.count % 32) % 32)
    for start in stride(from: 0, to: padded.count, by: 8) {
        var word: UInt64 = 0
        for place in 0..<8 { word |= UInt64(padded[start + place]) << (8 * place) }
        let lane = start / 8 % 4
        lanes[lane] = (lanes[lane] ^ word) &* prime
    }
    var hash = basis ^ UInt64(bytes.count)
    for lane in lanes { hash = (hash ^ lane) &* prime }
    return hash ^ (hash >> 32)
}
