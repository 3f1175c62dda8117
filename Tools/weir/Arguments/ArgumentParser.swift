/// Separates options, their values and other arguments, by a command's grammar.
///
/// It understands `--option value`, `--option=value`, `-o value`, and `--`, after which nothing is an option.
struct ArgumentParser {
    private let grammar: CommandGrammar

    init(_ grammar: CommandGrammar) {
        self.grammar = grammar
    }

    func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                if grammar.takesCommandLine {
                    parsed.commandLine = Array(rest)
                } else {
                    parsed.positional += rest
                }
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                if grammar.takesCommandLine {
                    parsed.commandLine = [argument] + rest
                    break
                }
                parsed.positional.append(argument)
                continue
            }
            try parse(option: argument, &rest, &parsed)
            // Help is shown even if other arguments are wrong.
            if parsed.wantsHelp { return parsed }
        }
        try checkCount(parsed)
        return parsed
    }

    private func parse(
        option argument: String, _ rest: inout ArraySlice<String>, _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let option = grammar.allOptions.first(where: { $0.isWritten(parts[0]) }) else {
            let written = grammar.allOptions.map { "--" + $0.name }
            throw .unknownOption(
                parts[0], command: grammar.name, nearest: UsageError.nearest(parts[0], written))
        }
        if option.name == CommandGrammar.help.name {
            parsed.wantsHelp = true
            return
        }
        let isGiven = parsed.values[option.name] != nil
        if isGiven && !option.isRepeatable && option.placeholder != nil {
            throw .repeatedOption(option.name)
        }
        var value = ""
        if let placeholder = option.placeholder {
            if parts.count == 2 {
                value = parts[1]
            } else if let next = rest.first, next != "--" {
                value = next
                rest.removeFirst()
            } else {
                throw .missingValue(option: option.name, placeholder: placeholder)
            }
        } else if parts.count == 2 {
            throw .unwantedValue(option: option.name)
        }
        parsed.values[option.name, default: []].append(value)
    }

    private func checkCount(_ parsed: ParsedArguments) throws(UsageError) {
        if grammar.takesCommandLine {
            if parsed.commandLine.isEmpty {
                throw .missingArgument(grammar.arguments[0], command: grammar.name)
            }
        } else if parsed.positional.count < grammar.arguments.count {
            throw .missingArgument(grammar.arguments[parsed.positional.count], command: grammar.name)
        } else if parsed.positional.count > grammar.arguments.count, !grammar.takesSeveral {
            throw .unexpectedArgument(parsed.positional[grammar.arguments.count], command: grammar.name)
        }
    }
}

extension CommandGrammar.Option {
    fileprivate func isWritten(_ text: String) -> Bool {
        text == "--" + name || (short.map { text == "-\($0)" } ?? false)
    }
}
