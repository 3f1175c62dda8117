import Foundation

@testable import WeirAnalysis
@testable import WeirTrace

/// Writes the trace of a fictional program to a file: lives, checkpoints and snapshots, on several threads.
struct LeakTrace {
    private var builder = TraceBuilder()
    private var strings: [String: UInt64] = [:]
    private var definitions: [Definition] = []
    /// Each record with its thread; each is one tick later than the one before.
    private var records: [(thread: UInt32, record: (UInt64) -> Record)] = []
    private var snapshots: UInt64 = 0

    init(isClosed: Bool = true) { builder.isClosed = isClosed }

    private mutating func text(_ text: String?) -> UInt64 {
        guard let text else { return 0 }
        if let known = strings[text] { return known }
        strings[text] = UInt64(strings.count) + 1
        definitions.append(.string(UInt64(strings.count), text))
        return UInt64(strings.count)
    }

    mutating func node(_ id: UInt32, _ label: String? = nil, at site: TraceSite? = nil) {
        let (label, file) = (text(label), text(site?.file))
        definitions.append(.node(UInt64(id), kind: 1, label: label, file: file, line: UInt64(site?.line ?? 0)))
    }

    mutating func subscription(
        _ id: UInt32, to source: UInt32, feeding target: UInt32? = nil, isInternal: Bool = false,
        isOfAwait: Bool = false, at site: TraceSite? = nil, owner: UInt32? = nil
    ) {
        let file = text(site?.file)
        definitions.append(
            .subscription(
                UInt64(id), source: UInt64(source), target: UInt64(target ?? 0),
                flags: (isInternal ? 1 : 0) | (isOfAwait ? 4 : 0), file: file,
                line: UInt64(site?.line ?? 0), owner: owner.map { UInt64($0) }))
    }

    mutating func object(_ id: UInt32, _ type: String, label: String? = nil) {
        let (type, label) = (text(type), text(label))
        definitions.append(.object(UInt64(id), type: type, label: label))
    }

    private mutating func add(_ thread: UInt32, _ record: @escaping (UInt64) -> Record) {
        records.append((thread, record))
    }

    mutating func created(node id: UInt32, on thread: UInt32 = 1) { add(thread) { .compact(8, UInt64(id), at: $0) } }
    mutating func released(node id: UInt32, on thread: UInt32 = 1) { add(thread) { .compact(9, UInt64(id), at: $0) } }
    mutating func started(_ id: UInt32, on thread: UInt32 = 1) { add(thread) { .compact(6, UInt64(id), at: $0) } }
    mutating func ended(_ id: UInt32, on thread: UInt32 = 1) {
        add(thread) { .compact(7, UInt64(id), at: $0, rest: [1]) }
    }
    mutating func tracked(_ id: UInt32, on thread: UInt32 = 1) {
        add(thread) { .counted(22, varint(UInt64(id)), at: $0) }
    }
    mutating func released(_ id: UInt32, on thread: UInt32 = 1) {
        add(thread) { .counted(23, varint(UInt64(id)), at: $0) }
    }
    mutating func expected(_ id: UInt32, on thread: UInt32 = 1) {
        add(thread) { .counted(28, varint(UInt64(id)), at: $0) }
    }

    /// The node emits to these subscriptions.
    mutating func emitted(_ node: UInt32, to subscriptions: UInt32..., on thread: UInt32 = 1) {
        add(thread) { .emitted(UInt64(node), .signed(1), at: $0, delivers: !subscriptions.isEmpty) }
        deliver(subscriptions, on: thread)
    }

    /// The node completes, and these subscriptions receive the completion.
    mutating func completed(_ node: UInt32, to subscriptions: UInt32..., on thread: UInt32 = 1) {
        add(thread) { .ended(10, UInt64(node), at: $0, delivers: !subscriptions.isEmpty) }
        deliver(subscriptions, on: thread)
    }

    private mutating func deliver(_ subscriptions: [UInt32], on thread: UInt32) {
        for (place, id) in subscriptions.enumerated() {
            add(thread) { .compact(place == 0 ? 3 : 4, UInt64(id), at: $0) }
        }
        if !subscriptions.isEmpty { add(thread) { .deliveryEnded(at: $0) } }
    }

    /// A checkpoint with its snapshot.
    mutating func checkpoint(_ name: String, _ snapshot: TraceSnapshot? = nil, on thread: UInt32 = 1) {
        add(thread) { .counted(21, nameBytes(name), at: $0) }
        if let snapshot { taken(snapshot, on: thread) }
    }

    /// A snapshot without a checkpoint, as at the end.
    mutating func taken(_ snapshot: TraceSnapshot, on thread: UInt32 = 1, isLost: Bool = false) {
        snapshots += 1
        let (number, bytes) = (snapshots, snapshot.encoded)
        let parts = stride(from: 0, to: bytes.count, by: 30_000).map {
            Array(bytes[$0..<min($0 + 30_000, bytes.count)])
        }
        for (place, part) in parts.enumerated() where !isLost {
            definitions.append(
                .raw(tag: 6, varint(number) + varint(UInt64(place)) + varint(UInt64(parts.count)) + part))
        }
        add(thread) { .counted(29, varint(number) + varint(UInt64(parts.count)) + varint(UInt64(bytes.count)), at: $0) }
    }

    /// The bytes of the file.
    var bytes: [UInt8] {
        var builder = builder
        var part: [Definition] = []
        var size = 0
        for definition in definitions {
            if size + definition.bytes.count > 60_000 {
                builder.definitions(part)
                (part, size) = ([], 0)
            }
            part.append(definition)
            size += definition.bytes.count
        }
        builder.definitions(part)
        for thread in Set(records.map(\.thread)).sorted() { append(thread, to: &builder) }
        return builder.bytes
    }

    private func append(_ thread: UInt32, to builder: inout TraceBuilder) {
        var (part, size, base, last) = ([Record](), 0, UInt64(0), UInt64(0))
        var (first, next): (UInt64, UInt64) = (1, 1)
        for (tick, entry) in records.enumerated() where entry.thread == thread {
            let record = entry.record(UInt64(tick) - last)
            part.append(record)
            size += record.bytes.count
            last = UInt64(tick)
            next += 1
            guard size > 60_000 else { continue }
            builder.events(thread: thread, from: first, at: base, part)
            (part, size, base, first) = ([], 0, last, next)
        }
        if !part.isEmpty { builder.events(thread: thread, from: first, at: base, part) }
    }

    /// Writes it to a file, and calls `body` with the reader of that file.
    func read<Result>(_ body: (TraceReader, Topology) throws -> Result) throws -> Result {
        let path = NSTemporaryDirectory() + "weir-leaks-\(UUID().uuidString).weir"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let reader = try TraceReader(path: path)
        return try body(reader, Topology(try reader.definitions()))
    }

    /// The findings at its end, or at the named checkpoint.
    func findings(at name: String? = nil) throws -> LeakFindings {
        try read { reader, topology in
            let known = LeakCheckpoints(reader)
            let pass = LeakPass(reader, topology, upTo: name.flatMap(known.place(named:)), of: known)
            return LeakFindings(pass, reader, snapshot: reader.snapshot)
        }
    }
}

/// A text as in traces; a method of the same name hides the trace builder's function.
private func nameBytes(_ name: String) -> [UInt8] { varint(UInt64(name.utf8.count)) + Array(name.utf8) }
