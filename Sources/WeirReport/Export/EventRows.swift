import WeirAnalysis
import WeirTrace

/// Writes the rows of the tables `events` and `turns`.
///
/// Most columns of these rows repeat: the number of the trace, kinds, nodes with their names. They are prepared once, and
/// copied into each row. It is a class: each event would copy a struct that a closure captures.
final class EventRows<Rows: RowWriter> {
    private let events: Rows
    private let turns: Rows
    private let beginning: (events: PreparedBytes, turns: PreparedBytes)
    private let kinds: [PreparedBytes]
    private let nodes: NodeColumns<Rows>
    private let subscriptions: SubscriptionTable
    private let timeScale: TimeScale
    /// The last time converted: most events have the time of the one before.
    private var last: (ticks: UInt64, nanoseconds: UInt64)
    /// Owns what is prepared.
    private let memory: PreparedMemory

    init(_ rows: Rows, number: UInt64, _ definitions: TraceDefinitions, _ timeScale: TimeScale) {
        let memory = PreparedMemory()
        func beginning(_ table: ExportTable) -> (Rows, PreparedBytes) {
            let bytes = rows.preparing { rows in
                rows.begin(table)
                rows.integer("trace", number)
            }
            var rows = rows
            rows.select(table)
            return (rows, memory.keep(bytes))
        }
        let (ofEvents, ofTurns) = (beginning(.events), beginning(.turns))
        events = ofEvents.0
        turns = ofTurns.0
        self.beginning = (ofEvents.1, ofTurns.1)
        kinds = (0..<32).map { raw in
            memory.keep(rows.preparing { $0.text("kind", EventKind(rawValue: raw)?.name ?? "") })
        }
        nodes = NodeColumns(rows, definitions, memory)
        subscriptions = SubscriptionTable(definitions)
        self.timeScale = timeScale
        last = (timeScale.startTicks, 0)
        self.memory = memory
    }

    @inline(__always)
    private func nanoseconds(_ ticks: UInt64) -> UInt64 {
        if ticks != last.ticks { last = (ticks, timeScale.nanosecondsSinceStart(ticks)) }
        return last.nanoseconds
    }

    /// Whether a delivery calls a handler with a value; nil: it is no delivery.
    @inline(__always)
    func isRefresh(_ event: TraceEvent) -> Bool? {
        guard event.kind == .deliveryBegan || event.kind == .deliveryNext else { return nil }
        return Meaning.isRefresh(event, isTerminal: subscriptions[event.subject].isTerminal)
    }

    /// Writes the row of an event.
    func write(_ event: TraceEvent, cascade: UInt64, isRefresh: Bool?) throws {
        var (node, subscription, object): (UInt32, UInt32, UInt32) = (0, 0, 0)
        switch event.kind {
        case .emitted, .suppressed, .completed, .failed, .nodeCreated, .nodeReleased, .written: node = event.subject
        case .hopBegan: (subscription, node) = (event.scheduledBy, event.subject)
        case .deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded, .hopScheduled:
            subscription = event.subject
            node = subscriptions[subscription].source
        case .deliveryEnded:
            subscription = event.endedSubscription
            node = subscriptions[subscription].source
        case .objectTracked, .objectReleased, .objectExpected: object = event.subject
        default: break
        }
        var rows = events
        rows.begin(beginning.events)
        rows.id("id", thread: event.id.thread, sequence: event.id.sequence)
        rows.integer("thread", UInt64(event.id.thread))
        rows.prepared(kinds[Int(event.kind.rawValue & 31)])
        rows.integer("nanoseconds", nanoseconds(event.ticks))
        rows.boolean("stamped", event.isStamped)
        rows.integer("depth", UInt64(clamping: event.depth))
        if let cause = event.cause {
            rows.id("cause", thread: cause.thread, sequence: cause.sequence)
        } else {
            rows.none("cause")
        }
        rows.maybe("turn", cascade == 0 ? nil : cascade)
        nodes.write(node, &rows)
        rows.maybe("subscription", subscription == 0 ? nil : UInt64(subscription))
        if let isRefresh { rows.boolean("refresh", isRefresh) } else { rows.none("refresh") }
        rows.maybe("object", object == 0 ? nil : UInt64(object))
        rows.maybe("snapshot", event.kind == .snapshotTaken ? UInt64(event.subject) : nil)
        switch event.kind {
        case .emitted, .completed, .failed:
            rows.boolean("delivers", event.delivers)
            rows.boolean("replayed", event.isReplayed)
        default:
            rows.none("delivers")
            rows.none("replayed")
        }
        switch event.kind {
        case .suppressed: rows.text("reason", SuppressionReason.jsonName(event.reason))
        case .subscriptionEnded: rows.text("reason", SubscriptionEndReason.jsonName(event.reason))
        default: rows.none("reason")
        }
        rows.maybe("count", event.count == 0 ? nil : event.count)
        rows.maybe("text", event.text.isEmpty ? nil : event.text)
        rows.value(event.kind == .emitted || event.kind == .failed ? event.value : nil)
        try rows.end()
    }

