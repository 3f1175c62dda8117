import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir leaks`: the objects that leak or should be gone, what holds them, and how to fix that.
enum LeaksCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "leaks",
        summary: "Find retain cycles and objects that outlive their purpose, what holds them, and the cure.",
        arguments: ["TRACE"],
        options: [
            .init(
                name: "at", placeholder: "CHECKPOINT",
                help: "Judge this checkpoint, not the end; NAME#2 is the second one of that name (default: the last)."),
            .init(name: "rule", placeholder: "RULE", isRepeatable: true, help: "Apply only this rule; repeatable."),
            .init(
                name: "top", placeholder: "N", help: "How many findings are shown (default: 10 in text, all in JSON)."),
            CommandGrammar.format,
            CommandGrammar.strict,
            CommandGrammar.color,
        ],
        details: """
            Findings come worst first: errors before warnings before notes, then by number. One finding stands for all that are
            held in the same way, for example a thousand screens. Its fingerprint stays the same when lines move.

            Rules:
              retain-cycle    a cycle of strong references that nothing outside holds (error; a warning if a weak reference still
                              reaches it and it was not expected to be gone)
              held-cycle      a cycle that something outside still holds: it leaks once that releases it (warning)
              outlived-scope  an object that Trace.expectReleased named, alive at the next checkpoint (error)
              undisposed      a subscription whose owner is gone, or objects that only handlers hold (warning); single ones, and
                              what is alive at the end of the recording (note)
              growth          a line whose live objects grow in number at each checkpoint of one name (warning)

            References are known from the snapshots that a recording takes at each Trace.checkpoint and at its end. What a
            snapshot could not see is listed below the findings; it can hide a leak, and never makes one.

            Exit codes: 1 when a warning or error was found, 0 when there are only notes, 4 under --strict when the trace is
            incomplete or a heap walk up to that moment was aborted.
            """)

    static var givesVerdict: Bool { true }

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", OutputFormat.self) ?? .text
        let style = try console.style(arguments)
        let rules = try rules(arguments)
        let top = try arguments.value("top", expecting: "a number above 0") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        let path = try arguments.tracePath()
        let reader = try TraceReader(path: path)
        let (judged, known) = try judged(arguments, reader, path)
        let topology = Topology(try reader.definitions())
        let pass = console.showingProgress(of: path) { report in
            LeakPass(reader, topology, upTo: judged, of: known, reporting: report)
        }
        // Each snapshot is needed more than once.
        let snapshots = SnapshotShelf(reader)
        let findings = LeakFindings(pass, reader, rules: rules, snapshot: snapshots.snapshot)
        var report = LeakReport(pass, findings, rules: rules, snapshot: snapshots.snapshot)
        report.losses = TraceLosses(reader, pass)
        switch format {
        case .text:
            report.limit = top ?? 10
            try console.show(report.text(style: style))
        case .json:
            report.limit = top
            let isComplete = TraceLosses(reader, pass).isEmpty && report.abortedWalks.isEmpty
            try console.output.write(report.json(path: path, isComplete: isComplete).indentedText + "\n")
        }
        let code = try console.conclude(
            TraceLosses(reader, pass), path, arguments, otherwise: findings.hasFaults ? .found : .clean)
        let aborted = report.abortedWalks
        if aborted.isEmpty { return code }
        try console.output.flush()
        console.complain(Wording.mayMissLeaks(path, aborted))
        return arguments.has("strict") ? .incomplete : code
    }

    private static func rules(_ arguments: ParsedArguments) throws(UsageError) -> Set<LeakRule> {
        guard let names = arguments.values["rule"] else { return Set(LeakRule.allCases) }
        var rules: Set<LeakRule> = []
        for name in names {
            guard let rule = LeakRule(rawValue: name.lowercased()) else {
                let nearest = UsageError.nearest(name, LeakRule.allCases.map(\.rawValue))
                throw .unknownLeakRule(name, nearest: nearest)
            }
            rules.insert(rule)
        }
        return rules
    }

    /// The index of the requested checkpoint among all; nil to judge the end.
    private static func judged(
        _ arguments: ParsedArguments, _ reader: TraceReader, _ path: String
    ) throws(UsageError) -> (Int?, LeakCheckpoints?) {
        guard let name = arguments.value("at") else { return (nil, nil) }
        let known = LeakCheckpoints(reader)
        if let place = known.place(named: name) { return (place, known) }
        var names: [String] = []
        for checkpoint in known.all where !names.contains(checkpoint.name) && names.count < 1000 {
            names.append(checkpoint.name)
        }
        throw .noSuchCheckpoint(
            name, trace: path, nearest: Spelling.nearest(to: name, among: names), known: Array(names.prefix(6)),
            more: max(0, names.count - 6))
    }
}

/// Keeps the most recently requested snapshot.
private final class SnapshotShelf {
    private let reader: TraceReader
    private var kept: (number: UInt32, snapshot: TraceSnapshot?)?

    init(_ reader: TraceReader) { self.reader = reader }

    func snapshot(_ number: UInt32) -> TraceSnapshot? {
        if let kept, kept.number == number { return kept.snapshot }
        let snapshot = reader.snapshot(number)
        kept = (number, snapshot)
        return snapshot
    }
}
