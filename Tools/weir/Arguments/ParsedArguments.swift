import WeirReport

/// The parsed arguments of one command.
struct ParsedArguments: Equatable, Sendable {
    /// Arguments that are neither options nor option values.
    var positional: [String] = []
    /// The other program's command line, for a command that takes one.
    var commandLine: [String] = []
    /// The values given, by option; an option without a value has an empty one.
    var values: [String: [String]] = [:]
    var wantsHelp = false

    func has(_ option: String) -> Bool { values[option] != nil }

    func value(_ option: String) -> String? { values[option]?.last }

    /// The path of the trace that the command reads.
    func tracePath() throws(UsageError) -> String {
        switch positional[0] {
        case "": throw .emptyTracePath
        case "-": throw .standardInput
        default: positional[0]
        }
    }

    /// The value of an option, read by `parse`; nil when the option is not given. `words` are suggested to those who misspell them.
    func value<Value>(
        _ option: String, expecting expected: String, words: [String] = [], _ parse: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let text = value(option) else { return nil }
        guard let value = parse(text) else {
            throw UsageError.badValue(
                option: option, value: text, expected: expected, nearest: UsageError.nearest(text, words))
        }
        return value
    }

    /// The choice that an option names; nil when the option is not given.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ option: String, _ type: Choice.Type
    ) throws(UsageError) -> Choice? where Choice.RawValue == String {
        let names = Choice.allCases.map(\.rawValue)
        return try value(option, expecting: Wording.list(names, "or"), words: names) { Choice(rawValue: $0) }
    }
}

/// How a result is printed.
enum OutputFormat: String, CaseIterable {
    case text, json
}

/// When colours are used.
enum ColorMode: String, CaseIterable {
    case auto, always, never
}
