import WeirTrace

/// Makes a trace of NDJSON rows, as `weir export` writes them, or as a program in another language does.
///
/// 'Tables for other programs' documents the rows. Lines come one by one; memory grows with the names, not with the events.
package struct TraceImport {
    private static let nodeKinds = Dictionary(uniqueKeysWithValues: NodeKind.allCases.map { ($0.name, $0.rawValue) })
    private static let eventKinds = Dictionary(uniqueKeysWithValues: EventKind.allCases.map { ($0.name, $0) })
    private static let techniques = Dictionary(
        uniqueKeysWithValues: NodeTechnique.allCases.map { ($0.jsonName, $0) })
    private static let strategies = Dictionary(uniqueKeysWithValues: NodeStrategy.allCases.map { ($0.jsonName, $0) })
    private static let suppressionReasons = Dictionary(
        uniqueKeysWithValues: (0...UInt8.max).map { (SuppressionReason.jsonName($0), $0) })
    private static let endReasons = Dictionary(
        uniqueKeysWithValues: (0...UInt8.max).map { (SubscriptionEndReason.jsonName($0), $0) })

    private var assembler: TraceAssembler
    private var header = TraceAssembler.Header()
    private let trace: UInt64
    private var line = 0
    /// Rows with events so far.
    package private(set) var events: UInt64 = 0
    /// Whether rows of other traces were skipped.
    package private(set) var hasOtherTraces = false

    /// Writes into an empty file the rows of the trace with this number.
    package init(descriptor: Int32, trace: UInt64 = 1) {
        assembler = TraceAssembler(descriptor: descriptor)
        self.trace = trace
    }

    /// Takes the next line; throws an `ImportError`, or a `TraceCopyError` if the file cannot be written.
    package mutating func take(_ text: String) throws {
        line += 1
        guard text.utf8.contains(where: { $0 > 0x20 }) else { return }
        let row = try ImportRow(text, line: line)
        guard try row.integer("trace") ?? 1 == trace else {
            hasOtherTraces = true
            return
        }
        guard let name = try row.text("table") else { throw row.error("'table' is missing") }
        guard let table = ExportTable(rawValue: name) else { throw row.error("there is no table '\(name)'") }
        do { try take(row, of: table) } catch let refusal as TraceAssembler.Refusal {
            throw try Self.error(refusal, row)
        }
    }

    /// Writes the rest of the file.
    package mutating func finish() throws {
        do { try assembler.finish(header) } catch TraceAssembler.Refusal.unwritable(let error) { throw error }
    }

    private mutating func take(_ row: ImportRow, of table: ExportTable) throws {
        switch table {
        case .trace: try takeHeader(row)
        case .labels: try takeLabel(row)
        case .objects:
            try assembler.add(
                TraceObject(id: try Self.id("object", row), type: try row.text("type"), label: try row.text("label")))
        case .nodes: try assembler.add(try Self.node(row))
        case .subscriptions: try assembler.add(try Self.subscription(row))
        case .intentions:
            try assembler.add(
                TraceIntention(
                    node: try Self.id("node", row), rule: try row.text("rule") ?? "",
                    reason: try row.text("reason") ?? "", site: try row.site()))
        case .write_sites:
            try assembler.add(
                TraceWriteSite(
                    id: try Self.id("write_site", row), function: try row.text("function"), site: try row.site()))
        case .spans: try takeSpan(row)
        case .snapshots:
            guard let bytes = Base64.bytes(try row.text("bytes") ?? "") else {
                throw row.error("'bytes' must be base64")
            }
            try assembler.add(snapshot: try Self.id("snapshot", row), bytes)
        case .events:
            try assembler.add(try event(row))
            events += 1
        // These follow from the others.
        case .turns, .findings: break
        }
    }

    private static func error(_ refusal: TraceAssembler.Refusal, _ row: ImportRow) throws -> ImportError {
        switch refusal {
        case .timeGoesBack: row.error("'nanoseconds' is before the previous event of the thread")
        case .numberGoesBack(let last): row.error("'id' is not after the thread's previous event, number \(last)")
        case .tooLong: row.error("a text or value is longer than 32,000 bytes")
        case .unwritable(let error): throw error
        }
    }

    // MARK: Rows

    private mutating func takeHeader(_ row: ImportRow) throws(ImportError) {
        if let version = try row.integer("version"), version > ExportTable.version {
            throw row.error("the tables have version \(version); this weir reads versions up to \(ExportTable.version)")
        }
        header.program = try row.text("program") ?? ""
        header.processID = try row.id("process") ?? 0
        header.startWallClock = Int64(clamping: try row.integer("start_unix_nanoseconds") ?? 0)
        if let clock = try row.text("clock") {
            guard let known = [TraceClockKind.ticks, .monotonic, .virtual].first(where: { $0.jsonName == clock }) else {
                throw row.error("there is no clock '\(clock)'")
            }
            header.clock = known
        }
        if let values = try row.text("values") {
            guard let known = ValuePolicy.allCases.first(where: { $0.name == values }) else {
                throw row.error("there is no value policy '\(values)'")
            }
            header.valuePolicy = known
        }
        header.isFlightRecorder = try row.boolean("flight_recorder") ?? false
        header.isClosed = try row.boolean("closed") ?? true
        header.lostEvents = try row.integer("lost_events") ?? 0
        header.overwrittenEvents = try row.integer("overwritten_events") ?? 0
    }

    private mutating func takeLabel(_ row: ImportRow) throws(ImportError) {
        header.labels[try row.text("name") ?? ""] = try row.text("value") ?? ""
        if let fault = TraceLabels.fault(of: header.labels) { throw row.error("labels: \(fault)") }
    }

    private static func node(_ row: ImportRow) throws(ImportError) -> TraceNode {
        let kind = try row.text("kind") ?? "foreign"
        guard let rawKind = nodeKinds[kind] ?? (kind.hasPrefix("kind") ? UInt8(kind.dropFirst(4)) : nil) else {
            throw row.error("there is no kind of node '\(kind)'")
        }
        let technique = try row.text("technique") ?? "foreign"
        guard let known = techniques[technique] else { throw row.error("there is no technique '\(technique)'") }
        let strategy = try row.text("strategy")
        if let strategy, strategies[strategy] == nil { throw row.error("there is no strategy '\(strategy)'") }
        return TraceNode(
            id: try id("node", row), rawKind: rawKind, isPrivate: try row.boolean("private") ?? false,
            technique: known, strategy: strategy.flatMap { strategies[$0] }, label: try row.text("label"),
            valueType: try row.text("type"), site: try row.site(),
            owner: try row.id("owner"), value: try row.value() ?? .notRecorded)
    }

    private static func subscription(_ row: ImportRow) throws(ImportError) -> TraceSubscription {
        let target = try row.id("target")
        return TraceSubscription(
            id: try id("subscription", row), source: try id("node", row), target: target,
            isInternal: try row.boolean("internal") ?? (target != nil), isTiming: try row.boolean("timing") ?? false,
            site: try row.site(), owner: try row.id("owner"))
    }

    private mutating func takeSpan(_ row: ImportRow) throws {
        let executor = try Self.id("executor", row)
        let runner: ExecutorSpan.Runner? =
            switch try row.text("kind") ?? "actor" {
            case "main": .main
            case "actor": .actor(try row.text("type"))
            case "thread": nil
            case let kind: throw row.error("there is no kind of executor '\(kind)'")
            }
        let span = ExecutorSpan(sequence: try row.integer("sequence") ?? 1, number: executor)
        try assembler.add(span, of: try Self.id("thread", row), by: runner)
    }

    private func event(_ row: ImportRow) throws(ImportError) -> TraceEvent {
        guard let name = try row.text("kind") else { throw row.error("'kind' is missing") }
        guard let kind = Self.eventKinds[name], kind != .context else {
            throw row.error("there is no kind of event '\(name)'")
        }
        var id = EventID(thread: try row.id("thread") ?? 1, sequence: 0)
        if let text = try row.text("id") { id = try Self.event(text, "id", row) }
        guard id.thread > 0 else { throw row.error("threads count from 1") }
        let time = try row.integer("nanoseconds")
        var event = TraceEvent(id: id, kind: kind, ticks: time ?? 0)
        event.isStamped = try row.boolean("stamped") ?? (time != nil)
        if event.isStamped, time == nil { throw row.error("'nanoseconds' is missing") }
        switch kind {
        case .emitted, .suppressed, .completed, .failed, .nodeCreated, .nodeReleased, .written:
            event.subject = try Self.id("node", row)
        case .deliveryBegan, .deliveryNext: event.subject = try row.id("subscription") ?? 0
        case .subscriptionStarted, .subscriptionEnded, .hopScheduled: event.subject = try Self.id("subscription", row)
        case .objectTracked, .objectReleased, .objectExpected: event.subject = try Self.id("object", row)
        case .snapshotTaken: event.subject = try Self.id("snapshot", row)
        case .hopBegan:
            event.subject = try row.id("node") ?? 0
            event.scheduledBy = try row.id("subscription") ?? 0
            if let cause = try row.text("cause") { event.cause = try Self.event(cause, "cause", row) }
        default: break
        }
        switch kind {
        case .emitted, .completed, .failed:
            event.delivers = try row.boolean("delivers") ?? false
            event.isReplayed = kind == .emitted ? try row.boolean("replayed") ?? false : false
            if kind != .completed { event.value = try row.value() ?? .notRecorded }
        case .suppressed: event.reason = try Self.reason(row, Self.suppressionReasons)
        case .subscriptionEnded: event.reason = try Self.reason(row, Self.endReasons)
        case .eventsLost, .hopScheduled, .hopBegan, .snapshotTaken, .written:
            event.count = try row.integer("count") ?? 0
        case .stimulusBegan, .checkpoint: event.text = try row.text("text") ?? ""
        default: break
        }
        return event
    }

    private static func id(_ name: String, _ row: ImportRow) throws(ImportError) -> UInt32 {
        guard let id = try row.id(name), id > 0 else { throw row.error("'\(name)' must be a number from 1") }
        return id
    }

    private static func event(_ text: String, _ name: String, _ row: ImportRow) throws(ImportError) -> EventID {
        guard let id = EventID(text), id.sequence > 0 else {
            throw row.error("'\(name)' must be a thread and a number, such as \"1:42\"")
        }
        return id
    }

    private static func reason(_ row: ImportRow, _ known: [String: UInt8]) throws(ImportError) -> UInt8 {
        guard let text = try row.text("reason") else { throw row.error("'reason' is missing") }
        guard let reason = known[text] else { throw row.error("there is no reason '\(text)' for this") }
        return reason
    }
}
