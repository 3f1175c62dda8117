import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir check`: all rules over many traces, judged by a policy and a baseline.
enum CheckCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "check", summary: "Fail a build: all rules over many traces, with a policy and a baseline.",
        arguments: ["TRACE"], takesSeveral: true,
        options: [
            .init(
                name: "policy", placeholder: "FILE",
                help: "Levels of rules, budgets and waivers; see `weir policy --help`."),
            .init(
                name: "baseline", placeholder: "FILE", help: "The findings of this file are known, and fail nothing."),
            .init(name: "update-baseline", help: "Write the present findings to the --baseline file."),
            .init(
                name: "output", short: "o", placeholder: "FORMAT[=FILE]", isRepeatable: true,
                help: "text, json, sarif, junit, github, gitlab or markdown, printed or in a file; repeatable."),
            SourceFolder.option,
            .init(name: "date", placeholder: "DAY", help: "The day on which waivers must hold (default: today)."),
            .init(name: "top", placeholder: "N", help: "How many new findings the text shows (default 50)."),
            CommandGrammar.color,
        ],
        details: """
            A TRACE is a file, or a folder with all files in it whose names end with '.weir'. The rules are those of
            `weir redundant` and `weir leaks`. A trace that cannot be read, or is incomplete, fails the check, too.

            A finding in several traces is reported once. Its line is given as a path in the repository, found by the
            compiler's list of files, the targets of Package.swift, and the names of folders.

              weir check traces --baseline weir-baseline.json --update-baseline   once: accept what is there
              weir check traces --baseline weir-baseline.json                     in CI: only new findings fail
              weir check traces --output github --output sarif=weir.sarif         annotations, and a file

            Exit codes: 0 when nothing fails the check, 1 when a new finding does, 2 for a mistake in the arguments, the policy
            or the baseline, or a folder without traces, 3 when a trace cannot be read, 4 when a trace is incomplete or a heap walk
            was aborted, 5 when the result cannot be written, such as to a file that cannot be made. 1 comes before 3, and 3 before 4.
            """)

    static var givesVerdict: Bool { true }

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let style = try console.style(arguments)
        let outputs = try CheckOutput.all(arguments)
        let top = try arguments.value("top", expecting: "a number above 0") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        let today = String(Figures.isoMoment(wallClockNanoseconds: System.wallClockNanoseconds()).prefix(10))
        let day = try arguments.value("date", expecting: "a day, such as 2026-12-31") { Policy.isDay($0) ? $0 : nil }
        let policy = try arguments.value("policy").map(PolicyFiles.policy) ?? Policy()
        let isUpdating = arguments.has("update-baseline")
        let known = try baseline(arguments)
        let sources = try SourceFolder(arguments)
        let paths = try TraceList(arguments.positional).paths
        let (table, bytes) = CheckRun.table(of: paths, isMeasured: !policy.budgets.isEmpty, console)
        let tree = sources.tree()
        func verdict(_ baseline: Baseline) -> CheckVerdict<FindingStory> {
            CheckVerdict(
                table, policy, baseline, day: day ?? today,
                paths: { site in
                    if case .path(let path) = tree.resolve(site.file) { [path, site.file] } else { [site.file] }
                }, story: { story(of: $0, limit: $1, paths) })
        }
        var result = verdict(known)
        if isUpdating { result = verdict(result.updatedBaseline) }
        let report = CheckReport(
            result, table, traces: paths, bytes: bytes, hasBaseline: arguments.has("baseline"), sources: tree)
        for output in outputs where output.file != nil { try output.write(report, top: top, style: style, console) }
        if isUpdating { try update(result.updatedBaseline, table.unreadable, arguments) }
        for output in outputs where output.file == nil { try output.write(report, top: top, style: style, console) }
        switch report.outcome {
        case .passed: return .clean
        case .failed: return .found
        case .unreadable: return .unreadable
        case .incomplete: return .incomplete
        }
    }

    /// The baseline; empty if there is none yet and it is to be written.
    private static func baseline(_ arguments: ParsedArguments) throws(UsageError) -> Baseline {
        let isUpdating = arguments.has("update-baseline")
        guard let path = arguments.value("baseline") else {
            if isUpdating { throw .needsOption("update-baseline", "--baseline FILE") }
            return Baseline()
        }
        do { return try PolicyFiles.baseline(path) } catch {
            guard case .unreadableFile(_, System.noSuchFile) = error else { throw error }
            if isUpdating { return Baseline() }
            throw .noBaseline(path: path)
        }
    }

    private static func update(_ baseline: Baseline, _ unreadable: [String], _ arguments: ParsedArguments) throws {
        guard let path = arguments.value("baseline") else { return }
        // The findings of an unreadable trace would be missing from the file, whatever the policy says about such traces.
        if !unreadable.isEmpty { throw Failure(code: .unreadable, sentence: Wording.notUpdated(path, unreadable)) }
        try OutputFile(path).write(baseline.json.indentedText + "\n")
    }

    /// The text of a report about a measure, with the causes of its example.
    private static func story(of measure: Measure, limit: Double, _ paths: [String]) -> FindingStory {
        guard let example = measure.example, paths.indices.contains(measure.trace) else {
            return FindingStory(measure, limit: limit, nil, TraceDefinitions())
        }
        do {
            let reader = try TraceReader(path: paths[measure.trace])
            let definitions = try reader.definitions()
            return FindingStory(measure, limit: limit, Evidence(of: example, in: reader), definitions)
        } catch {
            // The trace was read a moment ago; without it, the finding stands without its causes.
            return FindingStory(measure, limit: limit, nil, TraceDefinitions())
        }
    }
}
