import WeirAnalysis
import WeirReport
import WeirTrace

/// A walk through a trace: its position, its view, and its steps. It knows nothing of terminals.
///
/// Invariant: `event` is the event that led to the timeline's position; nil only at position 0.
final class ReplaySession {
    enum Direction { case forward, backward }

    /// The extent of a step.
    enum Step {
        case event, turn, stimulus
        /// To the next change of the selected node.
        case change
    }

    let timeline: Timeline
    let request: ReplayRequest
    private(set) var event: TraceEvent?
    /// Nodes that changed at or after this position are highlighted.
    private(set) var marksSince: UInt64 = 1
    /// The message of the last command; nil if only the state is new.
    var message: String?
    var watches: [NamedCondition]
    var breaks: [NamedCondition]
    /// Shows only nodes whose names contain it.
    var filter = ""
    /// Whether released nodes are shown, too.
    var showsAll = false
    /// The row that was selected last, and the id of its node: rows come and go.
    var selected: (row: Int, node: UInt32?) = (0, nil)
    private var searched = ""
    /// The last search that found nothing, and where it began: from further on, it would find nothing either.
    private var exhausted: (search: String, direction: Direction, position: UInt64)?
    let names: NodesWithState
    let phrases: EventPhrases
    let track: ReplayTrack
    /// The value before a change, of the node and change that were looked at last.
    private var former: (node: UInt32, change: UInt64, value: TraceValue)?

    init(_ request: ReplayRequest) throws {
        self.request = request
        timeline = try Timeline(request.reader)
        watches = request.watches
        breaks = request.breaks
        names = NodesWithState(request.topology, path: request.path)
        phrases = EventPhrases(request.topology.definitions)
        track = ReplayTrack(request.reader)
    }

    var state: TraceState { timeline.state }

    /// The indices of the visible nodes.
    var places: [Int] { places(filter) }

    func places(_ filter: String) -> [Int] {
        let topology = timeline.topology
        let all = request.nodes.map { $0.compactMap { topology.place(ofNode: $0) } } ?? Array(topology.nodeIDs.indices)
        let wanted = filter.lowercased()
        return all.filter { place in
            guard wanted.isEmpty else { return name(place).holds(wanted) }
            return showsAll || request.nodes != nil || state.nodes[place].life == .alive
        }
    }

    /// The row of `places` that is selected.
    func selection(in places: [Int]) -> Int {
        let place = selected.node.flatMap { timeline.topology.place(ofNode: $0) }
        return place.flatMap { places.firstIndex(of: $0) } ?? max(0, min(selected.row, places.count - 1))
    }

    /// The id of the selected node; nil if none is shown.
    var selectedNode: UInt32? {
        let places = places
        return places.isEmpty ? nil : timeline.topology.nodeIDs[places[selection(in: places)]]
    }

    /// The open frames around the last event, outermost first, including the event itself if it opened one.
    var openFrames: [OpenFrame] { event.map { state.openFrames(ofThread: $0.id.thread) } ?? [] }

    /// Whether the end is reached.
    var isAtEnd: Bool { timeline.eventCount == timeline.position }

    /// The value that a node had before its last change; nil if that was its first one.
    ///
    /// Goes back in the timeline, and returns; at most by the distance of two states that the timeline keeps.
    func formerValue(of id: UInt32) -> TraceValue? {
        guard let node = state.node(id), node.changeOrder > 0 else { return nil }
        if let former, former.node == id, former.change == node.changeOrder { return former.value }
        let position = timeline.position
        timeline.move(to: node.changeOrder - 1)
        let value = state.node(id)?.value ?? .notRecorded
        timeline.move(to: position)
        former = (id, node.changeOrder, value)
        return value
    }

    func name(_ place: Int) -> String {
        request.topology.definitions.name(ofNode: timeline.topology.nodeIDs[place]).lowercased()
    }
}

// MARK: moves

