/// How the tool ends; scripts rely on these numbers.
struct ExitCode: Equatable, Sendable {
    let rawValue: Int32

    /// Success.
    static let clean = ExitCode(rawValue: 0)
    /// The arguments are invalid.
    static let usage = ExitCode(rawValue: 2)
    /// The file cannot be read as a trace.
    static let unreadable = ExitCode(rawValue: 3)
    /// The trace is incomplete, and `--strict` was given.
    static let incomplete = ExitCode(rawValue: 4)
    /// The result could not be written.
    static let outputFailed = ExitCode(rawValue: 5)
    /// `record`: the command exists but cannot be run, as in a shell.
    static let notExecutable = ExitCode(rawValue: 126)
    /// `record`: there is no such command, as in a shell.
    static let notFound = ExitCode(rawValue: 127)
}

/// An error that ends the tool with a sentence of its own.
struct Failure: Error {
    let code: ExitCode
    let sentence: String
}
