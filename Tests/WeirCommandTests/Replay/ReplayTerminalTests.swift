import Foundation
import Testing

/// The built command on a pseudo-terminal, used as a user would.
@Suite(.timeLimit(.minutes(15)), .serialized)
struct ReplayTerminalTests {
    private let folder: BuiltCommand.Folder

    init() throws {
        folder = try BuiltCommand.Folder()
        let environment = ["WEIR_TRACE": folder("login.weir"), "WEIR_CLOCK": "virtual"]
        let ended = try BuiltCommand("weir-login", ["published"], in: folder, environment: environment).wait()
        try #require(ended.status == 0)
    }

    @Test func `keys travel, the screen shows it, and the terminal is as it was afterwards`() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.localFlags
        try terminal.run(["replay", "login.weir"], in: folder)
        // At the first stimulus.
        #expect(terminal.waits(for: "event 30"))
        #expect(terminal.localFlags != before)
        terminal.type("\u{1B}[C")
        #expect(terminal.waits(for: "event 31"))
        terminal.type("\u{1B}[D")
        #expect(terminal.waits(for: "event 30"))
        terminal.type("bloginEnabled == true\rc")
        #expect(terminal.waits(for: "break: loginEnabled == true"))
        terminal.type("q")
        #expect(terminal.end() == .exited(0))
        #expect(terminal.output.hasPrefix("\u{1B}[?1049h") && terminal.output.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
        #expect(terminal.localFlags == before)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGABRT, SIGSEGV])
    func `a signal that ends it gives the terminal back first`(_ signal: Int32) throws {
        let terminal = try PseudoTerminal()
        let before = terminal.localFlags
        try terminal.run(["replay", "login.weir"], in: folder)
        #expect(terminal.waits(for: "event 30"))
        terminal.send(signal)
        #expect(terminal.end() == .killed(signal))
        #expect(terminal.output.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
        #expect(terminal.localFlags == before)
    }

    @Test func `a terminal that knows no escape sequences gets the plain listing`() throws {
        let terminal = try PseudoTerminal()
        try terminal.run(["replay", "login.weir", "--color", "never"], in: folder, term: "dumb")
        #expect(terminal.end() == .exited(0))
        #expect(terminal.output.contains("stimulus 4 “tap Login”") && !terminal.output.contains("\u{1B}"))
    }
}

/// A terminal whose other end the test holds.
private final class PseudoTerminal {
    enum Ended: Equatable { case exited(Int32), killed(Int32) }

    private let master: Int32
    private let slave: Int32
    private let process = Process()
    private var bytes: [UInt8] = []
    private var seen = 0

    struct Unavailable: Error {}

    init() throws {
        guard let library = dlopen(nil, RTLD_NOW) else { throw Unavailable() }
        // Glibc's module for Swift does not show these.
        typealias OnDescriptor = @convention(c) (Int32) -> Int32
        typealias NameOfDescriptor = @convention(c) (Int32) -> UnsafeMutablePointer<CChar>?
        func function<Function>(_ name: String, _: Function.Type) throws -> Function {
            guard let symbol = dlsym(library, name) else { throw Unavailable() }
            return unsafeBitCast(symbol, to: Function.self)
        }
        master = try function("posix_openpt", OnDescriptor.self)(O_RDWR | O_NOCTTY)
        guard master >= 0, try function("grantpt", OnDescriptor.self)(master) == 0,
            try function("unlockpt", OnDescriptor.self)(master) == 0,
            let name = try function("ptsname", NameOfDescriptor.self)(master)
        else { throw Unavailable() }
        slave = open(name, O_RDWR | O_NOCTTY)
        guard slave >= 0 else { throw Unavailable() }
        var size = winsize(ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    }

    deinit {
        if process.isRunning { process.terminate() }
        close(master)
        close(slave)
    }

    /// Whether keys are echoed and collected into lines.
    var localFlags: tcflag_t {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag
    }

    var output: String { String(decoding: bytes, as: UTF8.self) }

    func run(_ arguments: [String], in folder: BuiltCommand.Folder, term: String = "xterm") throws {
        process.executableURL = URL(fileURLWithPath: BuiltCommand.product("weir"))
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.environment = ProcessInfo.processInfo.environment.merging(["TERM": term]) { _, new in new }
        let handle = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        (process.standardInput, process.standardOutput, process.standardError) = (handle, handle, handle)
        try process.run()
    }

    func type(_ keys: String) { _ = Array(keys.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) } }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Whether a text appears after the one that was found last.
    func waits(for text: String) -> Bool {
        for _ in 0..<12_000 {
            read(milliseconds: 50)
            let new = String(decoding: bytes[seen...], as: UTF8.self)
            if new.contains(text) {
                seen = bytes.count
                return true
            }
        }
        return false
    }

    func end() -> Ended {
        for _ in 0..<30_000 where process.isRunning { read(milliseconds: 20) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        read(milliseconds: 0)
        return process.terminationReason == .exit
            ? .exited(process.terminationStatus) : .killed(process.terminationStatus)
    }

    private func read(milliseconds: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var input = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        var patience = milliseconds
        while poll(&input, 1, patience) > 0, input.revents & Int16(POLLIN) != 0 {
            let count = Foundation.read(master, &buffer, buffer.count)
            guard count > 0 else { return }
            bytes += buffer.prefix(count)
            patience = 0
        }
    }
}
