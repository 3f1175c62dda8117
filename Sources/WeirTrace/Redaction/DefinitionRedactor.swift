/// Rewrites definitions without the content that a copy must not have.
///
/// Only strings that are used are written, each where it is first used. So the copy contains neither unused strings nor the
/// originals of names from which keys were removed. If a chunk becomes too long, it continues in another one.
struct DefinitionRedactor {
    let plan: RedactionPlan
    /// The redacted bytes of a snapshot; nil: it is lost.
    let snapshot: (UInt32) -> [UInt8]?
    /// The sizes of the snapshots written so far.
    private(set) var snapshots: [UInt32: SnapshotSize] = [:]
    private(set) var counts = RedactionCounts()

    private var scope = Scope(thread: 0, generation: 0)
    /// By id in the original.
    private var names: [Scope: [UInt32: String]] = [:]
    /// By text, the ids in the copy.
    private var ids: [Scope: [String: UInt64]] = [:]
    /// Snapshots with parts still to come, and the parts encountered so far.
    private var openSnapshots: [UInt32: [UInt8]] = [:]
    private var seenParts: [UInt32: Set<UInt64>] = [:]
    /// The finished chunks, and the current one last.
    private var chunks: [[UInt8]] = []
    /// A record and the strings that it needs, which stay together.
    private var group: [UInt8] = []

    /// String ids are valid for one thread and one generation.
    private struct Scope: Hashable {
        var thread: UInt32
        var generation: UInt32
    }

    private static let room = TraceFormat.chunkSize - TraceFormat.chunkHeaderLength

    init(_ plan: RedactionPlan, snapshot: @escaping (UInt32) -> [UInt8]?) {
        self.plan = plan
        self.snapshot = snapshot
    }

    /// The records of a chunk, up to a malformed one, as the records of one or more chunks; empty if nothing is left.
    mutating func rewrite(_ records: UnsafeRawBufferPointer, of header: ChunkHeader) -> [[UInt8]] {
        scope = Scope(thread: header.thread, generation: header.generation)
        chunks = [[]]
        if let base = records.baseAddress {
            var scanner = ByteScanner(base, from: 0, to: records.count)
            while let tag = scanner.byte(), tag != 0, let count = scanner.varint(), var payload = scanner.part(count),
                rewrite(tag, &payload)
            {
                takeGroup()
            }
        }
        group.removeAll()
        return chunks.filter { !$0.isEmpty }
    }

    private mutating func takeGroup() {
        defer { group.removeAll(keepingCapacity: true) }
        if chunks[chunks.count - 1].count + group.count > Self.room { chunks.append([]) }
        guard group.count <= Self.room else {
            // Only names longer than any that a recorder writes need so much room.
            counts.damagedPlaces += 1
            return
        }
        chunks[chunks.count - 1] += group
    }

    /// Rewrites a record; false: it is malformed.
    private mutating func rewrite(_ tag: UInt8, _ payload: inout ByteScanner) -> Bool {
        switch TraceFormat.DefinitionTag(rawValue: tag) {
        case .string:
            guard let id = payload.id() else { return false }
            names[scope, default: [:]][id] = payload.remainingText()
            return true
        case .node: return node(&payload)
        case .subscription: return subscription(&payload)
        case .object: return object(&payload)
        case .intention: return intention(&payload)
        case .snapshotPart: return snapshotPart(&payload)
        case .executorSpan: return executorSpan(&payload)
        case .writeSite: return writeSite(&payload)
        case nil:
            counts.unknownRecords += 1
            return true
        }
    }

    // MARK: Records

    private mutating func node(_ payload: inout ByteScanner) -> Bool {
        guard let id = payload.id(), let kind = payload.byte(), let flags = payload.byte(), let label = payload.id(),
            let type = payload.id(), let file = payload.id(), let line = payload.varint(), let owner = payload.id()
        else { return false }
        let hides = plan.hides(id)
        var value: [UInt8] = []
        guard plan.value(&payload, of: id, &value, &counts) else { return false }
        let shownLabel = name(label).map { plan.label($0, of: id) }
        let old = TraceFormat.NodeFlags(rawValue: flags)
        let new = TraceFormat.NodeFlags(hides || old.isPrivate, old.technique, old.strategy)
        let strings = [shownLabel, name(type), name(file)].map { write($0) }
        record(.node) { body in
            Varint.append(UInt64(id), to: &body)
            body += [kind, new.rawValue]
            for field in strings + [line, UInt64(owner)] { Varint.append(field, to: &body) }
            body += value
        }
        return true
    }

