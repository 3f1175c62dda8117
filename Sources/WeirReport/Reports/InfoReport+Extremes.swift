import WeirAnalysis
import WeirTrace

/// The first few of the widest fan-outs, longest chains and slowest handlers.
extension InfoReport {
    private static let rows = 3
    private static let handlerRows = 5

    func fanOuts(_ style: Style) -> [String] {
        var table = TextTable([.right("Deliveries", .strong), .left("of one value of", .name), .left("Event", .faint)])
        var names: Set<String> = []
        for fanOut in summary.widestFanOuts where names.count < Self.rows && names.insert(fanOut.name).inserted {
            table.add([Figures.count(fanOut.deliveries), Self.cell(fanOut.name), fanOut.emission.description])
        }
        return Self.block("Widest fan-out", table, style)
    }

    func chains(_ style: Style) -> [String] {
        var table = TextTable([
            .right("Emissions", .strong), .left("each caused by the one before", .name), .left("Last event", .faint),
        ])
        let names = Dictionary(summary.nodes.map { ($0.id, $0.name) }) { first, _ in first }
        var reported: [String] = []
        for chain in summary.longestChains where reported.count < Self.rows {
            let nodes = Self.spelled(chain, names)
            // A chain is skipped if an earlier one ends with it.
            if reported.contains(where: { $0 == nodes || $0.hasSuffix(Self.arrow + nodes) }) { continue }
            reported.append(nodes)
            table.add([Figures.count(chain.length), nodes, chain.deepest.description])
        }
        guard let longest = summary.longestChains.first else { return [] }
        let hint = "weir why \(TerminalText.argument(path)) \(longest.deepest) shows the first one link by link"
        let limit = summary.count(of: .hopBegan) > 0 ? "; hops begin chains of their own" : ""
        return Self.block("Longest chains", table, style) + [style(.faint, "  \(hint)\(limit)")]
    }

    func handlers(_ style: Style) -> [String] {
        var table = TextTable([
            .right("Together", .strong), .right("Longest"), .left("Event", .faint), .right("Deliveries"),
            .left("Subscribed at"), .left("Observes", .name),
        ])
        for handler in summary.slowestHandlers.prefix(Self.handlerRows) {
            table.add([
                Figures.duration(nanoseconds: handler.nanoseconds),
                Figures.duration(nanoseconds: handler.slowestNanoseconds), handler.slowest?.description ?? "",
                Figures.count(handler.deliveries),
                handler.site.map { TerminalText.escaped($0.description) } ?? "an unknown place",
                handler.source.map(Self.cell) ?? "several",
            ])
        }
        return Self.block("Slowest handlers", table, style)
    }

    /// "at least 1.1 ms of 153.8 ms (0.7 %)", then lines with its parts; nil if the trace has no record costs.
    ///
    /// It is a lower bound: the cost of a record was measured on small values, with everything in the processor's cache.
    var overhead: String? {
        guard let cost = summary.header.recordCost, let records = summary.overheadNanoseconds else { return nil }
        let snapshots = summary.snapshots.pauseNanoseconds.addingReportingOverflow(summary.snapshots.endNanoseconds)
        let pauses = snapshots.overflow ? .max / 1000 : snapshots.partialValue
        let spent = records.addingReportingOverflow(pauses).overflow ? .max / 1000 : records &+ pauses
        let lasted = summary.durationNanoseconds
        var share = ""
        if summary.threads.count > 1 {
            share = ", \(Figures.count(summary.threads.count)) threads together"
        } else if lasted > 0 {
            let part = Double(spent) / Double(lasted)
            share = " of \(Figures.duration(nanoseconds: lasted))" + (part < 0.001 ? "" : " (\(Self.percent(part)))")
        }
        var lines = ["at least \(Figures.duration(nanoseconds: spent))\(share)"]
        if pauses != 0 {
            lines.append(
                "\(Figures.duration(nanoseconds: pauses)) for snapshots, "
                    + "\(Figures.duration(nanoseconds: records)) for records")
        }
        lines.append(
            "\(Self.nanoseconds(cost.picoseconds)) a record, \(Self.nanoseconds(cost.stampedPicoseconds)) with a time stamp, "
                + "measured at the start")
        lines.append("not counted: describing values and making nodes")
        return lines.joined(separator: "\n")
    }

    private static func block(_ title: String, _ table: TextTable, _ style: Style) -> [String] {
        let lines = table.lines(indent: "  ", style: style)
        return lines.count > 1 ? [style(.strong, title)] + lines : []
    }

    private static func cell(_ name: String) -> String { TerminalText.cut(TerminalText.escaped(name), to: 48) }

    private static let arrow = " → "

    /// "a → b → … 12 more … → c → d → e": a chain longer than six is cut to the first two and the last three.
    private static func spelled(_ chain: EmissionChain, _ names: [UInt32: String]) -> String {
        func spelled(_ nodes: some Sequence<UInt32>) -> [String] {
            nodes.map { cell(names[$0] ?? TraceNode.name(ofUndefined: $0)) }
        }
        guard chain.length > 6 else { return spelled(chain.beginning).joined(separator: arrow) }
        let end = chain.end.isEmpty ? chain.beginning : chain.end
        let middle = ["… \(Figures.count(chain.length - 5)) more …"]
        return (spelled(chain.beginning.prefix(2)) + middle + spelled(end.suffix(3))).joined(separator: arrow)
    }

    /// "8 ns", "1.3 ns".
    private static func nanoseconds(_ picoseconds: UInt32) -> String {
        let tenths = (UInt64(picoseconds) + 50) / 100
        return Figures.count(tenths / 10) + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + " ns"
    }

    /// "0.7 %", "below 0.1 %"; shares above 100 % are possible if the times of the trace are wrong.
    private static func percent(_ share: Double) -> String {
        guard share >= 0.0005 else { return "below 0.1 %" }
        guard share < 10 else { return "more than 1000 %" }
        let tenths = Int((share * 1000).rounded())
        return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + " %"
    }
}
