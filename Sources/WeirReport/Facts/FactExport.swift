import WeirAnalysis
import WeirTrace

/// Writes what one trace has into the tables of `FactTable`, as JSON objects, one a line.
///
/// Cost: one pass over the trace. Memory grows with its definitions, not with its events. No value is written.
package struct FactExport {
    /// The id of the run: 16 hexadecimal digits, the same wherever the trace lies.
    package let run: String
    private let path: String
    private let bytes: UInt64
    private let sink: ByteSink
    private var rows: NDJSONRows

    /// An export of the trace at `path`, which has `bytes` bytes, under this id.
    package init(run: String, path: String, bytes: UInt64, to write: @escaping TraceExport.Write) {
        self.run = run
        self.path = path
        self.bytes = bytes
        sink = ByteSink(write)
        rows = NDJSONRows(sink: sink)
    }

    /// The id of a run: its label `run`, or a hash of the program, its start, its labels and the file's name.
    package static func run(of header: TraceHeader, path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let label = header.labels["run"] { return StableHash.digits(of: ["label", label]) }
        let labels = header.labels.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        return StableHash.digits(
            of: [
                name, header.program, "\(header.processID)", "\(header.startWallClock)", "\(header.startTicks)",
            ] + labels)
    }

    /// The id of a file that cannot be read as a trace: a hash of its path.
    package static func run(ofUnreadable path: String) -> String { StableHash.digits(of: ["unreadable", path]) }

    /// Writes the row of a trace that cannot be read.
    package mutating func addUnreadable(_ sentence: String) throws {
        try loss("unreadable", sentence)
        try sink.flush()
    }

    /// Writes all rows of a trace.
    package mutating func add(_ reader: TraceReader) throws {
        let topology = Topology(try reader.definitions())
        let lines = FactLines(topology)
        let header = reader.header
        let counts = RefreshCounts(
            lines: lines.ofSubscriptions, lineCount: lines.lines.count, ticksPerSecond: header.ticksPerSecond)
        let check = TraceCheck(reader, topology, counting: counts)
        // The times of a virtual clock count events.
        let scale = header.clock == .virtual ? nil : TimeScale(header)
        let facts = Facts(lines: lines.lines, counts: counts, scale: scale, byMarks: check.redundancy.hasFrameMarks)
        try addRun(header, check, scale)
        for (name, value) in header.labels.sorted(by: { $0.key < $1.key }) {
            begin(.labels)
            rows.text("name", name)
            rows.text("value", value)
            try rows.end()
        }
        try addNodes(topology.definitions)
        for line in facts.lines.sorted(by: { $0.key < $1.key }) {
            begin(.subscriptions)
            rows.text("handler", line.key)
            rows.text("name", line.source)
            rows.maybe("target", line.target)
            rows.integer("instances", line.instances)
            site(line.site)
            try rows.end()
        }
        try addRefreshes(facts)
        try addHandlers(facts)
        try addFindings(check, scale)
        for (fault, sentences) in check.findings.faults.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            for sentence in sentences { try loss(fault.rawValue, sentence) }
        }
        try sink.flush()
    }

    private struct Facts {
        let lines: [FactLines.Line]
        let counts: RefreshCounts
        let scale: TimeScale?
        let byMarks: Bool

        func nanoseconds(_ ticks: UInt64) -> UInt64 { scale?.nanoseconds(ticks: ticks) ?? 0 }
    }

    private struct Work {
        var refreshes: UInt64 = 0, redundant: UInt64 = 0, ticks: UInt64 = 0, wasted: UInt64 = 0

        mutating func add(_ cell: RefreshCounts.Cell, _ facts: Facts) {
            let waste = facts.counts.redundant(cell, byMarks: facts.byMarks)
            refreshes &+= cell.refreshes
            redundant &+= waste.refreshes
            ticks &+= cell.handlerTicks
            wasted &+= waste.ticks
        }
    }

    // MARK: Rows

    private mutating func begin(_ table: FactTable) {
        rows.begin(table: table.rawValue)
        rows.text("run", run)
    }

    private mutating func site(_ site: TraceSite?) {
        rows.maybe("file", site?.file)
        rows.maybe("line", site.map { UInt64(clamping: $0.line) })
    }

    private mutating func work(_ work: Work, _ scale: TimeScale?) {
        rows.integer("refreshes", work.refreshes)
        rows.integer("redundant", work.redundant)
        rows.integer("handler_ns", scale?.nanoseconds(ticks: work.ticks) ?? 0)
        rows.integer("wasted_ns", scale?.nanoseconds(ticks: work.wasted) ?? 0)
    }

    private mutating func loss(_ fault: String, _ sentence: String) throws {
        begin(.losses)
        rows.text("path", path)
        rows.text("fault", fault)
        rows.text("sentence", sentence)
        try rows.end()
    }

    private mutating func addRun(_ header: TraceHeader, _ check: TraceCheck, _ scale: TimeScale?) throws {
        let pass = check.redundancy
        let moment =
            header.startWallClock == 0 ? nil : Figures.isoMoment(wallClockNanoseconds: header.startWallClock)
        begin(.runs)
        rows.integer("version", UInt64(FactTable.version))
        rows.text("path", path)
        rows.text("program", header.program)
        rows.maybe("app", header.labels["app"])
        rows.maybe("build", header.labels["build"])
        rows.maybe("device", header.labels["device"])
        rows.maybe("test", header.labels["test"])
        rows.maybe("recorded_at", moment)
        rows.maybe("day", moment.map { String($0.prefix(10)) })
        rows.integer("bytes", bytes)
        rows.boolean("timed", scale != nil)
        rows.boolean("complete", check.losses.isEmpty)
        rows.integer("duration_ns", scale?.nanosecondsSinceStart(check.lastTicks) ?? 0)
        rows.integer("evaluations", pass.evaluations)
        rows.integer("unchanged_evaluations", pass.noopEvaluations)
        rows.integer("omitted_findings", check.findings.omitted)
        work(
            Work(
                refreshes: pass.refreshes, redundant: pass.redundantRefreshes, ticks: pass.handlerTicks,
                wasted: pass.wastedTicks), scale)
        try rows.end()
    }

    private struct NodeKey: Hashable, Comparable {
        let name: String, kind: String, technique: String, type: String, file: String
        let line: Int
        let isPrivate: Bool

        private var order: (String, String, String, String, String, Int) { (name, kind, technique, type, file, line) }

        static func < (left: NodeKey, right: NodeKey) -> Bool {
            left.order == right.order ? !left.isPrivate && right.isPrivate : left.order < right.order
        }
    }

    /// Nodes of one name, kind and line are one row.
    private mutating func addNodes(_ definitions: TraceDefinitions) throws {
        var instances: [NodeKey: UInt64] = [:]
        for (id, node) in definitions.nodes {
            let key = NodeKey(
                name: definitions.stableName(ofNode: id), kind: node.kind?.name ?? "kind\(node.rawKind)",
                technique: node.technique.jsonName, type: node.valueType ?? "", file: node.site?.file ?? "",
                line: node.site?.line ?? 0, isPrivate: node.isPrivate)
            instances[key, default: 0] += 1
        }
        for (key, count) in instances.sorted(by: { $0.key < $1.key }) {
            begin(.nodes)
            rows.text("name", key.name)
            rows.text("kind", key.kind)
            rows.text("technique", key.technique)
            rows.maybe("type", key.type.isEmpty ? nil : key.type)
            rows.boolean("private", key.isPrivate)
            rows.integer("instances", count)
            site(key.file.isEmpty ? nil : TraceSite(file: key.file, line: key.line))
            try rows.end()
        }
    }

    private mutating func addRefreshes(_ facts: Facts) throws {
        var ofStimuli: [Int32: Work] = [:]
        for cell in facts.counts.cells { ofStimuli[cell.stimulus, default: Work()].add(cell, facts) }
        for (index, name) in facts.counts.stimuli.enumerated() {
            let work = ofStimuli[Int32(index)] ?? Work()
            guard index > 0 || work.refreshes > 0 || facts.counts.counts[0] > 0 else { continue }
            begin(.stimuli)
            rows.text("stimulus", name)
            rows.integer("count", facts.counts.counts[index])
            self.work(work, facts.scale)
            try rows.end()
        }
        for cell in facts.counts.cells.sorted(by: { ($0.stimulus, $0.line) < ($1.stimulus, $1.line) }) {
            var work = Work()
            work.add(cell, facts)
            begin(.refreshes)
            rows.text("stimulus", facts.counts.stimuli[Int(cell.stimulus)])
            rows.text("handler", facts.lines[Int(cell.line)].key)
            rows.text("name", facts.lines[Int(cell.line)].source)
            self.work(work, facts.scale)
            try rows.end()
        }
    }

    private mutating func addHandlers(_ facts: Facts) throws {
        var works: [Int32: Work] = [:]
        for cell in facts.counts.cells { works[cell.line, default: Work()].add(cell, facts) }
        for (index, work) in works.sorted(by: { $0.key < $1.key }) {
            let (line, times) = (facts.lines[Int(index)], facts.counts.times(ofLine: Int(index)))
            begin(.handlers)
            rows.text("handler", line.key)
            rows.text("name", line.source)
            rows.integer("refreshes", work.refreshes)
            rows.integer("handler_ns", facts.nanoseconds(work.ticks))
            rows.integer("longest_ns", facts.nanoseconds(times.longest))
            site(line.site)
            try rows.end()
            guard facts.scale != nil else { continue }
            for (bucket, count) in times.buckets.enumerated() where count > 0 {
                begin(.times)
                rows.text("handler", line.key)
                rows.integer("bucket", UInt64(bucket))
                rows.integer("refreshes", count)
                try rows.end()
            }
        }
    }

    private mutating func addFindings(_ check: TraceCheck, _ scale: TimeScale?) throws {
        let found = check.findings.found
        let stories = check.stories(of: Array(found.indices), withEvidence: false)
        for (place, finding) in found.enumerated() {
            let isLeak = place >= check.findings.redundancy.count
            begin(isLeak ? .leaks : .findings)
            rows.text(isLeak ? "signature" : "fingerprint", finding.key.identity)
            rows.text("rule", finding.rule.name)
            rows.text("severity", finding.severity.word)
            rows.integer("count", finding.count)
            if isLeak {
                rows.integer("bytes", check.findings.leaks[place - check.findings.redundancy.count].bytes)
            } else {
                let redundancy = check.findings.redundancy[place]
                rows.integer("redundant", redundancy.refreshes)
                rows.integer("wasted_ns", scale?.nanoseconds(ticks: redundancy.wastedTicks) ?? 0)
            }
            rows.text("sentence", stories[place]?.headline ?? "")
            rows.maybe("remedy", stories[place]?.remedy)
            rows.maybe("names", finding.names.isEmpty ? nil : finding.names.joined(separator: ", "))
            if !isLeak { rows.maybe("intention", finding.intention) }
            site(finding.sites.first)
            try rows.end()
        }
    }
}
