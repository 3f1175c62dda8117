import Weir
import WeirLogin

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `weir-login [published|cured] [--rounds N]`: uses the login screen and prints what it shows.
@main
enum LoginApp {
    @MainActor static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let version = arguments.first.flatMap(LoginDemo.Version.init(rawValue:))
        if version != nil { arguments.removeFirst() }
        var rounds = 1
        if arguments.count == 2, arguments.first == "--rounds", let number = arguments.last.flatMap(Int.init) {
            rounds = number
        } else if !arguments.isEmpty {
            say("usage: weir-login [published|cured] [--rounds N]", on: 2)
            exit(2)
        }
        for round in 1...max(rounds, 1) {
            LoginDemo.use(version ?? .published) { say(rounds == 1 ? $0 : "\(round): \($0)", on: 1) }
        }
    }

    /// Unbuffered: a printed line has left the process, even if the process is killed.
    private static func say(_ line: String, on descriptor: Int32) {
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
