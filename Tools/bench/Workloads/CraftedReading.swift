import Foundation
import WeirCrafted
import WeirReport

/// Asks `weir` about hostile traces in three sizes, each twice the size before: no answer may take much more than twice as
/// long or use much memory.
struct CraftedReading {
    let directory: TemporaryDirectory
    let records: Int

    private static let questions: [(name: String, arguments: [String])] =
        commands
        + GraphFormat.allCases.map { format in
            // A picture of each node, not of boxes that hold several.
            (
                "graph \(format)",
                ["graph", "FILE", "--format", format.rawValue] + (format == .svg ? ["--collapse", "none"] : [])
            )
        }
        + TraceExport.Format.allCases.filter { $0 != .csv }.map { format in
            ("export \(format)", ["export", "FILE", "--format", format.rawValue])
        }

    private static let commands: [(name: String, arguments: [String])] = [
        ("info", ["info", "FILE"]), ("events", ["events", "FILE"]),
        ("events --node", ["events", "FILE", "--node", "1"]), ("why --all", ["why", "FILE", "LAST", "--all"]),
        ("why-not", ["why-not", "FILE", "LAST"]), ("redundant", ["redundant", "FILE"]),
        ("redundant JSON", ["redundant", "FILE", "--format", "json"]),
        ("redundant --what-if", ["redundant", "FILE", "--what-if"]), ("leaks", ["leaks", "FILE"]),
        ("replay", ["replay", "FILE"]), ("replay --at", ["replay", "FILE", "--at", "1:90"]),
        ("replay --break", ["replay", "FILE", "--break", "1 == 123456789"]), ("check", ["check", "FILE"]),
        ("policy init", ["policy", "init", "FILE"]), ("diff", ["diff", "FILE", "FILE"]),
    ]

    func measure() throws -> [Report.Section] {
        guard let weir = Answering.command else {
            Console.error("there is no weir beside this program: build it with swift build -c release")
            return []
        }
        return try CraftedTrace.all.map { trace in
            let sizes = [records, 2 * records, 4 * records]
            let paths = sizes.map { directory.path("crafted-\($0).weir") }
            for (path, size) in zip(paths, sizes) {
                try Data(trace.bytes(records: size)).write(to: URL(fileURLWithPath: path))
            }
            var section = Report.Section(title: "Crafted: \(trace.name)")
            for question in Self.questions { section.rows.append(try row(question, weir, paths, sizes)) }
            return section
        }
    }

    private func row(
        _ question: (name: String, arguments: [String]), _ weir: String, _ paths: [String], _ sizes: [Int]
    ) throws -> Report.Row {
        let costs = try zip(paths, sizes).map { path, size in
            // One of the last nodes that every size has.
            let words = ["FILE": path, "LAST": String(size / 13)]
            // Exit statuses of findings, of unanswerable questions and of incomplete traces are fine, too.
            return try Child.measure(weir, question.arguments.map { words[$0] ?? $0 }, highestStatus: 4)
        }
        let times = costs.map { $0?.processorMilliseconds }
        // Below some hundredths of a second the program's start hides the growth.
        let growth = times[2].flatMap { last in times[1].map { last < 100 ? 1 : last / $0 } }
        return Report.Row(
            name: question.name,
            figures: [
                Figure("\(sizes[0]) records", times[0], "ms"), Figure("\(sizes[1])", times[1], "ms"),
                Figure("\(sizes[2])", times[2], "ms"), Figure("last/second", growth, "", atMost: 2.6),
                Figure("peak memory", costs[2]?.mebibytes, "MiB", atMost: 500),
            ])
    }
}
