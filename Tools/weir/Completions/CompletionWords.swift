/// The commands and options of the tool as shells complete them, made of the same table that parses them.
struct CompletionWords {
    private let commands: [CommandGrammar]

    init(_ commands: [CommandGrammar]) { self.commands = commands }

    /// The first words of all commands, each once, with what to say about it.
    private var firstWords: [(word: String, summary: String)] {
        var seen: Set<Substring> = []
        let words = commands.compactMap { command -> (String, String)? in
            let word = command.name.prefix { $0 != " " }
            guard seen.insert(word).inserted else { return nil }
            return (
                String(word),
                word.count == command.name.count
                    ? command.summary : secondWords(of: String(word)).joined(separator: ", ")
            )
        }
        return words + [("help", "Show the help of a command.")]
    }

    /// The second words of the commands that begin with a word.
    private func secondWords(of word: String) -> [String] {
        commands.filter { $0.name.hasPrefix(word + " ") }.map { String($0.name.dropFirst(word.count + 1)) }
    }

    private var groups: [String] { firstWords.map(\.word).filter { !secondWords(of: $0).isEmpty } }

    /// The options as they are written, and their short forms.
    private func options(_ command: CommandGrammar) -> [String] {
        command.allOptions.flatMap { ["--" + $0.name] + ($0.short.map { ["-\($0)"] } ?? []) }
    }

    /// For bash: `source <(weir completions bash)`.
    var bash: String {
        let groups = groups.map { word in
            "        \(word)) command=\"$command ${COMP_WORDS[2]}\"; first=3; names='\(secondWords(of: word).joined(separator: " "))' ;;"
        }
        let options = commands.map { "        '\($0.name)') options='\(self.options($0).joined(separator: " "))' ;;" }
        return """
            _weir() {
                local word="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[1]}" first=2 options='' names=''
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W '\(firstWords.map(\.word).joined(separator: " "))' -- "$word"))
                    return
                fi
                case "$command" in
            \(groups.joined(separator: "\n"))
                    help) COMPREPLY=($(compgen -W '\(firstWords.map(\.word).joined(separator: " "))' -- "$word")); return ;;
                esac
                if [ "$COMP_CWORD" -lt "$first" ]; then
                    COMPREPLY=($(compgen -W "$names" -- "$word"))
                    return
                fi
                case "$command" in
            \(options.joined(separator: "\n"))
                esac
                case "$word" in
                    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
                    *) COMPREPLY=() ;;
                esac
            }
            complete -o default -F _weir weir

            """
    }

    /// For zsh: a file `_weir` in a folder of `$fpath`.
    var zsh: String {
        let words = firstWords.map { "        '\($0.word):\(Self.escaped($0.summary))'" }
        func arguments(_ command: CommandGrammar, _ indent: String) -> String {
            let options = command.allOptions.flatMap { option -> [String] in
                let value = option.placeholder.map { ":\($0):_files" } ?? ""
                let names = ["--" + option.name] + (option.short.map { ["-\($0)"] } ?? [])
                return names.map { "\(indent)    '*\($0)[\(Self.escaped(option.help))]\(value)' \\" }
            }
            return "\(indent)_arguments \\\n" + options.joined(separator: "\n") + "\n\(indent)    '*:file:_files'"
        }
        let indent = String(repeating: " ", count: 12)
        let plain = commands.filter { !$0.name.contains(" ") }.map {
            "        \($0.name))\n\(arguments($0, indent))\n\(indent);;"
        }
        let grouped = groups.map { word in
            let members = commands.filter { $0.name.hasPrefix(word + " ") }
            let names = members.map { "'\($0.name.dropFirst(word.count + 1)):\(Self.escaped($0.summary))'" }
            let cases = members.map {
                "                \($0.name.dropFirst(word.count + 1)))\n\(arguments($0, indent + "        "))\n                    ;;"
            }
            return """
                        \(word))
                            if (( CURRENT == 2 )); then
                                local -a names=(\(names.joined(separator: " ")))
                                _describe 'command' names
                                return
                            fi
                            shift words
                            (( CURRENT-- ))
                            case "$words[1]" in
                \(cases.joined(separator: "\n"))
                            esac
                            ;;
                """
        }
        return """
            #compdef weir
            _weir() {
                local -a commands
                commands=(
            \(words.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe 'command' commands
                    return
                fi
                shift words
                (( CURRENT-- ))
                case "$words[1]" in
            \((plain + grouped).joined(separator: "\n"))
                esac
            }
            if [ "$funcstack[1]" = _weir ]; then _weir "$@"; else compdef _weir weir; fi

            """
    }

    /// For fish: a file `weir.fish` in its folder of completions.
    var fish: String {
        var lines: [String] = []
        for (word, summary) in firstWords {
            lines.append("complete -c weir -f -n __fish_use_subcommand -a \(word) -d '\(Self.escaped(summary))'")
        }
        for command in commands {
            let words = command.name.split(separator: " ").map(String.init)
            var condition = "__fish_seen_subcommand_from \(words[0])"
            if words.count > 1 {
                let all = secondWords(of: words[0]).joined(separator: " ")
                lines.append(
                    "complete -c weir -f -n '\(condition); and not __fish_seen_subcommand_from \(all)' -a \(words[1]) "
                        + "-d '\(Self.escaped(command.summary))'")
                condition += "; and __fish_seen_subcommand_from \(words[1])"
            }
            for option in command.allOptions {
                let short = option.short.map { " -s \($0)" } ?? ""
                let value = option.placeholder == nil ? "" : " -r"
                lines.append(
                    "complete -c weir -n '\(condition)' -l \(option.name)\(short)\(value) -d '\(Self.escaped(option.help))'"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Text between single quotation marks, without what has a meaning for the functions of zsh.
    private static func escaped(_ text: String) -> String {
        String(
            text.map { character -> Character in
                switch character {
                case "'": "’"
                case "[", "(": "("
                case "]", ")": ")"
                case ":": "."
                case "\\": "/"
                default: character
                }
            })
    }
}
