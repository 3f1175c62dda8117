/// Rewrites a chunk of events: the same records at the same times, without the content that a copy must not have.
///
/// Each field is read and written separately, and nothing else gets into the copy: neither bytes after the fields of a record
/// nor content of later format versions. The output is hardly ever longer than the input, so each chunk yields one chunk,
/// with unchanged numbers, times and open frames. Cost: about 50 ns per record.
struct EventRedactor {
    let plan: RedactionPlan
    /// The number of parts and bytes that each snapshot has in the copy.
    let snapshots: [UInt32: SnapshotSize]
    private(set) var counts = RedactionCounts()
    /// The records of the copy.
    private(set) var bytes: [UInt8] = []
    private var body: [UInt8] = []
    private var texts = RemovedTexts()

    private typealias Flag = TraceFormat.EventFlag

    init(_ plan: RedactionPlan, snapshots: [UInt32: SnapshotSize]) {
        self.plan = plan
        self.snapshots = snapshots
    }

    /// Fills `bytes` with the records before the first one that is malformed or has no room.
    ///
    /// Returns the tag and position of that record; nil: all records were written.
    mutating func rewrite(_ records: UnsafeRawBufferPointer) -> (tag: UInt8, position: Int)? {
        bytes.removeAll(keepingCapacity: true)
        guard let base = records.baseAddress else { return nil }
        var scanner = ByteScanner(base, from: 0, to: records.count)
        while true {
            let (start, length) = (scanner.position, bytes.count)
            guard let tag = scanner.byte() else { return nil }
            let former = counts
            guard rewrite(tag, &scanner), bytes.count <= TraceFormat.chunkSize - TraceFormat.chunkHeaderLength else {
                bytes.removeSubrange(length...)
                counts = former
                return (tag, start)
            }
        }
    }

    private mutating func rewrite(_ tag: UInt8, _ scanner: inout ByteScanner) -> Bool {
        switch tag & Flag.kindMask {
        case 0: false
        case 1...15: compact(tag, &scanner)
        default: counted(tag, &scanner)
        }
    }

    // MARK: Compact records

    private mutating func compact(_ tag: UInt8, _ scanner: inout ByteScanner) -> Bool {
        let kind = EventKind(rawValue: tag & Flag.kindMask)
        var flags = Flag.stamped
        if kind == .emitted || kind == .completed || kind == .failed { flags |= Flag.delivers }
        if kind == .emitted { flags |= Flag.replayed }
        bytes.append(tag & (flags | Flag.kindMask))
        var subject: UInt32 = 0
        if kind != .deliveryEnded {
            guard let id = scanner.id() else { return false }
            subject = id
            Varint.append(UInt64(id), to: &bytes)
        }
        if tag & Flag.stamped != 0 {
            guard let delta = scanner.varint() else { return false }
            Varint.append(delta, to: &bytes)
        }
        switch kind {
        case .emitted, .failed: return plan.value(&scanner, of: subject, &bytes, &counts)
        case .completed:
            bytes.append(TraceFormat.ValueForm.notRecorded.rawValue)
            return TraceValue.skip(&scanner)
        case .written:
            guard let value = TraceValue(from: &scanner) else { return false }
            guard case .unsigned = value else {
                bytes.append(TraceFormat.ValueForm.notRecorded.rawValue)
                return true
            }
            value.append(to: &bytes)
            return true
        case nil:
            var values = RedactionCounts()
            guard plan.value(&scanner, of: nil, &bytes, &values) else { return false }
            counts.unknownRecords += values.values
            return true
        case .suppressed, .subscriptionEnded:
            guard let reason = scanner.byte() else { return false }
            bytes.append(reason)
            return true
        default: return true
        }
    }

    // MARK: Records with a length

    private mutating func counted(_ tag: UInt8, _ scanner: inout ByteScanner) -> Bool {
        guard let count = scanner.varint(), var payload = scanner.part(count) else { return false }
        body.removeAll(keepingCapacity: true)
        if tag & Flag.stamped != 0 { guard number(&payload) else { return false } }
        guard fields(EventKind(rawValue: tag & Flag.kindMask), &payload) else { return false }
        bytes.append(tag & (Flag.stamped | Flag.kindMask))
        Varint.append(UInt64(body.count), to: &bytes)
        bytes += body
        return true
    }

    private mutating func fields(_ kind: EventKind?, _ payload: inout ByteScanner) -> Bool {
        switch kind {
        case .context: return context(&payload)
        case .eventsLost: return number(&payload)
        case .stimulusBegan, .checkpoint: return text(&payload)
        case .objectTracked, .objectReleased, .objectExpected: return id(&payload)
        case .hopBegan:
            guard id(&payload), id(&payload), number(&payload) else { return false }
            // Older traces lack these; a reader skips what is no id.
            if id(&payload) { _ = number(&payload) }
            return true
        case .hopScheduled: return id(&payload) && number(&payload)
        case .snapshotTaken: return snapshot(&payload)
        case nil:
            // Only its existence is recorded: events are counted.
            if !payload.isAtEnd { counts.unknownRecords += 1 }
            return true
        case .stimulusEnded, .frame, .hopEnded, .batchBegan, .batchEnded: return true
        // These are compact.
        case .emitted, .suppressed, .deliveryBegan, .deliveryNext, .deliveryEnded, .subscriptionStarted,
            .subscriptionEnded, .nodeCreated, .nodeReleased, .completed, .failed, .written:
            return false
        }
    }

    private mutating func number(_ payload: inout ByteScanner) -> Bool {
        guard let number = payload.varint() else { return false }
        Varint.append(number, to: &body)
        return true
    }

    private mutating func id(_ payload: inout ByteScanner) -> Bool {
        guard let id = payload.id() else { return false }
        Varint.append(UInt64(id), to: &body)
        return true
    }

    private mutating func context(_ payload: inout ByteScanner) -> Bool {
        guard let count = payload.varint() else { return false }
        Varint.append(count, to: &body)
        var left = count
        while left > 0 {
            guard let opener = payload.byte() else { return false }
            body.append(opener)
            guard number(&payload), number(&payload), id(&payload) else { return false }
            left -= 1
        }
        // The number of further open frames inside these.
        _ = number(&payload)
        return true
    }

    private mutating func text(_ payload: inout ByteScanner) -> Bool {
        guard let count = payload.varint(), let text = payload.part(count) else { return false }
        let bytes = UnsafeRawBufferPointer(start: text.base + text.position, count: text.end - text.position)
        if bytes.isEmpty {
            body.append(0)
            // The name was already removed.
            _ = number(&payload)
            return true
        }
        if plan.hidesTexts {
            body.append(0)
            Varint.append(texts.number(of: String(decoding: bytes, as: UTF8.self)), to: &body)
            counts.texts += 1
        } else {
            Varint.append(count, to: &body)
            body += bytes
        }
        return true
    }

    private mutating func snapshot(_ payload: inout ByteScanner) -> Bool {
        guard let number = payload.id(), let parts = payload.varint(), payload.varint() != nil,
            let pause = payload.isAtEnd ? 0 : payload.varint()
        else { return false }
        // If the original counts no parts, they came later.
        let size = parts == 0 ? nil : snapshots[number]
        for field in [UInt64(number), UInt64(size?.parts ?? 0), UInt64(size?.bytes ?? 0), pause] {
            Varint.append(field, to: &body)
        }
        return true
    }
}

/// The size of a snapshot, as a `snapshotTaken` reports it.
struct SnapshotSize {
    var parts: Int
    var bytes: Int
}
