import Weir

/// Programs as apps have them, free of leaks and of redundant refreshes: Weir must not warn of any.
@main enum Main {
    @MainActor static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "list": list()
        case "paging": await paging()
        case "settings": settings()
        case "search": await search()
        case "downloads": await downloads()
        case "wizard": wizard()
        case "feed": await feed()
        case "editor": editor()
        default: fatalError("Which program?")
        }
    }
}
