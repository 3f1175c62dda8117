import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

struct NodeGroupTests {
    /// Three delays on one line and one in another file, two nodes with one label, and one unknown node.
    private static let definitions: TraceDefinitions = {
        var result = TraceDefinitions()
        let site = TraceSite(file: "Lookup/Server.swift", line: 67)
        for id in [1, 2, 3] as [UInt32] { result.nodes[id] = TraceNode(id: id, rawKind: 34, site: site) }
        result.nodes[4] = TraceNode(id: 4, rawKind: 34, site: TraceSite(file: "Other/Server.swift", line: 67))
        for id in [5, 6] as [UInt32] {
            result.nodes[id] = TraceNode(id: id, rawKind: 1, label: "Cell.title", site: site)
        }
        result.subscriptions[1] = TraceSubscription(id: 1, source: 1)
        result.subscriptions[2] = TraceSubscription(id: 2, source: 3)
        result.subscriptions[3] = TraceSubscription(id: 3, source: 3)
        return result
    }()

    private static let events: [TraceEvent] = {
        var script = EventScript()
        script.emit(1, .void)
        script.deliver(1)
        script.endDeliveries()
        script.emit(3, .void)
        script.deliver(2)
        script.deliver(3)
        script.endDeliveries()
        for node in [3, 4, 5, 6, 6, 7] as [UInt32] { script.emit(node, .void, delivers: false) }
        script.suppress(1, .equal)
        script.suppress(3, .equal)
        script.complete(3, delivers: false)
        return script.events
    }()

    private var summary: TraceSummary {
        EventScript.summary(Self.events, header: EventScript.header, definitions: Self.definitions)
    }

    @Test func `nodes of one place that have no label are one group, those that did nothing left out`() {
        let groups = summary.busiestGroups
        #expect(groups.map(\.count) == [2, 1, 1, 1, 1])
        #expect(groups.map(\.figures.id) == [1, 6, 5, 4, 7])
        let sums = groups[0].figures
        #expect(sums.emissions == 3 && sums.refreshes == 3 && sums.completions == 1)
        #expect(sums.suppressions == [SuppressionReason.equal.rawValue: 2])
        #expect(sums.subscribers == 3 && sums.handlerNanoseconds == 3000 && sums.slowestHandlerNanoseconds == 1000)
        #expect(sums.widestFanOut == 2 && sums.widestEmission == EventID(thread: 1, sequence: 4))
        #expect(sums.activity == summary.nodes[0].activity + summary.nodes[2].activity)
    }

    @Test func `a row says how many nodes it is of, and the number of rows is bounded`() {
        let lines = InfoReport(summary, path: "x.weir", fileSize: 1, top: 4).text().split(separator: "\n")
        let start = lines.firstIndex { $0.contains("active node") } ?? 0
        #expect(lines[start] == "6 active nodes, busiest first, those of one name and place together:")
        #expect(
            lines[(start + 2)...].prefix(4).map { $0.prefix(38).split(separator: " ").joined(separator: " ") }
                == ["delay Server.swift:67 ×2 3", "Cell.title #6 2", "Cell.title #5 1", "delay Server.swift:67 #4 1"])
        #expect(lines.contains("  and 1 more (--top 5 shows all)") && lines.contains("  1 node did nothing"))
    }

    @Test func `a program still gets every node`() {
        let json = InfoReport(summary, path: "x.weir", fileSize: 1).json.text
        #expect((1...7).allSatisfy { json.contains(#"{"node":\#($0),"name":"#) })
    }
}
