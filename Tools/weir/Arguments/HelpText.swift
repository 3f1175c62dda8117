/// Lays out the help of the tool and of each command.
enum HelpText {
    /// What `weir` and `weir --help` print.
    static func overview(_ commands: [CommandGrammar]) -> String {
        var lines = [
            "weir shows what flowed through a program's view models.", "", "Usage: weir COMMAND [options]",
            "",
        ]
        lines += columns(commands.map { ($0.usage(withOptions: false), $0.summary) })
        lines += [
            "",
            "`weir help COMMAND` shows details; `weir demo` is the place to start. `weir --version` shows the version.",
            "",
            "Exit codes: 0 clean, 1 check, redundant or leaks found something to cure, diff exceeded --fail-on or --fail-factor, or",
            "the condition of replay --break never became true, 2 wrong usage, 3 unreadable trace, 4 incomplete trace (check, diff",
            "with a threshold, or with --strict), 5 the result could not be written.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// What `weir GROUP --help` prints, for a group such as 'policy'.
    static func group(_ name: String, _ commands: [CommandGrammar]) -> String {
        let rows = columns(commands.map { ($0.usage(withOptions: false), $0.summary) })
        return (["Usage: weir \(name) COMMAND [options]", ""] + rows).joined(separator: "\n") + "\n"
    }

    /// What `weir COMMAND --help` prints.
    static func page(_ grammar: CommandGrammar) -> String {
        var lines = [grammar.summary, "", "Usage: weir " + grammar.usage(withOptions: true), "", "Options:"]
        lines += columns(
            grammar.allOptions.map { option in
                let short = option.short.map { "-\($0), " } ?? ""
                let value = option.placeholder.map { " " + $0 } ?? ""
                return ("\(short)--\(option.name)\(value)", option.help)
            })
        if !grammar.details.isEmpty { lines += ["", grammar.details] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The names of rules, with what each reports.
    static func rules<Rule: CaseIterable & RawRepresentable>(
        _ rules: Rule.Type, _ meaning: (Rule) -> String
    ) -> String where Rule.RawValue == String {
        columns(Rule.allCases.map { ($0.rawValue, meaning($0)) }).joined(separator: "\n")
    }

    private static func columns(_ rows: [(String, String)]) -> [String] {
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        return rows.map { left, right in
            "  " + left + String(repeating: " ", count: width - left.count) + right
        }
    }
}

extension CommandGrammar {
    fileprivate func usage(withOptions: Bool) -> String {
        let arguments = arguments.joined(separator: " ") + (takesSeveral ? "…" : "")
        let placed = takesCommandLine ? "-- " + arguments : arguments
        guard withOptions else { return [name, placed].filter { !$0.isEmpty }.joined(separator: " ") }
        // Options precede another program's command line, and follow a trace.
        let parts = takesCommandLine ? [name, "[options]", placed] : [name, placed, "[options]"]
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