    /// Writes the rows of the stretches of cascades.
    func write(_ stretches: [CascadeStretch]) throws {
        for stretch in stretches { try write(stretch) }
    }

    private func write(_ stretch: CascadeStretch) throws {
        var rows = turns
        rows.begin(beginning.turns)
        rows.integer("turn", stretch.cascade)
        rows.id("root", thread: stretch.root.thread, sequence: stretch.root.sequence)
        rows.integer("thread", UInt64(stretch.root.thread))
        rows.prepared(kinds[Int(stretch.kind.rawValue & 31)])
        rows.maybe("text", stretch.text.isEmpty ? nil : stretch.text)
        nodes.write(stretch.node, &rows)
        if let cause = stretch.cause {
            rows.id("cause", thread: cause.thread, sequence: cause.sequence)
        } else {
            rows.none("cause")
        }
        rows.integer("nanoseconds", timeScale.nanosecondsSinceStart(stretch.began))
        rows.integer("end_nanoseconds", timeScale.nanosecondsSinceStart(stretch.ended))
        rows.integer("events", stretch.events)
        rows.integer("emissions", stretch.emissions)
        rows.integer("refreshes", stretch.refreshes)
        rows.integer("suppressed", stretch.suppressed)
        rows.boolean("beginning_missing", stretch.isBeginningMissing)
        try rows.end()
    }
}

/// The columns `node` and `name` of each node, prepared when they are first needed.
private final class NodeColumns<Rows: RowWriter> {
    /// A longer name is written anew each time: many nodes may share one, which a few bytes of a trace define.
    private static var longest: Int { 256 }

    private let rows: Rows
    private let definitions: TraceDefinitions
    private let memory: PreparedMemory
    private let absent: PreparedBytes
    /// By id; nil: not prepared.
    private let prepared: UnsafeMutableBufferPointer<PreparedBytes?>

    init(_ rows: Rows, _ definitions: TraceDefinitions, _ memory: PreparedMemory) {
        self.rows = rows
        self.definitions = definitions
        self.memory = memory
        absent = memory.keep(
            rows.preparing { rows in
                rows.none("node")
                rows.none("name")
            })
        prepared = .allocate(capacity: denseCount(definitions.nodes.keys))
        prepared.initialize(repeating: nil)
    }

    deinit { prepared.deallocate() }

    /// Writes the columns; the node 0 is none.
    @inline(__always)
    func write(_ id: UInt32, _ rows: inout Rows) {
        if id == 0 { return rows.prepared(absent) }
        if Int(id) < prepared.count, let columns = prepared[Int(id)] { return rows.prepared(columns) }
        rows = written(id, rows)
    }

    @inline(never)
    private func written(_ id: UInt32, _ rows: Rows) -> Rows {
        var rows = rows
        let name = definitions.name(ofNode: id)
        if Int(id) < prepared.count, name.utf8.count <= Self.longest {
            let columns = memory.keep(self.rows.preparing { Self.write(id, name, &$0) })
            prepared[Int(id)] = columns
            rows.prepared(columns)
        } else {
            Self.write(id, name, &rows)
        }
        return rows
    }

    private static func write(_ id: UInt32, _ name: String, _ rows: inout Rows) {
        rows.integer("node", UInt64(id))
        rows.text("name", name)
    }
}

/// The subscriptions of a trace by id.
private final class SubscriptionTable {
    struct Entry {
        /// The observed node; 0: unknown.
        var source: UInt32 = 0
        /// Whether it feeds a handler.
        var isTerminal = false
    }

    private let dense: UnsafeMutableBufferPointer<Entry>
    /// Those with ids beyond the table.
    private var sparse: [UInt32: Entry] = [:]

    init(_ definitions: TraceDefinitions) {
        dense = .allocate(capacity: denseCount(definitions.subscriptions.keys))
        dense.initialize(repeating: Entry())
        for (id, subscription) in definitions.subscriptions {
            let entry = Entry(source: subscription.source, isTerminal: !subscription.isInternal)
            if Int(id) < dense.count { dense[Int(id)] = entry } else { sparse[id] = entry }
        }
    }

    deinit { dense.deallocate() }

    @inline(__always)
    subscript(id: UInt32) -> Entry { Int(id) < dense.count ? dense[Int(id)] : sparse[id] ?? Entry() }
}

/// The size of a table for these ids that is no larger than a few times their number.
private func denseCount(_ ids: some Collection<UInt32>) -> Int {
    min(Int(ids.max() ?? 0) + 1, 65_536 + 4 * ids.count)
}
