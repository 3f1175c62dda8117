import WeirAnalysis
import WeirReport
import WeirTrace

/// The screen of a replay, as lines that fit it.
struct ReplayScreen {
    let columns: Int
    let rows: Int
    let style: Style

    /// Exactly `rows` lines of at most `columns` columns.
    func lines(_ session: ReplaySession, _ controls: ReplayControls) -> [String] {
        let last = lastLine(session, controls)
        let room = max(0, rows - 1)
        var lines = controls.page.map { Array($0.lines.dropFirst($0.top(rows: room))) } ?? body(session, room)
        lines = Array(lines.prefix(room))
        lines += Array(repeating: "", count: room - lines.count)
        return (lines + [last]).prefix(max(1, rows)).map { ScreenText.cut($0, to: columns) }
    }

    private func body(_ session: ReplaySession, _ room: Int) -> [String] {
        // A low terminal has no room for more than the values.
        let track = rows < 12 ? [] : [session.track.bar(session.timeline.position, columns: columns, style: style)]
        let top =
            [status(session)] + track + happening(session, atMost: max(2, room / 3)) + expressions(session) + [""]
        let rest = room - top.count
        let isRoomy = rest > session.places.count + 1
        let fields = fields(session, atMost: isRoomy ? rest - session.places.count - 1 : rest / 3)
        return top + table(session, atMost: rest - fields.count) + fields
    }

    /// The fields that the last change of the selected node changed, if there is room below the table.
    private func fields(_ session: ReplaySession, atMost limit: Int) -> [String] {
        guard limit >= 5, let id = session.selectedNode, let node = session.state.node(id),
            let change = node.lastChange,
            ValueFields(node.value) != nil, let former = session.formerValue(of: id),
            let changes = ValueFields.differences(former, node.value)
        else { return [] }
        let phrases = EventPhrases(session.request.topology.definitions)
        let title = "  \(phrases.node(id)), changed by \(change):"
        if changes.isEmpty { return ["", title + " no field differs"] }
        let shown = changes.prefix(changes.count > limit - 3 ? limit - 4 : limit - 3)
        var table = TextTable([.left("Field", .name), .left("Before", .faint), .left("After", .value)])
        let half = max(8, columns / 3)
        for change in shown {
            table.add(
                [change.name, change.before, change.after].map { TerminalText.cut(TerminalText.escaped($0), to: half) })
        }
        let more = changes.count - shown.count
        return ["", title] + table.lines(style: style).map { "    " + $0 }
            + (more > 0 ? [style(.faint, "    and \(Figures.count(more)) more")] : [])
    }

    /// "login.weir  event 92 of 166 (1:92) · 55 µs · stimulus 3 “type password”".
    private func status(_ session: ReplaySession) -> String {
        let state = session.state
        let total = " of \(Figures.count(session.track.events))"
        var facts = [
            state.order == 0
                ? "beginning, 0\(total)"
                : "event \(Figures.count(state.order))\(total)" + (session.event.map { " (\($0.id))" } ?? ""),
            Figures.duration(nanoseconds: session.timeline.timeScale.nanosecondsSinceStart(state.ticks)),
        ]
        // First, since the end may be cut off.
        if !session.filter.isEmpty {
            let filter = TerminalText.cut(TerminalText.escaped(session.filter), to: 20)
            facts.insert("only “\(filter)”", at: 0)
        }
        if session.showsAll { facts.insert("all nodes", at: 0) }
        let open = session.openFrames.last { $0.opener == .stimulusBegan }
        if let stimulus = open ?? state.lastStimulus {
            facts.append(
                (open == nil ? "after " : "") + "stimulus \(Figures.count(stimulus.stimulusNumber)) “"
                    + TerminalText.cut(TerminalText.escaped(stimulus.text), to: 40) + "”")
        }
        let name = session.request.path.split(separator: "/").last.map(String.init) ?? session.request.path
        return style(.strong, TerminalText.escaped(name)) + "  " + facts.joined(separator: " · ")
    }

    /// The open frames, outermost first, and below them the last event.
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
            var reason = ""
            if case .unknown(let unknown) = judgement {
                reason = ": " + Wording.reason(unknown, session.request.topology.definitions)
            }
            return "  " + style(.faint, word) + " " + TerminalText.escaped(named.text) + "  " + lines.text(judgement)
                + reason
        }
        return session.watches.map { line("watch", $0, $0.condition.judgement(in: session.state)) }
            + session.breaks.map { line("break", $0, $0.condition.truth(in: session.state)) }
    }

    private func table(_ session: ReplaySession, atMost limit: Int) -> [String] {
        let places = session.places
        guard limit >= 2 else { return [] }
        guard !places.isEmpty else { return [style(.faint, "  " + noNode(session))] }
        let selection = session.selection(in: places)
        var height = limit - 1
        // Two rows say how many are hidden, if there is room for them.
        let showsHidden = places.count > height && height >= 4
        if showsHidden { height -= 2 }
        let first = max(0, min(selection - height / 2, places.count - height))
        let rows = first..<min(places.count, first + height)
        // Over all rows, so that columns do not jump while scrolling, unless there are so many that it takes too long.
        let measured = places.count <= 1000 ? places.indices : rows
        let (since, order) = (session.marksSince, session.state.order)
        let table = StateTable(
            session.state, timeScale: session.timeline.timeScale,
            phrases: EventPhrases(session.request.topology.definitions), width: columns - 2
        ) { $0.changeOrder >= since && $0.changeOrder <= order && $0.changeOrder > 0 }
        let all = table.lines(Array(places[measured]), style: style)
        let shown = zip(rows, all.dropFirst(1 + rows.lowerBound - measured.lowerBound)).map { row, line in
            (row == selection ? "▸ " : "  ") + line
        }
        func hidden(_ count: Int, _ sign: String, _ place: String) -> [String] {
            guard showsHidden else { return [] }
            return [count == 0 ? "" : style(.faint, "  \(sign) \(Figures.count(count)) more \(place)")]
        }
        return ["  " + all[0]] + hidden(rows.lowerBound, "↑", "above") + shown
            + hidden(places.count - rows.upperBound, "↓", "below")
    }

    /// Why the table is empty.
    private func noNode(_ session: ReplaySession) -> String {
        let nodes = session.state.nodes
        if nodes.isEmpty { return "the trace has no nodes" }
        let released = nodes.count { $0.life == .released }
        let count = Figures.count(nodes.count, "node")
        if released == nodes.count { return "\(count), all released: ← goes back, a shows them" }
        if released == 0 { return "\(count), none heard of so far: → goes on, a shows them" }
        return "\(count), \(Figures.count(released)) released and the others not yet heard of: a shows them"
    }

    private func lastLine(_ session: ReplaySession, _ controls: ReplayControls) -> String {
        if let prompt = controls.prompt {
            return style(.strong, prompt.rawValue) + TerminalText.escaped(controls.typed) + "▏"
        }
        if controls.page != nil { return style(.faint, "↑ ↓ Page Up  Page Down scroll  any other key goes back") }
        if let message = session.message { return style(.warning, message) }
        return style(.faint, "→ ← event  t turn  s stimulus  n change  y why  c break  b w g / f a  ? help")
    }
}