    private mutating func subscription(_ payload: inout ByteScanner) -> Bool {
        guard let id = payload.id(), let source = payload.id(), let target = payload.id(), let flags = payload.byte(),
            let file = payload.id(), let line = payload.varint(), let owner = payload.isAtEnd ? 0 : payload.id()
        else { return false }
        let site = write(name(file))
        record(.subscription) { body in
            for field in [id, source, target] { Varint.append(UInt64(field), to: &body) }
            body.append(flags & TraceFormat.SubscriptionFlag.all)
            for field in [site, line] { Varint.append(field, to: &body) }
            if owner != 0 { Varint.append(UInt64(owner), to: &body) }
        }
        return true
    }

    private mutating func object(_ payload: inout ByteScanner) -> Bool {
        guard let id = payload.id(), let type = payload.id(), let label = payload.id() else { return false }
        let strings = [name(type), name(label).map { plan.keys.removed(from: $0) }].map { write($0) }
        record(.object) { body in
            for field in [UInt64(id)] + strings { Varint.append(field, to: &body) }
        }
        return true
    }

    private mutating func intention(_ payload: inout ByteScanner) -> Bool {
        guard let node = payload.id(), let rule = payload.id(), let reason = payload.id(), let file = payload.id(),
            let line = payload.varint()
        else { return false }
        var text = name(reason)
        if plan.hidesTexts, let whole = text, !whole.isEmpty, whole != TraceFormat.removedReason {
            text = TraceFormat.removedReason
            counts.texts += 1
        }
        // The name of an unknown rule might contain anything.
        let known = name(rule).flatMap { RedundancyRule(rawValue: $0) == nil ? nil : $0 }
        if known == nil, rule != 0 { counts.unknownRecords += 1 }
        let strings = [known, text, name(file)].map { write($0) }
        record(.intention) { body in
            for field in [UInt64(node)] + strings + [line] { Varint.append(field, to: &body) }
        }
        return true
    }

    private mutating func writeSite(_ payload: inout ByteScanner) -> Bool {
        guard let id = payload.id(), let function = payload.id(), let file = payload.id(), let line = payload.varint()
        else { return false }
        let strings = [name(function), name(file)].map { write($0) }
        record(.writeSite) { body in
            for field in [UInt64(id)] + strings + [line] { Varint.append(field, to: &body) }
        }
        return true
    }

    private mutating func executorSpan(_ payload: inout ByteScanner) -> Bool {
        guard let sequence = payload.varint(), let number = payload.id(), let kind = payload.byte(),
            let type = payload.id()
        else { return false }
        let typeName = write(name(type))
        record(.executorSpan) { body in
            for field in [sequence, UInt64(number)] { Varint.append(field, to: &body) }
            body.append(kind)
            Varint.append(typeName, to: &body)
        }
        return true
    }

    /// Parts stay in their chunks; additional parts follow the last one.
    private mutating func snapshotPart(_ payload: inout ByteScanner) -> Bool {
        guard let part = SnapshotPart(from: &payload) else { return false }
        guard part.number < part.count, seenParts[part.snapshot, default: []].insert(part.number).inserted else {
            return true
        }
        let bytes = openSnapshots[part.snapshot] ?? snapshot(part.snapshot) ?? []
        let isDone = seenParts[part.snapshot]?.count == Int(clamping: part.count)
        openSnapshots[part.snapshot] = isDone ? nil : bytes
        let count = (bytes.count + SnapshotLimits.partBytes - 1) / SnapshotLimits.partBytes
        snapshots[part.snapshot] = SnapshotSize(parts: count, bytes: bytes.count)
        let first = Int(clamping: part.number)
        guard first < count else { return true }
        for number in first...(part.number == part.count - 1 ? count - 1 : first) {
            takeGroup()
            let start = number * SnapshotLimits.partBytes
            record(.snapshotPart) { body in
                for field in [UInt64(part.snapshot), UInt64(number), UInt64(count)] { Varint.append(field, to: &body) }
                body += bytes[start..<min(bytes.count, start + SnapshotLimits.partBytes)]
            }
        }
        return true
    }

    // MARK: Writing

    private func name(_ id: UInt32) -> String? { names[scope]?[id] }

    /// The id of a string in the copy, which is added if it is new; 0: none.
    private mutating func write(_ text: String?) -> UInt64 {
        guard let text else { return 0 }
        if let known = ids[scope]?[text] { return known }
        let id = UInt64(ids[scope]?.count ?? 0) + 1
        ids[scope, default: [:]][text] = id
        record(.string) { body in
            Varint.append(id, to: &body)
            body += text.utf8
        }
        return id
    }

    private mutating func record(_ tag: TraceFormat.DefinitionTag, _ fill: (inout [UInt8]) -> Void) {
        var body: [UInt8] = []
        fill(&body)
        group.append(tag.rawValue)
        Varint.append(UInt64(body.count), to: &group)
        group += body
    }
}
