import WeirReport

/// The key bindings of a replay, and the line being typed.
struct ReplayControls {
    /// The purpose of the line being typed.
    enum Prompt: String {
        case jump = "go to (12ms, 1:42, @607, a stimulus, end): "
        case search = "search: "
        case addBreak = "stop where (nothing: clear): "
        case addWatch = "watch (nothing: clear): "
        case filter = "only nodes with (nothing: all): "
    }

    /// The keys and their effects, for the help.
    static let help = [
        ("→ l   ← h", "to the next event, to the one before"),
        ("t     T", "to the next turn, to the one before: what one stimulus caused"),
        ("s     S", "to the next stimulus, to the one before"),
        ("n     N", "to the next change of the selected node (▸), to the one before"),
        ("↓ j   ↑ k", "select another node; Page Down, Page Up: ten further"),
        ("c     r", "on to where a breakpoint becomes true, back to where one did"),
        ("b", "stop where an expression becomes true: loginEnabled == true"),
        ("w", "watch an expression: count(username)"),
        ("y", "why the selected node has its value"),
        ("g", "go to a time (12ms), an event (1:42), a stimulus (its number or text), end;"),
        ("", "@607 is the event that stands as 'event 607' at the top"),
        ("0     $", "to the beginning, to the end"),
        ("/", "search the events for words; > and < repeat that forward and back"),
        ("f", "show only nodes with such names"),
        ("a", "show all nodes, also those released or not yet heard of; again: no longer"),
        ("?", "this help"),
        ("q", "quit; Ctrl-C or Escape ends a long way"),
    ]

    private(set) var prompt: Prompt?
    private(set) var typed = ""
    /// The page shown instead of the state; nil for none.
    private(set) var page: ReplayPage?
    /// The number of rows for a page.
    var pageRows = 23

    /// Handles a key; returns false to leave the replay.
    mutating func press(_ key: TerminalKey, _ session: ReplaySession) -> Bool {
        if prompt != nil {
            type(key, session)
            return true
        }
        if let shown = page {
            page = shown.scrolled(by: key, rows: pageRows)
            return key != .control("c")
        }
        switch key {
        case .character("q"), .control("c"), .control("d"): return false
        case .right, .character("l"), .character(" "): session.go(.event, .forward)
        case .left, .character("h"): session.go(.event, .backward)
        case .character("t"): session.go(.turn, .forward)
        case .character("T"): session.go(.turn, .backward)
        case .character("s"): session.go(.stimulus, .forward)
        case .character("S"): session.go(.stimulus, .backward)
        case .character("n"): session.go(.change, .forward)
        case .character("N"): session.go(.change, .backward)
        case .character("c"): session.run(.forward)
        case .character("r"): session.run(.backward)
        case .character(">"): session.search("", .forward)
        case .character("<"): session.search("", .backward)
        case .character("0"), .home: session.goToBeginning()
        case .character("$"), .character("G"), .end: session.goToEnd()
        case .down, .character("j"): session.select(1)
        case .up, .character("k"): session.select(-1)
        case .pageDown: session.select(10)
        case .pageUp: session.select(-10)
        case .character("g"): prompt = .jump
        case .character("/"): prompt = .search
        case .character("b"): prompt = .addBreak
        case .character("w"): prompt = .addWatch
        case .character("f"): prompt = .filter
        case .character("a"): session.toggleAll()
        case .character("y"): page = session.why().map { ReplayPage(lines: $0) }
        case .character("?"): page = ReplayPage(lines: Self.helpLines(session))
        default: break
        }
        return true
    }

    private static func helpLines(_ session: ReplaySession) -> [String] {
        let style = session.request.style
        return [style(.strong, "Keys")]
            + help.map { "  " + $0.0 + String(repeating: " ", count: 12 - $0.0.count) + $0.1 }
            + [
                "",
                style(.faint, "  The line at the top is the whole trace: ● is this moment, crosses are stimuli."),
                style(.faint, "  ● a value that has just changed   ▶ what has just happened"),
                style(.faint, "  " + checkpoints(session)),
            ]
    }

    /// The cost of the checkpoints that make going back as fast as going forward.
    private static func checkpoints(_ session: ReplaySession) -> String {
        let cost = session.timeline.checkpointCost
        return
            "To go back, \(Figures.count(cost.count, "state")), one for each \(Figures.count(cost.spacing)) events so far, "
            + (cost.count > 1 ? "are" : "is") + " kept: \(Figures.bytes(UInt64(cost.bytes)))"
    }

    private mutating func type(_ key: TerminalKey, _ session: ReplaySession) {
        switch key {
        case .character(let character): typed.append(character)
        case .backspace: if typed.popLast() == nil { prompt = nil }
        case .escape, .control("c"): (prompt, typed) = (nil, "")
        case .control("u"): typed = ""
        case .enter:
            let (purpose, text) = (prompt, typed)
            (prompt, typed) = (nil, "")
            switch purpose {
            case .jump: if !text.isEmpty { session.jump(text) }
            case .search: session.search(text)
            case .addBreak: session.addBreak(text)
            case .addWatch: session.addWatch(text)
            case .filter: session.show(nodesNamed: text)
            case nil: break
            }
        default: break
        }
    }
}