extension ReplaySession {
    /// Goes to where there is something to see: the first stimulus, otherwise the first event that mentions a node.
    func open() {
        var firstOfNode: UInt64?
        var hasStimulus = false
        // Only as many events as can be read without a noticeable delay.
        let found = timeline.forward { event in
            if firstOfNode == nil, timeline.topology.place(ofEvent: event) != nil { firstOfNode = timeline.position }
            hasStimulus = event.kind == .stimulusBegan
            return !hasStimulus && timeline.position < 10_000
        }
        if hasStimulus, let found {
            event = found
            marksSince = timeline.position
        } else {
            arrive(at: firstOfNode ?? 0)
        }
    }

    /// Goes one step; if there is none, it stays and shows a message.
    func go(_ step: Step, _ direction: Direction) {
        switch step {
        case .event: direction == .forward ? go(toNext: "event") { _, _ in true } : goBackOneEvent()
        case .turn: go(direction, "turn", isStep: true) { event, _ in event.isOutermost }
        case .stimulus: go(direction, "stimulus", isStep: true) { event, _ in event.kind == .stimulusBegan }
        case .change:
            guard let node = selectedNode else { return say("no node is selected") }
            go(direction, "change of \(phrases.node(node))", id: "change of \(node)") { event, _ in
                event.kind == .emitted && !event.isReplayed && event.subject == node
            }
        }
    }

    /// Goes to where a breakpoint's condition becomes true.
    func run(_ direction: Direction) {
        guard !breaks.isEmpty else { return say("no breakpoint is set; b sets one") }
        var watch = breaks.map { BreakWatch($0) }
        var hit: NamedCondition?
        func isHit(_ event: TraceEvent, _ state: TraceState) -> Bool {
            var isHit = false
            for place in watch.indices where watch[place].isHit(by: event, state) {
                isHit = true
                hit = watch[place].named
            }
            return isHit
        }
        let begin: (TraceState) -> Void = { state in
            for place in watch.indices { watch[place].begin(in: state) }
        }
        direction == .forward
            ? go(toNext: "break", from: begin, where: isHit) : go(toLast: "break", from: begin, where: isHit)
        guard message == nil, let hit else { return }
        report(hit)
    }

    /// Selects the node that made a condition true, and shows a message.
    private func report(_ hit: NamedCondition) {
        let text = "break: \(TerminalText.escaped(hit.text))"
        let nodes = hit.condition.nodes
        guard let node = nodes.first(where: { $0 == event?.subject }) ?? nodes.first else { return say(text) }
        select(node: node)
        let madeIt = event?.kind == .emitted && event?.subject == node
        say(madeIt ? "\(text): \(phrases.node(node)) made it true; y shows why" : text)
    }

    /// Goes to the next event whose text contains `text`; if it is empty, repeats the last search.
    func search(_ text: String, _ direction: Direction = .forward) {
        if !text.isEmpty { searched = text.lowercased() }
        guard !searched.isEmpty else { return say("nothing was searched so far") }
        let wanted = searched
        go(direction, "event with “\(TerminalText.escaped(wanted))”") { [phrases] event, _ in
            phrases.phrase(event).lowercased().holds(wanted)
        }
    }

    /// Goes to a moment, in the syntax of `--at`, or to a position: "@607".
    func jump(_ text: String) {
        if text.hasPrefix("@"), let position = UInt64(text.dropFirst()) { return jump(to: position) }
        guard let moment = Moments.parse(text) else { return say("that is no moment; give \(Moments.expectation)") }
        var problem = ""
        attempt { _ in
            do throws(MomentError) { try timeline.move(to: moment) } catch {
                problem = Wording.problem(error, text)
                return false
            }
            if !timeline.wasInterrupted { arrive(marksSince: timeline.position) }
            return true
        } orSay: {
            problem
        }
    }

    private func jump(to position: UInt64) {
        if position == 0 { return goToBeginning() }
        attempt { _ in
            guard timeline.move(to: position) == position || timeline.wasInterrupted else { return false }
            if !timeline.wasInterrupted { arrive(marksSince: position) }
            return true
        } orSay: {
            "there is no event @\(position)" + (timeline.eventCount.map { "; the last is @\($0)" } ?? "")
        }
    }

