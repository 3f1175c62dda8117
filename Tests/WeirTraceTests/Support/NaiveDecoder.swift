@testable import WeirTrace

/// Decodes whole arrays in the plainest way: the oracle for the streaming reader. Sound traces only.
struct NaiveDecoder {
    let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// All events, sorted by time, then thread, then sequence.
    static func events(_ file: [UInt8]) -> [TraceEvent] {
        var threads: [UInt32: [TraceBuilder.Chunk]] = [:]
        for start in stride(from: 4096, to: file.count, by: 65536)
        where file[start] != 0 && file[start + 4] == 1 {
            func number(_ offset: Int, _ size: Int) -> UInt64 {
                (0..<size).reduce(0) { $0 | UInt64(file[start + offset + $1]) << (8 * $1) }
            }
            let committed = Int(number(40, 4))
            let chunk = TraceBuilder.Chunk(
                thread: UInt32(number(8, 4)), serial: number(16, 8), firstSequence: number(24, 8),
                baseTicks: number(32, 8), records: Array(file[start + 64..<start + 64 + committed]))
            threads[chunk.thread, default: []].append(chunk)
        }
        var events: [TraceEvent] = []
        for chunks in threads.values {
            for chunk in chunks.sorted(by: { $0.serial < $1.serial }) {
                var decoder = NaiveDecoder(chunk.records)
                events += decoder.decode(chunk)
            }
        }
        return events.sorted {
            ($0.ticks, $0.id.thread, $0.id.sequence) < ($1.ticks, $1.id.thread, $1.id.sequence)
        }
    }

    private mutating func decode(_ chunk: TraceBuilder.Chunk) -> [TraceEvent] {
        var events: [TraceEvent] = []
        var frames: [(isEmission: Bool, id: EventID, subscription: UInt32)] = []
        var ticks = chunk.baseTicks
        var sequence = chunk.firstSequence
        func emission() -> Int? { frames.lastIndex { $0.isEmission } }
        while place < bytes.count {
            let tag = byte()
            let kind = tag & 31
            var subject: UInt64 = 0
            var end = bytes.count
            if kind >= 16 { end = Int(number()) + place } else if kind != 5 { subject = number() }
            if tag & 0x80 != 0 { ticks += number() }
            if kind == 16 {
                frames = []
                for _ in 0..<number() {
                    let what = byte()
                    let id = EventID(thread: chunk.thread, sequence: number())
                    _ = number()
                    frames.append((what == 1, id, UInt32(number())))
                }
                place = end
                continue
            }
            var event = TraceEvent(
                id: EventID(thread: chunk.thread, sequence: sequence),
                kind: EventKind(rawValue: kind) ?? .context,
                ticks: ticks, isStamped: tag & 0x80 != 0, subject: UInt32(subject),
                cause: (emission() ?? frames.indices.last).map { frames[$0].id }, depth: frames.count,
                deliveringTo: emission().map { frames[$0].subscription } ?? 0)
            sequence += 1
            switch kind {
            case 1:
                event.value = value()
                event.delivers = tag & 0x40 != 0
                event.isReplayed = tag & 0x20 != 0
                if event.delivers { frames.append((true, event.id, 0)) }
            case 2, 7: event.reason = byte()
            case 3, 4:
                if let open = emission() {
                    if kind == 4 { event.endedSubscription = frames[open].subscription }
                    frames[open].subscription = event.subject
                }
            case 5:
                if let open = emission() {
                    event.endedSubscription = frames[open].subscription
                    frames.removeSubrange(open...)
                }
            case 10...15: _ = value()
            case 17: event.count = number()
            case 18:
                event.text = string()
                frames.append((false, event.id, 0))
            case 19:
                if let open = frames.lastIndex(where: { !$0.isEmission }) {
                    event.cause = frames[open].id
                    event.depth = open
                    frames.removeSubrange(open...)
                }
            case 21: event.text = string()
            case 22, 23: event.subject = UInt32(number())
            default: break
            }
            if kind >= 16 { place = end }
            if EventKind(rawValue: kind) != nil { events.append(event) }
        }
        return events
    }

    private mutating func byte() -> UInt8 {
        place += 1
        return bytes[place - 1]
    }

    private mutating func number() -> UInt64 {
        var result: UInt64 = 0
        var shift = 0
        while true {
            let next = byte()
            result |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return result }
            shift += 7
        }
    }

    private mutating func fixed(_ size: Int) -> UInt64 {
        (0..<size).reduce(0) { $0 | UInt64(byte()) << (8 * $1) }
    }

    private mutating func string() -> String {
        let count = Int(number())
        place += count
        return String(decoding: bytes[place - count..<place], as: UTF8.self)
    }

    private mutating func value() -> TraceValue {
        let form = byte()
        switch form {
        case 0: return .notRecorded
        case 1: return .withheld
        case 2: return .void
        case 3: return .nil
        case 4: return .bool(false)
        case 5: return .bool(true)
        case 6:
            let coded = number()
            return .signed(coded % 2 == 0 ? Int64(coded / 2) : -Int64(coded / 2) - 1)
        case 7: return .unsigned(number())
        case 8: return .double(Double(bitPattern: fixed(8)))
        case 9: return .float(Float(bitPattern: UInt32(fixed(4))))
        case 10: return .string(string())
        case 11: return .cutString(string(), fingerprint: fixed(8))
        case 12: return .fingerprint(fixed(8))
        case 13: return .described(string())
        case 14: return .cutDescription(string(), fingerprint: fixed(8))
        case 15: return .opaque
        default:
            _ = string()
            return .unknown(form: form)
        }
    }
}
