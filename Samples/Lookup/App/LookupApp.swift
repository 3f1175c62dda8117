import Lookup

@main
enum LookupApp {
    static func main() {}
}
