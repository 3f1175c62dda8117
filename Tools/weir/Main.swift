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
    /// The arguments byte for byte: `CommandLine.arguments` replaces bytes that are not UTF-8.
    private static var arguments: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { SystemText.text($0) } }
    }

    static func main() {
        let console = Console.standard()
        exit(Tool.run(arguments, console).rawValue)
    }
}
