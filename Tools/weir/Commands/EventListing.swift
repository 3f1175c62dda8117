import WeirAnalysis
import WeirReport
import WeirTrace

/// One listing of events: of a finished trace in one go, or of a growing one round by round.
final class EventListing {
    private let path: String
    private let console: Console
    private let format: OutputFormat
    private let style: Style
    private let query: EventQuery
    private let stimulus: String?
    private let reader: TraceReader
    private let timeScale: TimeScale
    private var definitions: TraceDefinitions
    private var filter: EventFilter
    private var lines: EventLines
    private var left: UInt64

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        self.console = console
        format = try arguments.choice("format", OutputFormat.self) ?? .text
        style = try console.style(arguments)
        left =
            try arguments.value("limit", expecting: "a number above 0") {
                UInt64($0).flatMap { $0 > 0 ? $0 : nil }
            } ?? .max
        query = try EventQuery(arguments)
        stimulus = arguments.value("stimulus")
        path = arguments.positional[0]
        reader = try TraceReader(path: path)
        timeScale = TimeScale(reader.header)
        definitions = try reader.definitions()
        filter = query.filter(definitions, timeScale)
        lines = EventLines(definitions, timeScale: timeScale, style: style)
    }

    /// Prints what the file holds now.
    func printAll() throws {
        filter.nodes = try query.nodeIDs(definitions, path)
        try reader.forEachEvent(print)
        guard left > 0 else { return }
        try complainOfUnmatchedStimulus()
        try complainOfLosses()
    }

    /// Prints what the file holds, then what is added, until the trace is closed or its writer is gone.
    func follow() throws {
        var idleRounds = 0
        while true {
            try takeUpDefinitions()
            var isIdle = true
            try reader.forEachNewEvent { event in
                isIdle = false
                try takeUpDefinitions(of: event)
                return try print(event)
            }
            try console.output.flush()
            guard left > 0 else { return }
            if reader.header.isClosed { break }
            idleRounds = isIdle ? idleRounds + 1 : 0
            // The number of the process may be of another machine: only one that is also silent is gone.
            let process = reader.header.processID
            if idleRounds >= Self.patience, process != 0, !System.isRunning(process) {
                console.complain(Wording.writerGone(path, process))
                break
            }
            System.sleep(milliseconds: Self.pause)
            reader.refresh()
        }
        _ = try query.nodeIDs(definitions, path)
        try complainOfUnmatchedStimulus()
        try complainOfLosses()
    }

    private static let pause: UInt32 = 100
    private static let patience = 10

    private func print(_ event: TraceEvent) throws(OutputError) -> Bool {
        guard filter.passes(event) else { return true }
        try console.output.write((format == .text ? lines.text(event) : lines.json(event).text) + "\n")
        left -= 1
        return left > 0
    }

    private func takeUpDefinitions() throws(TraceError) { takeUp(try reader.definitions()) }

    private func takeUp(_ new: TraceDefinitions) {
        definitions = new
        filter.update(definitions)
        // While a trace is followed, a node may still be made.
        do { filter.nodes = try query.nodeIDs(definitions, path) } catch { filter.nodes = [] }
        lines = EventLines(definitions, timeScale: timeScale, style: style)
    }

    /// What an event mentions may have been defined after this round began.
    private func takeUpDefinitions(of event: TraceEvent) throws(TraceError) {
        let isKnown =
            switch event.kind {
            case .emitted, .suppressed, .nodeCreated, .nodeReleased: definitions.nodes[event.subject] != nil
            case .deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded:
                definitions.subscriptions[event.subject] != nil
            case .objectTracked, .objectReleased: definitions.objects[event.subject] != nil
            case .deliveryEnded, .context, .eventsLost, .stimulusBegan, .stimulusEnded, .frame, .checkpoint:
                true
            }
        guard !isKnown, unknown.count < 1000, unknown.insert(Unknown(event)).inserted else { return }
        // It may be in a chunk that was not yet in use when this round began: only a new reader sees that now.
        try takeUp(TraceReader(path: path).definitions())
    }

    // Ids that are defined nowhere: not a reason to read all definitions again for each of their events.
    private var unknown: Set<Unknown> = []

    private struct Unknown: Hashable {
        let subject: UInt32
        let isSubscription: Bool

        init(_ event: TraceEvent) {
            subject = event.subject
            isSubscription = [.deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded]
                .contains(event.kind)
        }
    }

    private func complainOfUnmatchedStimulus() throws {
        guard let stimulus, filter.matchedStimuli == 0 else { return }
        let known = try console.summary(of: reader, path).stimuli.prefix(6).map(\.text)
        throw UsageError.noSuchStimulus(stimulus, trace: path, known: known)
    }

    private func complainOfLosses() throws(OutputError) {
        try console.output.flush()
        if let first = reader.damage.first {
            console.complain(Wording.damaged(path, reader.damageCount, first: first))
        }
        if let lost = reader.header.lostEvents, lost > 0 { console.complain(Wording.lost(path, lost)) }
    }
}
