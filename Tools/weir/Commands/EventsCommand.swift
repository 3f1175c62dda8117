import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir events`: one line for each event of a trace, filtered.
enum EventsCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "events", summary: "List the events of a trace, one a line.", arguments: ["TRACE"],
        options: [
            .init(
                name: "node", placeholder: "NAME", isRepeatable: true,
                help: "Only events of this node: its name, the end of its name, or its number; repeatable."),
            .init(
                name: "kind", placeholder: "KIND", isRepeatable: true,
                help: "Only events of this kind, or of these: emitted,suppressed; repeatable."),
            .init(name: "after", placeholder: "TIME", help: "Only from this time on: 12ms, 1.5s, 300us."),
            .init(name: "before", placeholder: "TIME", help: "Only before this time."),
            .init(name: "thread", placeholder: "N", help: "Only of this thread."),
            .init(
                name: "stimulus", placeholder: "TEXT",
                help: "Only what such a stimulus caused, hops included: (part of) its text, or its number, from 1."),
            .init(name: "limit", placeholder: "N", help: "At most so many lines."),
            .init(name: "follow", help: "Wait for the trace, and go on while it is being written, until it is closed."),
            CommandGrammar.format,
            CommandGrammar.color,
        ],
        details: """
            A line has the event's id (thread:number), microseconds since the start ('~': the event carries no
            time of its own and came no earlier than this), what happened, and after '←' the event that caused it.
            A hop is work that was given to a scheduler earlier, by the event that it names; 'settling': all
            deliveries of an emission are over, and what waited for them runs.

            An event is listed when it meets every option that is given; where --node or --kind is given more than
            once, any one of their values will do.

            A node is named as `weir info` names it: 'LoginViewModel.username', its end 'username', 'username #12'
            where several are named so, 'LoginView.swift:12' for one that is named by its place, or just '12'.

            Kinds: \(EventKinds.names)
            and the groups \(EventKinds.groupNames).
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let listing = try EventListing(arguments, console)
        try arguments.has("follow") ? listing.follow() : listing.printAll()
        return .clean
    }
}
