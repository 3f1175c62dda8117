import WeirTrace

/// The command line as a whole: finds the command, runs it, and turns errors into sentences and exit codes.
enum Tool {
    static let version = "0.1.0"

    static var commands: [any Subcommand.Type] {
        [
            DemoCommand.self, RecordCommand.self, InfoCommand.self, EventsCommand.self, ReplayCommand.self,
            WhyCommand.self, WhyNotCommand.self, RedundantCommand.self, LeaksCommand.self,
            GraphCommand.self, RedactCommand.self,
        ]
    }

    static func run(_ arguments: [String], _ console: Console) -> ExitCode {
        do {
            let code = try dispatch(arguments, console)
            try console.output.flush()
            return code
        } catch let error as UsageError {
            console.complain(Wording.sentence(for: error))
            return .usage
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
            console.errors(HelpText.overview(commands.map { $0.grammar }))
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
            return try printHelp(HelpText.page(try command(name).grammar), console)
        case _ where first.hasPrefix("-"):
            throw UsageError.unknownOption(
                first, command: nil, nearest: UsageError.nearest(first, ["--help", "--version"]))
        default:
            let command = try command(first)
            let parsed = try ArgumentParser(command.grammar).parse(rest)
            if parsed.wantsHelp { return try printHelp(HelpText.page(command.grammar), console) }
            return try command.run(parsed, console)
        }
    }

    private static func command(_ name: String) throws(UsageError) -> any Subcommand.Type {
        if let command = commands.first(where: { $0.grammar.name == name }) { return command }
        let names = commands.map { $0.grammar.name } + ["help"]
        throw UsageError.unknownCommand(name, nearest: UsageError.nearest(name, names))
    }

    private static func printHelp(_ text: String, _ console: Console) throws -> ExitCode {
        try console.output.write(text)
        return .clean
    }
}

/// One command of the tool.
protocol Subcommand {
    /// Its name and its arguments.
    static var grammar: CommandGrammar { get }
    /// Runs it.
    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode
}
