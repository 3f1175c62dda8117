import Weir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that records more than half a mebibyte, and does its own work all the while; by how it ends.
enum Filling: String {
    case returns, stops, exits, leaves, isKilled
    // What it does to the file that it records to, before it ends.
    case cuts, removes, closes
    /// Records some more at each line of its input, and waits for its end, so that several of them record at once.
    case waits

    static let count = 6_500

    /// - Parameter path: where it starts a recording to; nil: it leaves that to the environment.
    func run(path: String?) {
        do { if let path { try Trace.start(writingTo: path, limit: .none) } } catch { print("refused: \(error)") }
        let text = Observable("")
        let most = self == .waits ? 10 : Self.count
        let filler = String(repeating: "x", count: 100)
        for number in 1...most { text.value = "\(number) \(filler)" }
        print("filled", text.value.prefix { $0 != " " })
        switch self {
        case .returns: return
        case .stops:
            Trace.stop()
            text.value = "on"
            print("went \(text.value)")
        case .waits:
            print(Trace.path ?? "nowhere")
            fflush(nil)
            var last = most
            while readLine() != nil {
                for number in last + 1...last + most { text.value = "\(number) \(filler)" }
                last += most
                print("filled \(last)")
                fflush(nil)
            }
        case .exits: exit(0)
        case .leaves, .isKilled:
            fflush(nil)
            if self == .leaves { _exit(0) }
            kill(getpid(), SIGKILL)
        case .cuts:
            if let path = Trace.path { truncate(path, 0) }
            exit(0)
        case .removes:
            if let path = Trace.path { unlink(path) }
        case .closes:
            for descriptor in Int32(3)..<64 { close(descriptor) }
            // One of these gets the number that the trace had.
            for _ in 0..<16 { write(open("own", O_RDWR | O_CREAT | O_APPEND, 0o600), "x", 1) }
            for number in 1...10 * Self.count { text.value = "\(number) \(filler)" }
        }
    }
}
