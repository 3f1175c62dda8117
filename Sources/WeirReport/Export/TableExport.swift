import WeirAnalysis
import WeirTrace

/// Writes the tables of traces: definitions first, then events and turns in the order of time, then findings.
///
/// Memory grows with the definitions of a trace, not with its events.
struct TableExport<Rows: RowWriter> {
    private let reader: TraceReader
    private let number: UInt64
    private let path: String
    private let tables: Set<ExportTable>
    private let definitions: TraceDefinitions
    private let timeScale: TimeScale
    private var rows: Rows

    /// An export of the trace that is the `number`th one, from 1.
    init(
        _ reader: TraceReader, number: Int, path: String, tables: Set<ExportTable>, _ rows: Rows
    ) throws(TraceError) {
        self.reader = reader
        self.number = UInt64(number)
        self.path = path
        self.tables = tables
        self.rows = rows
        definitions = try reader.definitions()
        timeScale = TimeScale(reader.header)
    }

    /// Writes all rows.
    mutating func write(reporting report: PassProgress.Report?) throws {
        if tables.contains(.trace) { try writeTrace() }
        if tables.contains(.labels) { try writeLabels() }
        if tables.contains(.objects) { try writeObjects() }
        if tables.contains(.nodes) { try writeNodes() }
        if tables.contains(.subscriptions) { try writeSubscriptions() }
        if tables.contains(.intentions) { try writeIntentions() }
        if tables.contains(.write_sites) { try writeWriteSites() }
        if tables.contains(.spans) { try writeSpans() }
        if tables.contains(.events) || tables.contains(.turns) || tables.contains(.snapshots) {
            try writeEvents(reporting: report)
        }
        if tables.contains(.findings) { try writeFindings() }
    }

    private mutating func begin(_ table: ExportTable) {
        rows.begin(table)
        rows.integer("trace", number)
    }

    private mutating func site(_ site: TraceSite?) {
        rows.maybe("file", site?.file)
        rows.maybe("line", site.map { UInt64(clamping: $0.line) })
    }

    // MARK: Definitions

    private mutating func writeTrace() throws {
        let header = reader.header
        begin(.trace)
        rows.integer("version", UInt64(ExportTable.version))
        rows.text("path", path)
        rows.text("program", header.program)
        rows.integer("process", UInt64(header.processID))
        rows.maybe(
            "recorded_at",
            header.startWallClock == 0 ? nil : Figures.isoMoment(wallClockNanoseconds: header.startWallClock))
        rows.integer("start_unix_nanoseconds", UInt64(clamping: header.startWallClock))
        rows.text("clock", header.clock.jsonName)
        rows.text("values", header.valuePolicy.name)
        rows.boolean("flight_recorder", header.isFlightRecorder)
        rows.boolean("closed", header.isClosed)
        rows.maybe("lost_events", header.lostEvents)
        rows.maybe("overwritten_events", header.overwrittenEvents)
        rows.integer("damaged_places", UInt64(reader.damageCount))
        try rows.end()
    }

    private mutating func writeLabels() throws {
        for (name, value) in reader.header.labels.sorted(by: { $0.key < $1.key }) {
            begin(.labels)
            rows.text("name", name)
            rows.text("value", value)
            try rows.end()
        }
    }

    private mutating func writeObjects() throws {
        for (id, object) in definitions.objects.sorted(by: { $0.key < $1.key }) {
            begin(.objects)
            rows.integer("object", UInt64(id))
            rows.text("name", object.name)
            rows.maybe("type", object.type)
            rows.maybe("label", object.label)
            try rows.end()
        }
    }

    private mutating func writeNodes() throws {
        for (id, node) in definitions.nodes.sorted(by: { $0.key < $1.key }) {
            begin(.nodes)
            rows.integer("node", UInt64(id))
            rows.text("name", node.name)
            rows.text("kind", node.kind?.name ?? "kind\(node.rawKind)")
            rows.boolean("private", node.isPrivate)
            rows.text("technique", node.technique.jsonName)
            rows.maybe("strategy", node.strategy?.jsonName)
            rows.maybe("label", node.label)
            rows.maybe("type", node.valueType)
            rows.maybe("owner", node.owner.map(UInt64.init))
            site(node.site)
            rows.value(node.value == .notRecorded ? nil : node.value)
            try rows.end()
        }
    }

