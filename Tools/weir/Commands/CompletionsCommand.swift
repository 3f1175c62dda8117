/// `weir completions`: a script with which a shell completes the arguments of `weir`.
enum CompletionsCommand: Subcommand {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static let grammar = CommandGrammar(
        name: "completions", summary: "Print a script with which bash, zsh or fish completes commands and options.",
        arguments: ["SHELL"], options: [],
        details: """
              weir completions bash >~/.local/share/bash-completion/completions/weir
              weir completions zsh >~/.zsh/completions/_weir        in a folder of $fpath
              weir completions fish >~/.config/fish/completions/weir.fish
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let name = arguments.positional[0]
        guard let shell = Shell(rawValue: name) else {
            throw UsageError.unknownShell(
                name, nearest: UsageError.nearest(name, Shell.allCases.map(\.rawValue)))
        }
        let words = CompletionWords(Tool.commands.map { $0.grammar })
        let text =
            switch shell {
            case .bash: words.bash
            case .zsh: words.zsh
            case .fish: words.fish
            }
        try console.output.write(text)
        return .clean
    }
}
