import WeirAnalysis
import WeirReport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `weir replay` on a terminal: draws the screen, waits for keys, and interrupts long moves when a key asks for it.
final class ReplayTerminal {
    private let request: ReplayRequest
    private let console: Console
    private let session: ReplaySession
    private var controls = ReplayControls()
    private var hasDrawn = false

    init(_ request: ReplayRequest, _ console: Console) throws {
        self.request = request
        self.console = console
        session = try ReplaySession(request)
        session.open()
    }

    func run() throws -> ExitCode {
        guard let terminal = Terminal() else { return try ReplayLog(request, console).run() }
        let signal = loop(terminal)
        terminal.leave()
        if let signal { raise(signal) }
        return try console.conclude(request.reader, request.path, request.arguments)
    }

    /// Runs until the user leaves; returns the signal that ended it.
    private func loop(_ terminal: Terminal) -> Int32? {
        draw(terminal)
        while true {
            switch terminal.wait(milliseconds: -1) {
            case .ending(let signal): return signal
            case .resized: draw(terminal)
            case .nothing: break
            case .keys:
                while let key = terminal.key() {
                    if key == .control("z") {
                        terminal.suspend()
                        continue
                    }
                    var way = LongWay(System.nanoseconds())
                    session.timeline.shallGoOn = { [unowned self] position in
                        way.goesOn(System.nanoseconds(), terminal) { self.drawReading(terminal, position) }
                    }
                    let goesOn = controls.press(key, session)
                    session.timeline.shallGoOn = nil
                    if !goesOn { return nil }
                }
                draw(terminal)
            }
        }
    }

    private var size: (columns: Int, rows: Int) { Terminal.size ?? (80, 24) }

    private func draw(_ terminal: Terminal) {
        let (columns, rows) = size
        controls.pageRows = max(0, rows - 1)
        terminal.draw(
            ReplayScreen(columns: columns, rows: rows, style: request.style).lines(session, controls))
    }

    private func drawReading(_ terminal: Terminal, _ position: UInt64) {
        let share =
            session.timeline.eventCount.map { $0 == 0 ? "" : ", \(position * 100 / $0) %" } ?? ""
        terminal.draw(
            last: request.style(.warning, "reading… event \(Figures.count(position))\(share); Escape stops"),
            row: size.rows)
    }
}

/// Watches a possibly long move: draws now and then, and interrupts it when a key asks for that.
private struct LongWay {
    private static let patience: UInt64 = 150_000_000
    private var nextLook: UInt64
    private var isInterrupted = false

    init(_ now: UInt64) { nextLook = now &+ Self.patience }

    mutating func goesOn(_ now: UInt64, _ terminal: Terminal, draw: () -> Void) -> Bool {
        // Once it is interrupted, all its remaining parts end, too.
        guard !isInterrupted, now >= nextLook else { return !isInterrupted }
        nextLook = now &+ Self.patience
        draw()
        switch terminal.wait(milliseconds: 0) {
        case .ending: isInterrupted = true
        case .keys:
            let key = terminal.key()
            isInterrupted = key == .escape || key == .control("c") || key == .character("q")
        case .resized, .nothing: break
        }
        return !isInterrupted
    }
}
