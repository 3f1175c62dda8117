import WeirAnalysis
import WeirReport
import WeirTrace

/// One listing of events: of a finished trace in one pass, or of a growing one round by round.
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
    private var hasPrinted = false

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
        path = try arguments.tracePath()
        reader = try arguments.has("follow") ? Self.waitForTrace(path, console) : TraceReader(path: path)
        timeScale = TimeScale(reader.header)
        definitions = try reader.definitions()
        filter = query.filter(definitions, timeScale)
        lines = EventLines(definitions, timeScale: timeScale, style: style)
    }

    /// Prints what the file holds now.
    func printAll() throws {
        filter.nodes = try query.nodeIDs(definitions, path)
        if query.isFiltered, let ofRecords = filter.ofRecords {
            try reader.forEachEvent(passing: ofRecords, print)
        } else {
            try reader.forEachEvent(print)
        }
        guard left > 0 else { return }
        try complainOfUnmatched()
        try complainOfLosses()
    }

    /// Opens the trace, as soon as it exists.
    private static func waitForTrace(_ path: String, _ console: Console) throws(TraceError) -> TraceReader {
        var hasWaited = false
        // A new file may still lack its header.
        var unfinishedRounds = 0
        while true {
            do { return try TraceReader(path: path) } catch {
                switch error {
                case .missing:
                    if !hasWaited { console.complain(Wording.waiting(path)) }
                    hasWaited = true
                case _ where hasWaited && unfinishedRounds < patience: unfinishedRounds += 1
                default: throw error
                }
            }
            System.sleep(milliseconds: pause)
        }
    }

    /// Prints the file's events, then later ones, until the trace is closed or its writer is gone.
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
            // The process id may be from another machine: a writer is gone only if it is silent, too.
            let process = reader.header.processID
            if idleRounds >= Self.patience, process != 0, !System.isRunning(process) {
                console.complain(Wording.writerGone(path, process))
                break
            }
            System.sleep(milliseconds: Self.pause)
            reader.refresh()
        }
        _ = try query.nodeIDs(definitions, path)
        try complainOfUnmatched()
        try complainOfLosses()
    }

    private static let pause: UInt32 = 100
    private static let patience = 10

    private func print(_ event: TraceEvent) throws(OutputError) -> Bool {
        guard filter.passes(event) else { return true }
        hasPrinted = true
        switch format {
        case .text: try console.show(lines.text(event) + "\n")
        case .json: try console.output.write(lines.json(event).text + "\n")
        }
        left -= 1
        return left > 0
    }

    private func takeUpDefinitions() throws(TraceError) { takeUp(try reader.definitions()) }

    private func takeUp(_ new: TraceDefinitions) {
        definitions = new
        filter.update(definitions)
        // The program may still make a node while the trace is followed.
        do { filter.nodes = try query.nodeIDs(definitions, path) } catch { filter.nodes = [] }
        lines = EventLines(definitions, timeScale: timeScale, style: style)
    }

    /// Reads definitions again if the event refers to one that was written after this round began.
    private func takeUpDefinitions(of event: TraceEvent) throws(TraceError) {
        let isKnown =
            switch event.kind {
            case .emitted, .completed, .failed, .suppressed, .nodeCreated, .nodeReleased:
                definitions.nodes[event.subject] != nil
            case .hopBegan: event.subject == 0 || definitions.nodes[event.subject] != nil
            case .deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded, .hopScheduled:
                event.isSettling || definitions.subscriptions[event.subject] != nil
            case .objectTracked, .objectReleased, .objectExpected: definitions.objects[event.subject] != nil
            case .written: event.count == 0 || definitions.writeSite(of: event) != nil
            case .deliveryEnded, .context, .eventsLost, .stimulusBegan, .stimulusEnded, .hopEnded, .batchBegan,
                .batchEnded, .frame, .checkpoint, .snapshotTaken:
                true
            }
        guard !isKnown, unknown.count < 1000, unknown.insert(Unknown(event)).inserted else { return }
        // It may be in a chunk that was unused when this round began: only a new reader sees it.
        try takeUp(TraceReader(path: path).definitions())
    }

    // Ids without any definition, so that their later events do not cause all definitions to be read again.
    private var unknown: Set<Unknown> = []

    private struct Unknown: Hashable {
        let subject: UInt32
        let writeSite: UInt64
        let isSubscription: Bool

        init(_ event: TraceEvent) {
            subject = event.subject
            writeSite = event.kind == .written ? event.count : 0
            isSubscription = [.deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded, .hopScheduled]
                .contains(event.kind)
        }
    }

    private func complainOfUnmatched() throws {
        if let stimulus, filter.matchedStimuli == 0 {
            let texts = try console.summary(of: reader, path).stimuli.map(\.text)
            throw UsageError.noSuchStimulus(
                stimulus, trace: path, nearest: Spelling.nearest(to: stimulus, among: texts),
                known: Array(texts.prefix(6)))
        }
        if !hasPrinted { console.complain(Wording.noMatch(path, isFiltered: query.isFiltered)) }
    }

    private func complainOfLosses() throws(OutputError) {
        try console.output.flush()
        if let first = reader.damage.first {
            console.complain(Wording.damaged(path, reader.damageCount, first: first))
        }
        if let lost = reader.header.lostEvents, lost > 0 { console.complain(Wording.lost(path, lost)) }
    }
}
