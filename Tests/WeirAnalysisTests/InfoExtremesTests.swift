import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

struct InfoExtremesTests {
    private func report(_ events: [TraceEvent], costing cost: RecordCost? = nil) -> InfoReport {
        var header = EventScript.header
        header.recordCost = cost
        return InfoReport(EventScript.summary(events, header: header), path: "a b.weir", fileSize: 1)
    }

    /// A chain of emissions of nodes with these numbers.
    private func chain(_ nodes: [UInt32]) -> [TraceEvent] {
        var script = EventScript()
        for node in nodes {
            script.emit(node, .void)
            script.deliver(99)
        }
        return script.events
    }

    private func lines(under title: String, _ report: InfoReport) -> [String] {
        let blocks = report.text().split(separator: "\n\n")
        let block = blocks.first { $0.hasPrefix(title) } ?? ""
        return block.split(separator: "\n").dropFirst(2).map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `overhead is reported as a part of the time, and what it is made of`() {
        // 14 events, 7 of them stamped: 7 × 1.25 ns + 7 × 17 ns, of 7 µs.
        let text = report(EventScript.typing, costing: RecordCost(picoseconds: 1250, stampedPicoseconds: 17_000)).text()
        #expect(
            text.contains(
                """

                  overhead  at least 127 ns of 7 µs (1.8 %)
                            1.3 ns a record, 17 ns with a time stamp, measured at the start
                            not counted: describing values and making nodes
                  values \("")
                """))
        let cheap = report(EventScript.typing, costing: RecordCost(picoseconds: 100, stampedPicoseconds: 100))
        #expect(cheap.overhead?.hasPrefix("at least 1 ns of 7 µs\n0.1 ns a record") == true)
        #expect(report(EventScript.typing).overhead == nil && !report(EventScript.typing).text().contains("overhead"))
    }

    @Test func `pauses for snapshots are overhead, too`() {
        var summary = EventScript.summary(EventScript.typing, header: EventScript.header)
        summary.header.recordCost = RecordCost(picoseconds: 1250, stampedPicoseconds: 17_000)
        summary.snapshots.count(pause: 2000, isAtCheckpoint: true, isWhole: true)
        summary.snapshots.count(pause: 1000, isAtCheckpoint: false, isWhole: true)
        let overhead = InfoReport(summary, path: "a.weir", fileSize: 1).overhead
        #expect(
            overhead?.hasPrefix(
                "at least 3.1 µs of 7 µs (44.7 %)\n3 µs for snapshots, 127 ns for records\n1.3 ns a record")
                == true, "\(overhead ?? "nil")")
    }

    @Test func `the overhead of several threads is no part of the time that passed`() {
        let cost = RecordCost(picoseconds: 1000, stampedPicoseconds: 10_000)
        let report = report(EventScript.searching, costing: cost)
        #expect(report.overhead?.hasPrefix("at least 126 ns, 2 threads together\n1 ns a record") == true)
    }

    @Test func `a cost that no machine has stays a number`() {
        let cost = RecordCost(picoseconds: .max, stampedPicoseconds: .max)
        #expect(report(EventScript.typing, costing: cost).overhead?.contains("(more than 1000 %)") == true)
        var summary = EventScript.summary([], header: EventScript.header)
        summary.header.recordCost = cost
        summary.countByKind[1] = .max
        #expect(summary.overheadNanoseconds == UInt64.max / 1000)
    }

    @Test func `overhead has these fields`() {
        let json = report(EventScript.typing, costing: RecordCost(picoseconds: 1250, stampedPicoseconds: 17_000)).json
        #expect(
            json.text.contains(
                #""recorderOverhead":{"nanoseconds":127,"picosecondsPerRecord":1250,"picosecondsPerStampedRecord":17000}"#
            ))
    }

    @Test func `a long chain lacks its middle`() {
        #expect(
            lines(under: "Longest", report(chain(Array(11...16)))).first
                == "6 node 11 → node 12 → node 13 → node 14 → node 15 → node 16 1:11")
        #expect(
            lines(under: "Longest", report(chain(Array(11...17)))).first
                == "7 node 11 → node 12 → … 2 more … → node 15 → node 16 → node 17 1:13")
        #expect(
            lines(under: "Longest", report(chain(Array(11...50)))).first
                == "40 node 11 → node 12 → … 35 more … → node 48 → node 49 → node 50 1:79")
    }

    @Test func `a chain that is the end of one above is not reported again, and no more than three are`() {
        var events: [TraceEvent] = []
        for (thread, nodes) in [[11, 12, 13], [12, 13], [13, 14], [15, 13], [16, 13]].enumerated() {
            events += chain(nodes.map(UInt32.init)).map { event in
                var event = event
                event.id.thread = UInt32(thread + 1)
                event.cause?.thread = UInt32(thread + 1)
                return event
            }
        }
        #expect(
            lines(under: "Longest", report(events)) == [
                "3 node 11 → node 12 → node 13 1:5", "2 node 13 → node 14 3:3", "2 node 15 → node 13 4:3",
                "weir why 'a b.weir' 1:5 shows the first one link by link",
            ])
    }

    @Test func `names from a trace steer no terminal`() {
        var definitions = EventScript.definitions
        definitions.nodes[1]?.label = "\u{1B}[2J"
        definitions.nodes[2]?.label = "\u{202E}x"
        definitions.subscriptions[2]?.site = TraceSite(file: "\u{7}", line: 1)
        let summary = EventScript.summary(EventScript.typing, header: EventScript.header, definitions: definitions)
        let text = InfoReport(summary, path: "\u{1B}.weir", fileSize: 1).text()
        #expect(!text.unicodeScalars.contains { TerminalText.mustBeEscaped($0) && $0 != "\n" })
        #expect(text.contains(#"  2  \u{1B}[2J → \u{202E}x  "#))
    }

    @Test func `a trace in which nothing was delivered has none of these sections`() {
        var script = EventScript()
        script.emit(1, .void, delivers: false)
        let text = report(script.events).text()
        #expect(!text.contains("Widest") && !text.contains("Longest") && !text.contains("Slowest"))
    }
}
