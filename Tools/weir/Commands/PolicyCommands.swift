import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir policy init`: a policy with budgets from good runs.
enum PolicyInitCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "policy init", summary: "Write a policy whose budgets are the figures of good runs, with head room.",
        arguments: ["TRACE"], takesSeveral: true,
        options: [
            .init(
                name: "output", short: "o", placeholder: "FILE",
                help: "Write a new file; an existing one is left alone."),
            .init(
                name: "head-room", placeholder: "PERCENT",
                help: "How far budgets lie above the largest value of the runs (default 25)."),
        ],
        details: """
            Each named node gets a budget of refreshes by one stimulus; turns, handlers and lines share one budget each. The
            budget of times has ten times the head room, because times differ between machines. With head room, the budget of
            redundant refreshes is at least 5 %, also after runs without any.

            Exit codes: 0 when the policy was written, 2 for wrong usage, 3 when a trace cannot be read, 5 when the policy cannot
            be written.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let room = try arguments.value("head-room", expecting: "a percentage, such as 25") { text in
            Int(text).flatMap { (0...10_000).contains($0) ? $0 : nil }
        }
        if let path = arguments.value("output") { try NewFile.check(path) }
        let paths = try TraceList(arguments.positional).paths
        let (table, _) = CheckRun.table(of: paths, isMeasured: true, console)
        for (_, faults) in table.faults.sorted(by: { $0.key < $1.key }) {
            guard let sentence = faults[.unreadable]?.first else { continue }
            throw Failure(code: .unreadable, sentence: sentence)
        }
        let text = Policy(budgetsOf: table.measures, headRoom: Double(room ?? 25) / 100).json.indentedText + "\n"
        if let path = arguments.value("output") {
            try OutputFile(path).write(text)
        } else {
            try console.output.write(text)
        }
        return .clean
    }
}

/// `weir policy validate`: whether a file is a policy.
enum PolicyValidateCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "policy validate", summary: "Say whether a file is a policy, and if not, where the mistakes are.",
        arguments: ["FILE"], options: [],
        details: "Exit codes: 0 when it is one, 2 when it is not.")

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let path = arguments.positional[0]
        let mistakes = try PolicyFiles.mistakes(path)
        mistakes.forEach(console.complain)
        if !mistakes.isEmpty { return .usage }
        let policy = try PolicyFiles.policy(path)
        try console.output.write(Wording.valid(path, policy) + "\n")
        return .clean
    }
}

/// `weir policy schema`: the JSON Schema of policies.
enum PolicySchemaCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "policy schema", summary: "Print the JSON Schema of policies, for editors.", arguments: [], options: [])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        try console.output.write(PolicySchema.json.indentedText + "\n")
        return .clean
    }
}
