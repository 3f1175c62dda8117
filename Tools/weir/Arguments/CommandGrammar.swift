/// A table of the arguments that a command takes, for both the parser and the help.
struct CommandGrammar: Sendable {
    struct Option: Sendable {
        /// Without its dashes.
        let name: String
        /// Its single-letter form, as in `-o`.
        var short: Character?
        /// The placeholder of its value in the help; nil if it takes no value.
        var placeholder: String?
        /// Whether it may be given more than once.
        var isRepeatable = false
        let help: String
    }

    let name: String
    /// One line for the list of commands.
    let summary: String
    /// The placeholders of its arguments in the help: "TRACE".
    let arguments: [String]
    /// Whether the last argument may be given several times.
    var takesSeveral = false
    /// Whether everything from the first argument on, or after `--`, is another program's command line.
    var takesCommandLine = false
    let options: [Option]
    /// The text of the help below the options.
    var details = ""

    static let help = Option(name: "help", short: "h", help: "Show this help.")
    static let color = Option(
        name: "color", placeholder: "WHEN",
        help: "Colours: auto (on a terminal, unless NO_COLOR is set), always or never.")
    static let format = Option(name: "format", placeholder: "FORMAT", help: "text (the default) or json.")

    var allOptions: [Option] { options + [Self.help] }
}
