import Weir

/// Programs as apps have them, free of leaks and of redundant refreshes: Weir must not warn of any.
@main enum Main {
    @MainActor static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "list": await list()
        case "paging": await paging()
        case "settings": await settings()
        case "search": await search()
        case "downloads": await downloads()
        case "wizard": await wizard()
        case "feed": await feed()
        case "editor": await editor()
        case "shop": await shop()
        case "chat": await chat()
        case "player": await player()
        case "document": await document()
        case "sign-up": await signUp()
        case "map": await map()
        case "preferences": await preferences()
        case "timeline": await timeline()
        case "socket": await socket()
        case "photos": await photos()
        case "dashboard": await dashboard()
        case "coordinator": await coordinator()
        case "forecast": await forecast()
        default: fatalError("Which program?")
        }
    }
}
