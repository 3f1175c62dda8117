import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir diff`: what a second run has more, less, or otherwise.
enum DiffCommand: Subcommand {
    private enum Format: String, CaseIterable {
        case text, json, markdown
    }

    private enum Threshold: String, CaseIterable {
        case note, warning, error
    }

    static let grammar = CommandGrammar(
        name: "diff", summary: "Compare two runs: findings, refreshes, times, end states, nodes and edges.",
        arguments: ["BEFORE", "AFTER"],
        options: [
            .init(
                name: "fail-on", placeholder: "LEVEL",
                help: "Exit with 1 if there is a new finding of this level or a higher one: note, warning or error."),
            .init(
                name: "fail-factor", placeholder: "N",
                help: "Exit with 1 if a node refreshes at least N times as often, such as 2 or 1.5."),
            .init(
                name: "runs",
                help:
                    "Each trace is a run of the same program, at least 3 on each side: compares ranges, and handler times."
            ),
            SourceFolder.option,
            .init(name: "format", placeholder: "FORMAT", help: "text (the default), json or markdown."),
            .init(name: "top", placeholder: "N", help: "How many lines a section of the text has (default 50)."),
            CommandGrammar.color,
        ],
        details: """
            BEFORE and AFTER are traces, or folders with traces, which count together. Nodes are matched by their labels without
            indexes, or else by kind, file and type. Findings are matched one to one, as by `weir check`, and their lines are given as
            paths in the repository. Refreshes by stimulus are compared for stimuli that both runs have.

            Times differ from run to run, and are compared with --runs only: record both programs several times on one machine,
            in turn. A figure of repeated runs differs if the ranges of both sides do not overlap. A handler time must also differ
            by the width of the wider range, and by a tenth.

            Exit codes: 0 otherwise, 1 for what --fail-on and --fail-factor name, 2 for wrong usage, 3 when a trace cannot be read,
            4 when a trace is incomplete under these options, 5 when the result cannot be written.
            """)

    static var givesVerdict: Bool { true }

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", Format.self) ?? .text
        let threshold = try arguments.choice("fail-on", Threshold.self)
        let style = try console.style(arguments)
        let top = try arguments.value("top", expecting: "a number above 0") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        let factor = try arguments.value("fail-factor", expecting: "a number above 1, such as 1.5") {
            Double($0).flatMap { $0 > 1 && $0.isFinite ? $0 : nil }
        }
        let sources = try SourceFolder(arguments)
        let paths = try arguments.positional.map { try TraceList([$0]).paths }
        let areRepeated = arguments.has("runs")
        for (name, paths) in zip(arguments.positional, paths)
        where areRepeated && paths.count < RunFigures.fewestForTimes {
            throw UsageError.tooFewRuns(path: name, count: paths.count)
        }
        let before = try Run(paths[0], areRepeated, console)
        let after = try Run(paths[1], areRepeated, console)
        let diff = RunDiff(before.figures, before.table, after.figures, after.table)
        var report = DiffReport(
            diff, before.figures, after.figures, names: (arguments.positional[0], arguments.positional[1]),
            sources: sources.tree())
        let losses = before.losses + after.losses
        report.isPartial = !losses.isEmpty
        switch format {
        case .text: try console.show(report.text(limit: top ?? 50, style: style))
        case .json: try console.output.write(report.json.indentedText + "\n")
        case .markdown: try console.output.write(report.markdown)
        }
        if !losses.isEmpty { try console.output.flush() }
        for loss in losses { console.complain(Wording.weakened(loss.path, loss.sentences)) }
        if let level = threshold.flatMap({ Policy.Level(rawValue: $0.rawValue) }),
            diff.new.contains(where: { Policy.Level($0.finding.severity) >= level })
        {
            return .found
        }
        if let factor, diff.refreshes.contains(where: { $0.refreshes.isChanged && $0.refreshes.factor ?? 0 >= factor })
        {
            return .found
        }
        return losses.isEmpty || threshold == nil && factor == nil ? .clean : .incomplete
    }

    /// The traces of one run.
    private struct Run {
        let figures: RunFigures
        let table: CheckTable<FindingStory>
        private(set) var losses: [(path: String, sentences: [String])] = []

        init(_ paths: [String], _ areRepeated: Bool, _ console: Console) throws {
            (table, figures) = CheckRun.comparison(of: paths, areRepeated: areRepeated, console)
            for (place, path) in paths.enumerated() {
                if let sentence = table.faults[place]?[.unreadable]?.first {
                    throw Failure(code: .unreadable, sentence: sentence)
                }
                if let sentences = table.faults[place]?[.incomplete] { losses.append((path, sentences)) }
            }
        }
    }
}
