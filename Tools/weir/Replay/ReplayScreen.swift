import WeirAnalysis
import WeirReport
import WeirTrace

/// What the screen of a replay shows, as lines that fit it.
struct ReplayScreen {
    let columns: Int
    let rows: Int
    let style: Style

    /// Exactly `rows` lines of at most `columns` columns.
    func lines(_ session: ReplaySession, _ controls: ReplayControls) -> [String] {
        let last = lastLine(session, controls)
        let room = max(0, rows - 1)
        var lines = controls.showsHelp ? help(session) : body(session, room)
        lines = Array(lines.prefix(room))
        lines += Array(repeating: "", count: room - lines.count)
        return (lines + [last]).prefix(max(1, rows)).map { ScreenText.cut($0, to: columns) }
    }

    private func body(_ session: ReplaySession, _ room: Int) -> [String] {
        let top = [status(session)] + happening(session, atMost: max(2, room / 3)) + expressions(session) + [""]
        return top + table(session, atMost: room - top.count)
    }

    /// "login.weir  event 92 of 166 · 55 µs · thread 1 · stimulus 3 “type password”".
    private func status(_ session: ReplaySession) -> String {
        let state = session.state
        let total = session.timeline.eventCount.map { " of \(Figures.count($0))" } ?? ""
        var facts = [
            state.order == 0
                ? "beginning\(total.isEmpty ? "" : ", 0" + total)" : "event \(Figures.count(state.order))\(total)",
            Figures.duration(nanoseconds: session.timeline.timeScale.nanosecondsSinceStart(state.ticks)),
        ]
        if let event = session.event { facts.append("thread \(event.id.thread)") }
        let open = session.openFrames.last { $0.opener == .stimulusBegan }
        if let stimulus = open ?? state.lastStimulus {
            facts.append(
                (open == nil ? "after " : "") + "stimulus \(Figures.count(stimulus.stimulusNumber)) “"
                    + TerminalText.cut(TerminalText.escaped(stimulus.text), to: 40) + "”")
        }
        let name = session.request.path.split(separator: "/").last.map(String.init) ?? session.request.path
        return style(.strong, TerminalText.escaped(name)) + "  " + facts.joined(separator: " · ")
    }

    /// What is open, outermost first, and below it what has just happened.
    private func happening(_ session: ReplaySession, atMost limit: Int) -> [String] {
        let phrases = EventPhrases(session.request.topology.definitions, style: style)
        guard let event = session.event else { return [style(.faint, "  nothing has happened yet")] }
        let frames = session.openFrames.filter { $0.id != event.id }
        let shown = frames.suffix(limit - 1)
        var lines = shown.enumerated().map { index, frame in
            let hidden = index == 0 && shown.count < frames.count
            let more = hidden ? style(.faint, "  (in \(Figures.count(frames.count - shown.count)) more)") : ""
            return "  " + String(repeating: "  ", count: index) + style(.faint, "\(frame.id) ") + phrases.phrase(frame)
                + more
        }
        let indent = String(repeating: "  ", count: shown.count)
        lines.append(style(.strong, "▶ ") + indent + style(.faint, "\(event.id) ") + phrases.phrase(event))
        return lines
    }

    private func expressions(_ session: ReplaySession) -> [String] {
        let lines = ChangeLines(
            session.request.topology.definitions, timeScale: session.timeline.timeScale, style: style)
        func line(_ word: String, _ named: NamedCondition, _ judgement: Judgement) -> String {
            "  " + style(.faint, word) + " " + TerminalText.escaped(named.text) + "  " + lines.text(judgement)
        }
        return session.watches.map { line("watch", $0, $0.condition.judgement(in: session.state)) }
            + session.breaks.map { line("break", $0, $0.condition.truth(in: session.state)) }
    }

    private func table(_ session: ReplaySession, atMost limit: Int) -> [String] {
        let places = session.places
        guard limit >= 2 else { return [] }
        guard !places.isEmpty else { return [style(.faint, "  no node to show")] }
        let selection = min(session.selection, places.count - 1)
        let height = limit - 1
        let first = max(0, min(selection - height / 2, places.count - height))
        let shown = Array(places[first..<min(places.count, first + height)])
        let (since, order) = (session.marksSince, session.state.order)
        let table = StateTable(
            session.state, timeScale: session.timeline.timeScale,
            phrases: EventPhrases(session.request.topology.definitions), width: columns - 2
        ) { $0.changeOrder >= since && $0.changeOrder <= order && $0.changeOrder > 0 }
        return table.lines(shown, style: style).enumerated().map { index, line in
            (index == selection - first + 1 ? "▸ " : "  ") + line
        }
    }

    private func help(_ session: ReplaySession) -> [String] {
        [style(.strong, "Keys"), ""]
            + ReplayControls.help.map { "  " + $0.0 + String(repeating: " ", count: 12 - $0.0.count) + $0.1 }
            + [
                "", style(.faint, "  ● a value that has just changed   ▶ what has just happened   any key goes back"),
                "",
                style(.faint, "  " + checkpoints(session)),
            ]
    }

    /// What it costs that going back is as quick as going forward.
    private func checkpoints(_ session: ReplaySession) -> String {
        let cost = session.timeline.checkpointCost
        return
            "To go back, \(Figures.count(cost.count, "state")), one for each \(Figures.count(cost.spacing)) events so far, "
            + (cost.count > 1 ? "are" : "is") + " kept: \(Figures.bytes(UInt64(cost.bytes)))"
    }

    private func lastLine(_ session: ReplaySession, _ controls: ReplayControls) -> String {
        if let prompt = controls.prompt {
            return style(.strong, prompt.rawValue) + TerminalText.escaped(controls.typed) + "▏"
        }
        if let message = session.message { return style(.warning, message) }
        return style(.faint, "→ ← event  t turn  s stimulus  n change  c break  b w g / f  ? help  q quit")
    }
}

/// Measures and cuts lines that hold colours.
enum ScreenText {
    /// `line` cut to at most `columns` columns; colours take none, and end where the line is cut.
    static func cut(_ line: String, to columns: Int) -> String {
        guard line.utf8.count > columns else { return line }
        var result = ""
        var used = 0
        var isEscape = false
        var isColored = false
        for character in line {
            if character == "\u{1B}" { (isEscape, isColored) = (true, true) }
            if isEscape {
                result.append(character)
                if character == "m" { isEscape = false }
                continue
            }
            used += TerminalText.width(String(character))
            if used > columns { return result + (isColored ? "\u{1B}[0m" : "") }
            result.append(character)
        }
        return result
    }
}

extension EventPhrases {
    /// What opened a frame, in words.
    func phrase(_ frame: OpenFrame) -> String {
        switch frame.opener {
        case .stimulusBegan: "stimulus “\(TerminalText.escaped(frame.text))”"
        case .hopBegan: frame.node == 0 ? "hop" : "hop: \(node(frame.node))"
        case .batchBegan: "batch"
        case .completed: "\(node(frame.node)) completed" + delivery(frame)
        case .failed: "\(node(frame.node)) failed" + delivery(frame)
        default: "\(node(frame.node)) emitted \(value(frame.value))" + delivery(frame)
        }
    }

    private func delivery(_ frame: OpenFrame) -> String {
        frame.subscription == 0 ? "" : " → \(subscriber(frame.subscription))"
    }
}
