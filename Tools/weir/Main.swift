#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@main
enum Main {
    static func main() {
        let console = Console.standard()
        exit(Tool.run(Array(CommandLine.arguments.dropFirst()), console).rawValue)
    }
}
