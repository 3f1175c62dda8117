import WeirAnalysis
import WeirTrace

/// The output of `weir replay --at`: the state of the nodes at one moment.
package struct StateReport {
    /// The state.
    package let state: TraceState
    /// The last event before the moment; nil: there is none.
    package let lastEvent: TraceEvent?
    /// The path of the trace, as given by the user.
    package let path: String
    /// The ids of the reported nodes; nil: all.
    package var nodes: [UInt32]?
    /// Whether to include nodes that are not yet created, or already released.
    package var showsAll = false
    /// Nodes that changed at or after this position are marked.
    package var marksSince: UInt64
    /// A remark about the moment, such as the number of stimuli with the same name.
    package var remark: String?
    /// The stimulus that names the moment and has ended by then: its number and its text.
    package var stimulus: (number: UInt64, text: String)?
    /// The last release of a node before the moment, if no node is alive.
    package var lastRelease: TraceEvent?
    /// The maximum width of a line, in columns; nil: enough for values of at most 60 columns.
    package var width: Int?

    let timeScale: TimeScale
    private let phrases: EventPhrases

    /// A report on the moment of `state`.
    package init(_ state: TraceState, lastEvent: TraceEvent?, timeScale: TimeScale, path: String, style: Style = .plain)
    {
        self.state = state
        self.lastEvent = lastEvent
        self.timeScale = timeScale
        self.path = path
        self.style = style
        phrases = EventPhrases(state.topology.definitions, style: style)
        marksSince = max(1, state.order)
    }

    private let style: Style

    /// The report for a person.
    package var text: String { (heading + [""] + table + rest).joined(separator: "\n") + "\n" }

    /// The time, the last event, and the current stimulus.
    package var heading: [String] {
        let time = Figures.duration(nanoseconds: timeScale.nanosecondsSinceStart(state.ticks))
        var lines = [
            style(.strong, TerminalText.escaped(path)) + " at " + style(.strong, time) + ", after "
                + (state.order == 0 ? "no event" : Figures.count(state.order, "event")) + place
        ]
        // The heading already names the ended stimulus.
        if let lastEvent, stimulus == nil || lastEvent.kind != .stimulusEnded {
            lines.append("  last: " + style(.faint, "\(lastEvent.id)  ") + phrases.phrase(lastEvent))
        }
        if let remark { lines.append("  " + style(.faint, remark)) }
        return lines
    }

    /// ", within stimulus 4 “tap Login”"; ", after …" if the stimulus has ended.
    private var place: String {
        if let stimulus { return ", after " + Self.phrase(stimulus.number, stimulus.text) }
        let frames = lastEvent.map { state.openFrames(ofThread: $0.id.thread) } ?? []
        let open = frames.last { $0.opener == .stimulusBegan }
        guard let shown = open ?? state.lastStimulus else { return "" }
        return (open == nil ? ", after " : ", within ") + Self.phrase(shown.stimulusNumber, shown.text)
    }

    private static func phrase(_ number: UInt64, _ text: String) -> String {
        "stimulus \(Figures.count(number)) “" + TerminalText.cut(TerminalText.escaped(text), to: 60) + "”"
    }

    /// The indices of the reported nodes.
    package var shownPlaces: [Int] {
        let topology = state.topology
        let places = nodes.map { $0.compactMap { topology.place(ofNode: $0) } } ?? Array(topology.nodeIDs.indices)
        // Requested nodes are always included.
        return showsAll || nodes != nil ? places : places.filter { state.nodes[$0].life == .alive }
    }

    private var table: [String] {
        let places = shownPlaces
        guard !places.isEmpty else { return ["  " + nothingAlive] }
        return StateTable(self, phrases: EventPhrases(state.topology.definitions)).lines(places, style: style)
    }

    private var nothingAlive: String {
        let released = state.nodes.count { $0.life == .released }
        guard let lastRelease else { return "No node is alive." }
        let time = Figures.duration(nanoseconds: timeScale.nanosecondsSinceStart(lastRelease.ticks))
        let nodes = released == 1 ? "The only node was" : "All \(Figures.count(released, "node")) were"
        return
            "No node is alive. \(nodes) released by \(lastRelease.id), \(time) after the start; --all shows the last values."
    }

    private var rest: [String] {
        var lines: [String] = []
        func remark(_ text: String) { lines.append(style(.faint, "  " + text)) }
        if shownPlaces.contains(where: { isMarked(state.nodes[$0]) }) {
            let when = stimulus.map { "by stimulus \(Figures.count($0.number))" } ?? "with this event"
            remark("\(Self.mark) changed \(when)")
        }
        let topology = state.topology
        let hidden = shownPlaces.filter { place in
            topology.storesEqualValues[place] && state.nodes[place].silentWrite != nil
                && state.nodes[place].value.isPartial
        }
        for place in hidden.prefix(3) {
            let write = state.nodes[place].silentWrite.map { " at \($0)" } ?? ""
            remark(
                "\(phrases.node(topology.nodeIDs[place])) has since stored a value\(write) that `==` calls equal, and that the trace "
                    + "does not hold")
        }
        if hidden.count > 3 { remark("\(Figures.count(hidden.count - 3)) more nodes have stored such a value") }
        guard nodes == nil, !showsAll else { return lines }
        let unmade = state.nodes.count { $0.life == .unmentioned }
        let released = state.nodes.count { $0.life == .released }
        if unmade > 0 { remark("\(Figures.count(unmade, "node")) not yet made, or not heard of until then (--all)") }
        if released > 0, lastRelease == nil { remark("\(Figures.count(released, "node")) already released (--all)") }
        return lines
    }

    static let mark = "●"

    func isMarked(_ node: NodeState) -> Bool { node.changeOrder >= max(1, marksSince) }
}