    private mutating func writeSubscriptions() throws {
        for (id, subscription) in definitions.subscriptions.sorted(by: { $0.key < $1.key }) {
            begin(.subscriptions)
            rows.integer("subscription", UInt64(id))
            rows.integer("node", UInt64(subscription.source))
            rows.text("name", definitions.name(ofNode: subscription.source))
            rows.maybe("target", subscription.target.map(UInt64.init))
            rows.boolean("internal", subscription.isInternal)
            rows.boolean("timing", subscription.isTiming)
            rows.maybe("owner", subscription.owner.map(UInt64.init))
            site(subscription.site)
            try rows.end()
        }
    }

    private mutating func writeIntentions() throws {
        for (_, intentions) in definitions.intentions.sorted(by: { $0.key < $1.key }) {
            for intention in intentions {
                begin(.intentions)
                rows.integer("node", UInt64(intention.node))
                rows.text("rule", intention.rule)
                rows.text("reason", intention.reason)
                site(intention.site)
                try rows.end()
            }
        }
    }

    private mutating func writeWriteSites() throws {
        for (id, writeSite) in definitions.writeSites.sorted(by: { $0.key < $1.key }) {
            begin(.write_sites)
            rows.integer("write_site", UInt64(id))
            rows.maybe("function", writeSite.function)
            site(writeSite.site)
            try rows.end()
        }
    }

    private mutating func writeSpans() throws {
        for (thread, spans) in definitions.executorSpans.sorted(by: { $0.key < $1.key }) {
            for span in spans {
                let (kind, type): (String, String?) =
                    switch definitions.runners[span.number] {
                    case .main?: ("main", nil)
                    case .actor(let type)?: ("actor", type)
                    case nil: ("thread", nil)
                    }
                begin(.spans)
                rows.integer("thread", UInt64(thread))
                rows.integer("sequence", span.sequence)
                rows.integer("executor", UInt64(span.number))
                rows.text("kind", kind)
                rows.maybe("type", type)
                try rows.end()
            }
        }
    }

    // MARK: Events and turns

    private mutating func writeEvents(reporting report: PassProgress.Report?) throws {
        let (writesEvents, writesTurns) = (tables.contains(.events), tables.contains(.turns))
        let writesSnapshots = tables.contains(.snapshots)
        var snapshots: [UInt32] = []
        let events = EventRows(rows, number: number, definitions, timeScale)
        let tracker = CascadeTracker()
        try reader.forEachEvent(reporting: report) { event in
            let isRefresh = events.isRefresh(event)
            let cascade = tracker.take(event, isRefresh: isRefresh == true)
            if !tracker.ended.isEmpty {
                if writesTurns { try events.write(tracker.ended) }
                tracker.ended.removeAll(keepingCapacity: true)
            }
            if writesEvents { try events.write(event, cascade: cascade, isRefresh: isRefresh) }
            if writesSnapshots, event.kind == .snapshotTaken { snapshots.append(event.subject) }
            return true
        }
        tracker.finish()
        if writesTurns { try events.write(tracker.ended) }
        for number in snapshots {
            guard let snapshot = reader.snapshot(number) else { continue }
            begin(.snapshots)
            rows.integer("snapshot", UInt64(number))
            rows.text("bytes", Base64.text(of: snapshot.encoded))
            try rows.end()
        }
    }

    // MARK: Findings

    private mutating func writeFindings() throws {
        let check = try TraceCheck(reader)
        let found = check.findings.found
        let stories = check.stories(of: Array(found.indices))
        for (place, finding) in found.enumerated() {
            begin(.findings)
            rows.text("rule", finding.rule.name)
            rows.text("severity", finding.severity.word)
            rows.integer("count", finding.count)
            rows.text("sentence", stories[place]?.headline ?? "")
            rows.maybe("remedy", stories[place]?.remedy)
            rows.maybe("names", finding.names.isEmpty ? nil : finding.names.joined(separator: ", "))
            rows.maybe("intention", finding.intention)
            site(finding.sites.first)
            try rows.end()
        }
    }
}
