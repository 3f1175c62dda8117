import WeirTrace

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@main
enum Main {
    /// As they were given: `CommandLine.arguments` replaces what is not UTF-8.
    private static var arguments: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { SystemText.text($0) } }
    }

    static func main() {
        let console = Console.standard()
        exit(Tool.run(arguments, console).rawValue)
    }
}