    func goToBeginning() {
        timeline.move(to: 0)
        event = nil
        (marksSince, message) = (1, nil)
    }

    func goToEnd() { jump("end") }

    /// Goes to the next or last wanted event; `id` tells the search from others, and is `what` if it is nil.
    private func go(
        _ direction: Direction, _ what: String, id: String? = nil, isStep: Bool = false,
        _ isWanted: (TraceEvent, TraceState) -> Bool
    ) {
        let (search, start) = (id ?? what, timeline.position)
        let nothing = "no \(direction == .forward ? "further" : "earlier") \(what)"
        if let exhausted, exhausted.search == search, exhausted.direction == direction,
            direction == .forward ? start >= exhausted.position : start <= exhausted.position
        {
            return say(nothing)
        }
        direction == .forward
            ? go(toNext: what, isStep: isStep, where: isWanted) : go(toLast: what, where: isWanted)
        if message == nothing { exhausted = (search, direction, start) }
    }

    /// Forward; after a step it highlights all changes within it, otherwise only the change by the event found.
    private func go(
        toNext what: String, isStep: Bool = false, from begin: (TraceState) -> Void = { _ in },
        where isWanted: (TraceEvent, TraceState) -> Bool
    ) {
        attempt { before in
            begin(state)
            guard let found = timeline.forward({ !isWanted($0, timeline.state) }) else { return false }
            event = found
            marksSince = isStep ? before + 1 : timeline.position
            return true
        } orSay: {
            "no further \(what)"
        }
    }

    /// Backward: segment by segment, each from a checkpoint, so that a condition sees the state before it.
    private func go(
        toLast what: String, from begin: (TraceState) -> Void = { _ in },
        where isWanted: (TraceEvent, TraceState) -> Bool
    ) {
        attempt { _ in
            guard timeline.backward(beginning: { begin(state) }, to: { isWanted($0, state) }) != nil else {
                return false
            }
            arrive(marksSince: timeline.position)
            return true
        } orSay: {
            "no earlier \(what)"
        }
    }

    private func goBackOneEvent() {
        guard timeline.position > 0 else { return say("this is the beginning") }
        if timeline.position == 1 { return goToBeginning() }
        message = nil
        arrive(at: timeline.position - 1)
    }

    /// Goes to a position, with the event that leads there.
    private func arrive(at position: UInt64) {
        timeline.move(to: position)
        arrive(marksSince: position)
    }

    /// Takes the event that led to the timeline's position.
    private func arrive(marksSince: UInt64) {
        let position = timeline.position
        self.marksSince = max(1, marksSince)
        event = nil
        guard position > 0 else { return }
        timeline.move(to: position - 1)
        timeline.forward {
            event = $0
            return false
        }
    }

    /// Tries a move; if it fails or is interrupted, the walk returns to where it was.
    func attempt(
        _ way: (UInt64) -> Bool, orSay failure: () -> String
    ) {
        let before = timeline.position
        message = nil
        let hasArrived = way(before)
        if hasArrived, !timeline.wasInterrupted { return }
        let wasInterrupted = timeline.wasInterrupted
        let goesOn = timeline.shallGoOn
        timeline.shallGoOn = nil
        timeline.move(to: before)
        timeline.shallGoOn = goesOn
        message = wasInterrupted ? "interrupted" : failure()
    }

    func say(_ text: String) { message = text }
}

extension Topology {
    /// The index of the node that an event is about; nil if it is about none.
    func place(ofEvent event: TraceEvent) -> Int? { event.isOfNode ? place(ofNode: event.subject) : nil }
}

extension String {
    /// Whether it contains a text; the standard library's own search needs a newer system than the package does.
    func holds(_ part: String) -> Bool {
        var rest = utf8[...]
        while rest.count >= part.utf8.count {
            if rest.starts(with: part.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
