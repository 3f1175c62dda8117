import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir redundant`: redundant work, its cost, and its remedies.
enum RedundantCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "redundant",
        summary: "Find refreshes and evaluations that were not needed, what they cost, and the cure.",
        arguments: ["TRACE"],
        options: [
            .init(name: "rule", placeholder: "RULE", isRepeatable: true, help: "Apply only this rule; repeatable."),
            .init(
                name: "node", placeholder: "NAME", isRepeatable: true,
                help: "Only what was found at this node: its name, the end of its name, or its number; repeatable."),
            .init(
                name: "frame", placeholder: "TIME",
                help: "How long a frame is where the program marks none, and a handler may take (default 16.7ms)."),
            .init(
                name: "what-if",
                help:
                    "Also estimate the effect of each remedy, and of all together, by replaying the recording with it."),
            .init(
                name: "top", placeholder: "N", help: "How many findings are shown (default: 10 in text, 1000 in JSON)."),
            CommandGrammar.format,
            CommandGrammar.strict,
            CommandGrammar.color,
        ],
        details: """
            Findings come worst first: by wasted handler time, then by redundant refreshes. One finding stands for all
            instances of its line, such as the cells of a list, and lists the other findings with its cause. Its fingerprint
            stays the same when lines move.

            Rules:
            \(HelpText.rules(RedundancyRule.self) { $0.meaning })

            A frame lies between two marks of the program (Trace.frame()). Declare intended redundancy in the code:
            signal.intended(.burst, because: "a progress bar"). It is listed separately.

            With --what-if each remedy is tried on the recording: how many refreshes, how much handler time and how many
            evaluations would remain. A turn for which the trace records too little counts as it was recorded, and is listed
            with the reason.

            Exit codes: 1 when a warning or error was found, 0 when there are only notes, 4 when the trace is incomplete
            under --strict.
            """)

    static var givesVerdict: Bool { true }

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", OutputFormat.self) ?? .text
        let style = try console.style(arguments)
        let options = try options(arguments)
        let top = try arguments.value("top", expecting: "a number above 0") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        let path = try arguments.tracePath()
        let reader = try TraceReader(path: path)
        let topology = Topology(try reader.definitions())
        var nodes: Set<UInt32>?
        if let names = arguments.values["node"] {
            let directory = NodeDirectory(topology.definitions)
            nodes = try names.reduce(into: []) { $0.formUnion(try directory.ids(named: $1, in: path)) }
        }
        let pass = console.showingProgress(of: path) { report in
            RedundancyPass(reader, topology, options: options, reporting: report)
        }
        let isComplete = TraceLosses(reader).isEmpty
        let findings = Findings(pass, topology.definitions, nodes: nodes)
        let limit = top ?? (format == .text ? 10 : 1000)
        let reported =
            (format == .text ? findings.primaries.filter { !$0.isNormal } : findings.found).prefix(limit)
            + findings.intended.prefix(limit)
        let evidence = Evidence.all(of: reported.flatMap(\.shownEvents), in: reader)
        var report = RedundancyReport(
            pass, findings, topology.definitions, timeScale: TimeScale(reader.header), options: options
        ) { evidence[$0] }
        report.limit = limit
        report.losses = TraceLosses(reader)
        report.nodes = nodes
        if arguments.has("what-if") {
            report.whatIf = console.showingProgress(of: path) { report in
                WhatIf(
                    reader, topology, remedies: findings.found.compactMap(\.remedy), options: options, reporting: report
                )
            }
        }
        switch format {
        case .text: try console.show(report.text(style: style))
        case .json: try console.output.write(report.json(path: path, isComplete: isComplete).indentedText + "\n")
        }
        return try console.conclude(reader, path, arguments, otherwise: findings.hasFaults ? .found : .clean)
    }

    private static func options(_ arguments: ParsedArguments) throws(UsageError) -> RedundancyOptions {
        var options = RedundancyOptions()
        if let names = arguments.values["rule"] {
            var rules: Set<RedundancyRule> = []
            for name in names { rules.insert(try rule(name)) }
            options.rules = rules
        }
        let frame = try arguments.value("frame", expecting: "a time above 0, such as 16.7ms or 8333us") { text in
            Quantities.nanoseconds(text).flatMap { $0 > 0 ? $0 : nil }
        }
        if let frame { options.frame = frame }
        return options
    }

    private static func rule(_ name: String) throws(UsageError) -> RedundancyRule {
        if let rule = RedundancyRule(rawValue: name.lowercased()) { return rule }
        throw .unknownRule(name, nearest: UsageError.nearest(name, RedundancyRule.allCases.map(\.rawValue)))
    }
}

extension ExitCode {
    /// There are findings to fix.
    static let found = ExitCode(rawValue: 1)
}
