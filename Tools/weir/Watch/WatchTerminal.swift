import WeirAnalysis
import WeirReport
import WeirTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `weir watch` on a terminal: reads twice a second, draws, and obeys keys.
final class WatchTerminal {
    private static let pause: Int32 = 500

    private let watched: WatchedTrace
    private let style: Style
    private let console: Console
    private let child: Int32?
    private var view = WatchPage.View()
    /// The view while the screen stands still.
    private var frozen: WatchState?
    /// An explanation that covers the screen, and its first line that is shown.
    private var text: (lines: [String], first: Int)?

    /// `child`: a process that was started for this.
    init(_ watched: WatchedTrace, _ style: Style, _ console: Console, child: Int32? = nil) {
        (self.watched, self.style, self.console, self.child) = (watched, style, console, child)
    }

    func run() throws -> ExitCode {
        defer { if let child, ChildProcess.ending(of: child) == nil { ChildProcess.end(child) } }
        guard let terminal = Terminal() else { throw Failure(code: .usage, sentence: Wording.watchNeedsTerminal) }
        let signal: Int32?
        do { signal = try loop(terminal) } catch {
            terminal.leave()
            throw error
        }
        terminal.leave()
        if let signal {
            if let child { ChildProcess.end(child) }
            raise(signal)
        }
        return .clean
    }

    private func loop(_ terminal: Terminal) throws -> Int32? {
        try watched.read()
        draw(terminal)
        var nextRead = System.nanoseconds() &+ UInt64(Self.pause) * 1_000_000
        while true {
            let now = System.nanoseconds()
            let left = nextRead > now ? Int32((nextRead - now) / 1_000_000) + 1 : 0
            switch terminal.wait(milliseconds: left) {
            case .ending(let signal): return signal
            case .resized: draw(terminal)
            case .keys:
                while let key = terminal.key() {
                    if key == .control("z") { terminal.suspend() } else if !press(key, terminal) { return nil }
                }
                draw(terminal)
            case .nothing: break
            }
            guard System.nanoseconds() >= nextRead else { continue }
            try watched.read()
            nextRead = System.nanoseconds() &+ UInt64(Self.pause) * 1_000_000
            if text == nil { draw(terminal) }
        }
    }

    // MARK: Drawing

    private var size: (columns: Int, rows: Int) { Terminal.size ?? (80, 24) }

    private var page: WatchPage { watched.page(view, style, state: frozen) }

    private func draw(_ terminal: Terminal) {
        let (columns, rows) = size
        guard let text else { return terminal.draw(page.lines(columns: columns, rows: rows)) }
        let shown = text.lines.dropFirst(text.first).prefix(max(1, rows - 1)).map { ScreenText.cut($0, to: columns) }
        let hint = style(.faint, ScreenText.cut("↑↓ scroll · Esc back", to: columns))
        terminal.draw(shown + Array(repeating: "", count: max(0, rows - 1 - shown.count)) + [hint])
    }

    // MARK: Keys

    /// Obeys a key; false: the user quits.
    private func press(_ key: TerminalKey, _ terminal: Terminal) -> Bool {
        if key == .control("c") { return false }
        if text != nil { return pressInText(key) }
        if view.isTyping {
            type(key)
            return true
        }
        switch key {
        case .character("q"): return false
        case .escape: if view.opened != nil { view.opened = nil } else { view.filter = "" }
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -max(1, size.rows - 10))
        case .pageDown: move(by: max(1, size.rows - 10))
        case .home: move(by: -1_000_000)
        case .end: move(by: 1_000_000)
        case .enter: view.opened = view.opened == nil ? selected : nil
        case .character("/"): (view.isTyping, view.opened) = (true, nil)
        case .character("s"):
            let orders = WatchPage.View.Order.allCases
            let place = orders.firstIndex(of: view.order) ?? 0
            view.order = orders[(place + 1) % orders.count]
        case .character("p"), .character(" "):
            view.isPaused.toggle()
            frozen = view.isPaused ? watched.state : nil
        case .character("w"): explain(terminal)
        default: break
        }
        return true
    }

    private var selected: UInt32? {
        let order = page.order
        guard let selected = view.selected, order.contains(selected) else { return order.first }
        return selected
    }

    private func move(by steps: Int) {
        let order = page.order
        guard !order.isEmpty else { return }
        let place = view.selected.flatMap { order.firstIndex(of: $0) } ?? 0
        view.selected = order[max(0, min(order.count - 1, place + steps))]
        if view.opened != nil { view.opened = view.selected }
    }

    private func type(_ key: TerminalKey) {
        switch key {
        case .character(let character): view.filter.append(character)
        case .backspace: if !view.filter.isEmpty { view.filter.removeLast() }
        case .enter: view.isTyping = false
        case .escape: (view.isTyping, view.filter) = (false, "")
        default: break
        }
    }

    private func pressInText(_ key: TerminalKey) -> Bool {
        guard let shown = text else { return true }
        let last = max(0, shown.lines.count - max(1, size.rows - 1))
        func scroll(_ lines: Int) { text?.first = max(0, min(last, shown.first + lines)) }
        switch key {
        case .escape, .enter, .character("w"), .character("q"): text = nil
        case .up, .character("k"): scroll(-1)
        case .down, .character("j"): scroll(1)
        case .pageUp: scroll(-(size.rows - 2))
        case .pageDown, .character(" "): scroll(size.rows - 2)
        default: break
        }
        return true
    }

    /// Shows what `weir why` says of the last value of the selected node.
    private func explain(_ terminal: Terminal) {
        guard let node = view.opened ?? selected else { return }
        let (columns, rows) = size
        terminal.draw(last: style(.warning, "reading the trace…"), row: rows)
        let output = Output.memory()
        let complaints = Complaints()
        let inner = Console(
            output: output, errors: { complaints.text += $0 }, environment: console.environment,
            isOutputTerminal: false,
            isErrorTerminal: false)
        let color = style.isColored ? "always" : "never"
        _ = Tool.run(["why", watched.path, "\(node)", "--color", color], inner)
        let lines = LineWrap.wrapped(output.text + complaints.text, to: max(20, columns)).split(
            separator: "\n", omittingEmptySubsequences: false)
        text = (lines.map(String.init), 0)
    }
}

/// The text of a command on standard error.
private final class Complaints {
    var text = ""
}
