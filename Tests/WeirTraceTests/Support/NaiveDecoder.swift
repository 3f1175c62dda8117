@testable import WeirTrace

/// Decodes whole arrays in the simplest way: the oracle for the streaming reader. For sound traces only.
struct NaiveDecoder {
    let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// All events in the order in which a reader returns them.
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
        var streams: [[TraceEvent]] = []
        for (_, chunks) in threads.sorted(by: { $0.key < $1.key }) {
            var events: [TraceEvent] = []
            for chunk in chunks.sorted(by: { $0.serial < $1.serial }) {
                var decoder = NaiveDecoder(chunk.records)
                events += decoder.decode(chunk)
            }
            streams.append(events)
        }
        return merged(streams)
    }

    /// All definitions, each chunk in the order of its serial number.
    static func definitions(_ file: [UInt8]) -> TraceDefinitions {
        func number(_ offset: Int, _ size: Int) -> UInt64 {
            (0..<size).reduce(0) { $0 | UInt64(file[offset + $1]) << (8 * $1) }
        }
        let starts = stride(from: 4096, to: file.count, by: 65536).filter { file[$0] != 0 && file[$0 + 4] == 2 }
        var result = TraceDefinitions()
        var strings: [String: String] = [:]
        for start in starts.sorted(by: { number($0 + 16, 8) < number($1 + 16, 8) }) {
            var decoder = NaiveDecoder(Array(file[start + 64..<start + 64 + Int(number(start + 40, 4))]))
            let scope = "\(number(start + 8, 4)) \(number(start + 12, 4))"
            decoder.decode(scope, UInt32(number(start + 8, 4)), &strings, &result)
        }
        return result
    }

    /// A text, or the placeholder of a removed one.
    private mutating func name(to end: Int) -> String {
        let text = string()
        guard text.isEmpty, place < end, let last = bytes[place..<end].firstIndex(where: { $0 < 0x80 }),
            last < place + 9
        else { return text }
        let number = number()
        return number > 0 ? "[private \(number)]" : ""
    }

    private mutating func decode(
        _ scope: String, _ thread: UInt32, _ strings: inout [String: String], _ result: inout TraceDefinitions
    ) {
        while place < bytes.count {
            let tag = byte()
            let end = Int(number()) + place
            func name(_ id: UInt64) -> String? { strings["\(scope) \(id)"] }
            func id(_ number: UInt64) -> UInt32? { number == 0 ? nil : UInt32(number) }
            func site(_ file: UInt64, _ line: UInt64) -> TraceSite? {
                name(file).map { TraceSite(file: $0, line: Int(line)) }
            }
            switch tag {
            case 1: strings["\(scope) \(number())"] = String(decoding: bytes[place..<end], as: UTF8.self)
            case 2:
                let node = UInt32(number())
                let (kind, flags) = (byte(), byte())
                let (label, type, file, line, owner) = (number(), number(), number(), number(), number())
                let former = result.nodes[node]
                let isNamed = name(label) != nil || former?.label == nil
                result.nodes[node] = TraceNode(
                    id: node, rawKind: kind, isPrivate: flags & 1 == 1, label: isNamed ? name(label) : former?.label,
                    valueType: name(type), site: site(file, line), owner: isNamed ? id(owner) : former?.owner,
                    value: former?.value ?? value())
            case 3:
                let (subscription, source, target) = (UInt32(number()), UInt32(number()), number())
                let (flags, file, line) = (byte(), number(), number())
                result.subscriptions[subscription] = TraceSubscription(
                    id: subscription, source: source, target: id(target), isInternal: flags & 1 == 1,
                    isTiming: flags & 2 == 2, site: site(file, line), owner: place < end ? id(number()) : nil)
            case 4:
                let (object, type, label) = (UInt32(number()), number(), number())
                result.objects[object] = TraceObject(
                    id: object, type: name(type), label: name(label) ?? result.objects[object]?.label)
            case 5:
                let (node, rule, reason) = (UInt32(number()), number(), number())
                let (file, line) = (number(), number())
                guard let rule = name(rule) else { break }
                let intention = TraceIntention(
                    node: node, rule: rule, reason: name(reason) ?? "", site: site(file, line))
                let known = result.intentions[node, default: []]
                if known.count < 64 && !known.contains(intention) { result.intentions[node] = known + [intention] }
            case 6:
                let (snapshot, part, count) = (UInt32(number()), number(), number())
                result.snapshots[snapshot, default: SnapshotParts(count: count)].take(
                    SnapshotPart(snapshot: snapshot, number: part, count: count))
            case 7:
                let (sequence, number, what, type) = (number(), UInt32(number()), byte(), number())
                let isThread = number == 0 || what == 0
                if !isThread { result.runners[number] = what == 1 ? .main : .actor(name(type)) }
                let all = result.executorSpans[thread, default: []]
                let executorSpan = ExecutorSpan(sequence: sequence, number: isThread ? thread : number)
                if all.allSatisfy({ $0.sequence < sequence }), all.last?.number != executorSpan.number {
                    result.executorSpans[thread] = all + [executorSpan]
                }
            case 8:
                let (id, function, file, line) = (UInt32(number()), number(), number(), number())
                result.writeSites[id] = TraceWriteSite(id: id, function: name(function), site: site(file, line))
            default: break
            }
            place = end
        }
    }

    /// Ordered by time, then thread; if a hop precedes its cause of the same time, the events up to the cause come first.
    private static func merged(_ streams: [[TraceEvent]]) -> [TraceEvent] {
        var rest = streams.map { $0[...] }
        var result: [TraceEvent] = []
        while let first = rest.indices.filter({ !rest[$0].isEmpty }).min(by: {
            rest[$0].first!.ticks < rest[$1].first!.ticks
        }) {
            var chosen = first
            var seen: Set<Int> = []
            while seen.insert(chosen).inserted, let hop = rest[chosen].first, hop.kind == .hopBegan,
                let cause = hop.cause, cause.thread != hop.id.thread,
                let other = rest.firstIndex(where: { $0.first?.id.thread == cause.thread }),
                rest[other].first!.ticks == hop.ticks, rest[other].first!.id.sequence <= cause.sequence
            {
                chosen = seen.contains(other) ? first : other
            }
            result.append(rest[chosen].removeFirst())
        }
        return result
    }

    private mutating func decode(_ chunk: TraceBuilder.Chunk) -> [TraceEvent] {
        var events: [TraceEvent] = []
        // What: 1 emission, 2 stimulus, 3 hop, 4 batch.
        var frames: [(what: UInt8, id: EventID, subscription: UInt32, isEnding: Bool)] = []
        var ticks = chunk.baseTicks
        var sequence = chunk.firstSequence
        func innermost(_ what: UInt8...) -> Int? { frames.lastIndex { what.contains($0.what) } }
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
                    frames.append((what, id, UInt32(number()), false))
                }
                place = end
                continue
            }
            if (3...5).contains(kind), let open = innermost(1) { frames.removeSubrange((open + 1)...) }
            let causing = innermost(1, 3)
            var event = TraceEvent(
                id: EventID(thread: chunk.thread, sequence: sequence),
                kind: EventKind(rawValue: kind) ?? .context,
                ticks: ticks, isStamped: tag & 0x80 != 0, subject: UInt32(subject),
                cause: (causing ?? frames.indices.last).map { frames[$0].id }, depth: frames.count,
                deliveringTo: causing.map { frames[$0].what == 1 ? frames[$0].subscription : 0 } ?? 0)
            event.scheduledBy = causing.map { frames[$0].what == 3 ? frames[$0].subscription : 0 } ?? 0
            func open(_ what: UInt8, _ subscription: UInt32 = 0) {
                frames.append((what, event.id, subscription, kind == 10 || kind == 11))
            }
            func close(_ what: UInt8) {
                guard let open = innermost(what) else { return }
                event.cause = frames[open].id
                event.depth = open
                frames.removeSubrange(open...)
            }
            sequence += 1
            switch kind {
            case 1, 10, 11:
                event.value = value()
                event.delivers = tag & 0x40 != 0
                event.isReplayed = kind == 1 && tag & 0x20 != 0
                if event.delivers { open(1) }
            case 2, 7: event.reason = byte()
            case 3, 4:
                if let open = innermost(1) {
                    if kind == 4 { event.endedSubscription = frames[open].subscription }
                    event.deliversEnd = frames[open].isEnding && subject != 0
                    frames[open].subscription = event.subject
                }
            case 5:
                if let open = innermost(1) {
                    event.endedSubscription = frames[open].subscription
                    frames.removeSubrange(open...)
                }
            case 12: if case .unsigned(let site) = value() { event.count = site }
            case 13...15: _ = value()
            case 17: event.count = number()
            case 18:
                event.text = name(to: end)
                open(2)
            case 19: close(2)
            case 21: event.text = name(to: end)
            case 22, 23, 28: event.subject = UInt32(number())
            case 29:
                event.subject = UInt32(number())
                (_, _) = (number(), number())
                event.count = place < end ? number() : 0
            case 30:
                event.subject = UInt32(number())
                event.count = number()
            case 24:
                event.subject = UInt32(number())
                let (thread, of) = (UInt32(number()), number())
                event.cause = thread > 0 && of > 0 ? EventID(thread: thread, sequence: of) : nil
                event.scheduledBy = place < end ? UInt32(number()) : 0
                event.count = place < end && number() == 1 ? 1 : 0
                open(3, event.scheduledBy)
            case 25: close(3)
            case 26: open(4)
            case 27: close(4)
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

    private mutating func enumCase() -> TraceValue {
        let end = Int(number()) + place
        defer { place = end }
        guard place < end else { return .unknown(form: 32) }
        let kind = byte()
        guard kind <= 3, kind != 1 || end - place >= 8 else { return .unknown(form: 32) }
        let payload: TraceValue.CasePayload =
            kind == 0 ? .none : kind == 1 ? .fingerprint(fixed(8)) : kind == 2 ? .unknown : .noneOfAnyEnum
        return .enumCase(String(decoding: bytes[place..<end], as: UTF8.self), payload)
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
        case 32: return enumCase()
        case 33:
            let end = Int(number()) + place
            defer { place = end }
            guard end - place >= 9 else { return .unknown(form: 33) }
            let (whole, cut) = (fixed(8), byte())
            guard cut < 2 else { return .unknown(form: 33) }
            let text = String(decoding: bytes[place..<end], as: UTF8.self)
            return .hashedDescription(text, isCut: cut == 1, fingerprint: whole)
        default:
            _ = string()
            return .unknown(form: form)
        }
    }
}
