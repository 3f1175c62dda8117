import WeirTrace

/// The command line as a whole: finds the command, runs it, and turns errors into sentences and exit codes.
enum Tool {
    static let version = "0.1.0"

    static var commands: [any Subcommand.Type] {
        [
            DemoCommand.self, RecordCommand.self, InfoCommand.self, EventsCommand.self, WatchCommand.self,
            ReplayCommand.self,
            WhyCommand.self, WhyNotCommand.self, RedundantCommand.self, LeaksCommand.self, CheckCommand.self,
            PolicyInitCommand.self, PolicyValidateCommand.self, PolicySchemaCommand.self, DiffCommand.self,
            GraphCommand.self, ViewCommand.self, RedactCommand.self, ExportCommand.self, FactsCommand.self,
            ImportCommand.self,
            CompletionsCommand.self,
        ]
    }

    static func run(_ arguments: [String], _ console: Console) -> ExitCode {
        do {
            let code = try dispatch(arguments, console)
            try console.output.flush()
            return code
        } catch let error as UsageError {
            console.complain(Wording.sentence(for: error))
            return error.code
        } catch let error as TraceError {
            console.complain(Wording.sentence(for: error))
            return .unreadable
        } catch let error as Failure {
            console.complain(error.sentence)
            return error.code
        } catch let error as OutputError {
            // The reader has closed the pipe (`weir events x | head`): that is no failure.
            guard case .failed = error else { return .clean }
            console.complain(Wording.sentence(for: error))
            return .outputFailed
        } catch {
            console.complain(Wording.unexpected(error))
            return .outputFailed
        }
    }

    private static func dispatch(_ arguments: [String], _ console: Console) throws -> ExitCode {
        guard let first = arguments.first else {
            console.note(HelpText.overview(commands.map { $0.grammar }))
            return .usage
        }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "-h", "--help": return try printHelp(HelpText.overview(commands.map { $0.grammar }), console)
        case "--version":
            try console.output.write("weir \(version), reads trace format \(TraceFormat.version)\n")
            return .clean
        case "help":
            guard let name = rest.first, name != "help" else {
                return try printHelp(HelpText.overview(commands.map { $0.grammar }), console)
            }
            if rest.count == 1, let group = group(name) { return try printHelp(HelpText.group(name, group), console) }
            return try printHelp(HelpText.page(try command(rest).command.grammar), console)
        case _ where first.hasPrefix("-"):
            throw UsageError.unknownOption(
                first, command: nil, nearest: UsageError.nearest(first, ["--help", "--version"]))
        default:
            if let group = group(first), rest.isEmpty || rest[0].hasPrefix("-") {
                if rest.contains("--help") || rest.contains("-h") {
                    return try printHelp(HelpText.group(first, group), console)
                }
                let names = group.map { String($0.name.dropFirst(first.count + 1)) }
                throw UsageError.missingArgument(Wording.list(names, "or"), command: first)
            }
            let (command, rest) = try command(arguments)
            let parsed = try ArgumentParser(command.grammar).parse(rest)
            if parsed.wantsHelp { return try printHelp(HelpText.page(command.grammar), console) }
            console.output.outlivesReader = command.givesVerdict
            return try command.run(parsed, console)
        }
    }

    /// The command at the beginning of the arguments, and those after it; the names of some commands have two words.
    private static func command(
        _ arguments: [String]
    ) throws(UsageError) -> (command: any Subcommand.Type, rest: [String]) {
        let length = group(arguments[0]) == nil ? 1 : 2
        let name = arguments.prefix(length).joined(separator: " ")
        if let command = commands.first(where: { $0.grammar.name == name }) {
            return (command, Array(arguments.dropFirst(length)))
        }
        let names = commands.map { $0.grammar.name } + ["help"]
        throw UsageError.unknownCommand(name, nearest: UsageError.nearest(name, names))
    }

    /// The commands whose names begin with a word and a space; nil if there are none.
    private static func group(_ name: String) -> [CommandGrammar]? {
        let group = commands.map { $0.grammar }.filter { $0.name.hasPrefix(name + " ") }
        return group.isEmpty ? nil : group
    }

    private static func printHelp(_ text: String, _ console: Console) throws -> ExitCode {
        try console.show(text)
        return .clean
    }
}

extension Subcommand {
    static var givesVerdict: Bool { false }
}

/// One command of the tool.
protocol Subcommand {
    /// Its name and its arguments.
    static var grammar: CommandGrammar { get }
    /// Whether its exit code says what it found, so that it must not depend on whether its output is read.
    static var givesVerdict: Bool { get }
    /// Runs it.
    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode
}
