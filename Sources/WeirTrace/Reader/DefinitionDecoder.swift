/// Collects definitions, chunk by chunk in the order of their serial numbers.
struct DefinitionDecoder {
    private(set) var definitions = TraceDefinitions()
    private var strings: [Scope: [UInt32: String]] = [:]

    /// String ids are valid for one thread and one generation.
    private struct Scope: Hashable {
        var thread: UInt32
        var generation: UInt32
    }

    /// The position of a malformed record.
    struct Stop {
        var tag: UInt8
        var position: Int
    }

    /// Reads the records of a chunk, up to a malformed one, which it returns.
    mutating func decode(_ records: UnsafeRawBufferPointer, of chunk: ChunkHeader) -> Stop? {
        guard let base = records.baseAddress else { return nil }
        let scope = Scope(thread: chunk.thread, generation: chunk.generation)
        var names = strings.removeValue(forKey: scope) ?? [:]
        defer { strings[scope] = names }
        var scanner = ByteScanner(base, from: 0, to: records.count)
        while true {
            let start = scanner.position
            guard let tag = scanner.byte() else { return nil }
            let stop = Stop(tag: tag, position: start)
            guard let count = scanner.varint() else { return stop }
            let body = scanner.position
            guard tag != 0, scanner.skip(count) else { return stop }
            var payload = ByteScanner(base, from: body, to: scanner.position)
            guard decode(TraceFormat.DefinitionTag(rawValue: tag), &payload, &names, chunk.thread) else { return stop }
        }
    }

    private mutating func decode(
        _ tag: TraceFormat.DefinitionTag?, _ payload: inout ByteScanner, _ names: inout [UInt32: String],
        _ thread: UInt32
    ) -> Bool {
        switch tag {
        case .string:
            guard let id = payload.id() else { return false }
            names[id] = payload.remainingText(atMost: TraceFormat.longestString)
        case .node:
            guard var node = TraceNode(from: &payload, names) else { return false }
            // Threads define in their own chunks, so the order of two definitions is unknown; an adoption is kept.
            if let known = definitions.nodes[node.id] {
                if node.label == nil, known.label != nil {
                    node.label = known.label
                    node.owner = known.owner
                }
                // The events that follow report each later change of the value.
                node.value = known.value
            }
            definitions.nodes[node.id] = node
        case .subscription:
            guard let subscription = TraceSubscription(from: &payload, names) else { return false }
            definitions.subscriptions[subscription.id] = subscription
        case .object:
            guard let id = payload.id(), let type = payload.id(), let label = payload.id() else {
                return false
            }
            // As for nodes, a known name is kept.
            let name = names[label] ?? definitions.objects[id]?.label
            definitions.objects[id] = TraceObject(id: id, type: names[type], label: name)
        case .intention:
            guard let node = payload.id(), let rule = payload.id(), let reason = payload.id(), let file = payload.id(),
                let line = payload.varint()
            else { return false }
            // A rule without a name is useless.
            guard let rule = names[rule] else { return true }
            definitions.add(
                TraceIntention(
                    node: node, rule: rule, reason: names[reason] ?? "", site: TraceSite(file: names[file], line: line))
            )
        case .snapshotPart:
            guard let part = SnapshotPart(from: &payload) else { return false }
            definitions.snapshots[part.snapshot, default: SnapshotParts(count: part.count)].take(part)
        case .executorSpan:
            guard let sequence = payload.varint(), let number = payload.id(), let kind = payload.byte(),
                let type = payload.id()
            else { return false }
            let isThread = kind == 0 || number == 0
            definitions.add(
                ExecutorSpan(sequence: sequence, number: isThread ? thread : number), of: thread,
                by: isThread ? nil : kind == 1 ? .main : .actor(names[type]))
        case .writeSite:
            guard let id = payload.id(), let function = payload.id(), let file = payload.id(),
                let line = payload.varint()
            else { return false }
            definitions.writeSites[id] = TraceWriteSite(
                id: id, function: names[function], site: TraceSite(file: names[file], line: line))
        case nil: break
        }
        return true
    }
}

extension TraceNode {
    fileprivate init?(from payload: inout ByteScanner, _ names: [UInt32: String]) {
        guard let id = payload.id(), let kind = payload.byte(), let flags = payload.byte(),
            let label = payload.id(), let valueType = payload.id(), let file = payload.id(),
            let line = payload.varint(), let owner = payload.id(), let value = TraceValue(from: &payload)
        else { return nil }
        let facts = TraceFormat.NodeFlags(rawValue: flags)
        self.init(
            id: id, rawKind: kind, isPrivate: facts.isPrivate, technique: facts.technique, strategy: facts.strategy,
            label: names[label], valueType: names[valueType],
            site: TraceSite(file: names[file], line: line), owner: owner == 0 ? nil : owner, value: value)
    }
}

extension TraceSubscription {
    fileprivate init?(from payload: inout ByteScanner, _ names: [UInt32: String]) {
        guard let id = payload.id(), let source = payload.id(), let target = payload.id(),
            let flags = payload.byte(), let file = payload.id(), let line = payload.varint(),
            let owner = payload.isAtEnd ? 0 : payload.id()
        else { return nil }
        self.init(
            id: id, source: source, target: target == 0 ? nil : target, isInternal: flags & 1 != 0,
            isTiming: flags & 2 != 0, isOfAwait: flags & 4 != 0, site: TraceSite(file: names[file], line: line),
            owner: owner == 0 ? nil : owner)
    }
}

extension TraceSite {
    fileprivate init?(file: String?, line: UInt64) {
        guard let file else { return nil }
        self.init(file: file, line: Int(clamping: line))
    }
}
