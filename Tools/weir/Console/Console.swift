import WeirReport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The tool's surroundings: where results and complaints go, and the environment.
struct Console {
    let output: Output
    /// Takes text for standard error.
    let errors: (String) -> Void
    let environment: [String: String]
    let isOutputTerminal: Bool
    let isErrorTerminal: Bool

    /// The process's own; from here on a closed pipe is an error to be handled and no signal.
    static func standard() -> Console {
        signal(SIGPIPE, SIG_IGN)
        let errors = Output(descriptor: STDERR_FILENO)
        return Console(
            output: Output(descriptor: STDOUT_FILENO),
            errors: { text in
                // When even standard error is gone, there is nobody left to tell.
                do { try errors.write(text); try errors.flush() } catch {}
            },
            environment: environmentOfProcess(), isOutputTerminal: isatty(STDOUT_FILENO) == 1,
            isErrorTerminal: isatty(STDERR_FILENO) == 1)
    }

    /// One sentence on standard error.
    func complain(_ sentence: String) {
        errors("weir: \(sentence)\n")
    }

    /// The style that `--color` asks for.
    func style(_ arguments: ParsedArguments) throws(UsageError) -> Style {
        switch try arguments.choice("color", ColorMode.self) ?? .auto {
        case .always: Style(isColored: true)
        case .never: .plain
        case .auto: Style(isColored: isOutputTerminal && allowsColor)
        }
    }

    private var allowsColor: Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    private static func environmentOfProcess() -> [String: String] {
        var result: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                result[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return result
    }
}
