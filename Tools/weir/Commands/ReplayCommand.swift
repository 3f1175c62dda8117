import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir replay`: the state at any moment of a trace, and the changes between moments.
enum ReplayCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "replay", summary: "Travel in time: every node's state at any moment, forward and back.",
        arguments: ["TRACE"],
        options: [
            .init(name: "at", placeholder: "MOMENT", help: "Print the state of every node at this moment."),
            .init(name: "until", placeholder: "MOMENT", help: "Print what changes, up to this moment."),
            .init(
                name: "break", placeholder: "EXPR", isRepeatable: true,
                help: "Stop where this becomes true, and say why it did; repeatable."),
            .init(
                name: "watch", placeholder: "EXPR", isRepeatable: true,
                help: "Print this whenever its value changes; repeatable."),
            .init(
                name: "node", placeholder: "NAME", isRepeatable: true,
                help: "Only this node: its name, the end of its name, or its number; repeatable."),
            .init(name: "all", help: "With --at: also nodes that are not yet made, or released."),
            .init(
                name: "speed", placeholder: "SPEED",
                help: "Play at the recorded pace: 1x, 2x, 0.5x; or max (the default)."),
            CommandGrammar.format,
            CommandGrammar.strict,
            CommandGrammar.color,
        ],
        details: """
            On a terminal, without any of --at, --until, --break, --watch, --speed and --format json, the trace opens
            on the whole screen: → and ← go by event, t and T by turn, s and S by stimulus, n and N to the next change
            of a node; ? shows all keys. Otherwise each change is printed as it happens; with --break or --watch only
            those of --node.

            A MOMENT is a time (12ms), an event (1:42), the end of a stimulus (its number, or a part of its
            text; the last match counts) or 'end'. --at leaves out what a scheduler still has to run.

            EXPR compares nodes with values: 'loginEnabled == true && count(username) > 2'. Operators: == != < <= > >=
            && || ! and parentheses. Values: true, false, nil, 12, 0.5, "text", the case of an enum by its name:
            'state == "failed"'. changed(NODE): it changes just now; count(NODE): how often it has emitted. A node is
            named as for --node, #12 is the node of that number, and a name with other characters stands between
            backquotes. A value that the trace does not contain, such as a private one, makes the result unknown: neither
            true nor false. A condition that is true from the beginning breaks only when it becomes true again.

            Exit codes: 1 when no --break ever became true.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let request = try ReplayRequest(arguments, console)
        if request.at != nil { return try StateAtMoment(request, console).run() }
        if request.isInteractive { return try ReplayTerminal(request, console).run() }
        return try ReplayLog(request, console).run()
    }
}

extension ExitCode {
    /// The searched condition never became true.
    static let notFoundInTrace = ExitCode(rawValue: 1)
}