extension StateReport {
    /// The report for a program; 'What the command prints as JSON' lists its fields.
    package var json: JSONValue {
        let definitions = state.topology.definitions
        let open = lastEvent.map { state.openFrames(ofThread: $0.id.thread) }?.last { $0.opener == .stimulusBegan }
        return [
            "path": .string(path),
            "position": .unsigned(state.order),
            "nanoseconds": .unsigned(timeScale.nanosecondsSinceStart(state.ticks)),
            "event": lastEvent.map { EventLines(definitions, timeScale: timeScale).json($0) } ?? .null,
            "stimulus": (open ?? state.lastStimulus).map { stimulus in
                [
                    "number": .unsigned(stimulus.stimulusNumber), "text": .string(stimulus.text),
                    "event": .string(stimulus.id.description), "open": .bool(open != nil),
                ]
            } ?? .null,
            "nodes": .array(shownPlaces.map(json)),
        ]
    }

    private func json(_ place: Int) -> JSONValue {
        let id = state.topology.nodeIDs[place]
        let node = state.nodes[place]
        let definition = state.topology.definitions.nodes[id]
        let life =
            switch node.life {
            case .unmentioned: "notYetMade"
            case .alive: "alive"
            case .released: "released"
            }
        return [
            "node": .unsigned(UInt64(id)),
            "name": .string(state.topology.definitions.name(ofNode: id)),
            "kind": definition?.kind.map { .string($0.name) } ?? .null,
            "site": definition?.site.map { .string($0.description) } ?? .null,
            "state": .string(life),
            "value": node.value.json,
            "valueForm": .string(node.value.formName),
            "changedBy": node.lastChange.map { .string($0.description) } ?? .null,
            "silentWrite": node.silentWrite.map { .string($0.description) } ?? .null,
            "changedAtNanoseconds": node.lastChange == nil
                ? .null : .unsigned(timeScale.nanosecondsSinceStart(node.changeTicks)),
            "changedNow": .bool(isMarked(node)),
            "emissions": .unsigned(node.emissions),
            "refreshes": .unsigned(node.refreshes),
            "suppressed": .unsigned(node.suppressions),
            "liveSubscribers": .signed(Int64(node.liveHandlers)),
            "liveInternalSubscribers": .signed(Int64(node.liveEdges)),
        ]
    }
}

extension TraceValue {
    /// Whether it shows only parts of a value, so that an equal one may differ.
    fileprivate var isPartial: Bool {
        switch self {
        case .described, .cutDescription, .hashedDescription, .fingerprint: true
        default: false
        }
    }
}
