import WeirSignIn

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `weir-signin weir|traced|observable|async`: uses the login form written in this style, and prints what it shows.
@main
enum SignInApp {
    static func main() async {
        let way = CommandLine.arguments.dropFirst().first.flatMap(SignInWay.init(rawValue:))
        guard let way, CommandLine.arguments.count == 2 else {
            print("usage: weir-signin \(SignInWay.allCases.map(\.rawValue).joined(separator: "|"))")
            exit(2)
        }
        await way.use { print($0) }
    }
}
