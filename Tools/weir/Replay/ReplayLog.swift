import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir replay` without a screen: prints changes as the trace plays, and stops where a condition becomes true.
final class ReplayLog {
    private let request: ReplayRequest
    private let console: Console
    private let printer: ChangePrinter
    private let chosen: Set<UInt32>?
    private let showsChanges: Bool
    private var watches: [Followed]
    private var breaks: [Followed]
    private var pace: Pace?
    private var hit: (condition: NamedCondition, event: TraceEvent, state: TraceState)?
    /// The state at the end; nil if it was not reached.
    private var end: TraceState?

    init(_ request: ReplayRequest, _ console: Console) {
        self.request = request
        self.console = console
        printer = ChangePrinter(request, console)
        chosen = request.nodes.map(Set.init)
        showsChanges = request.nodes != nil || request.breaks.isEmpty && request.watches.isEmpty
        let start = TraceState(request.topology, startTicks: request.reader.header.startTicks)
        watches = request.watches.map { Followed($0, asTruth: false, start) }
        breaks = request.breaks.map { Followed($0, asTruth: true, start) }
        pace = request.speed.map { Pace(speed: $0, timeScale: request.timeScale) }
    }

    func run() throws -> ExitCode {
        for watch in watches {
            try printer.print(watch: watch.named.text, from: nil, to: watch.watch.judgement, at: nil)
        }
        do { try play() } catch let error as MomentError {
            throw try Moments.usageError(
                for: error, of: request.arguments.value("until") ?? "", request.reader, request.path, console)
        }
        try printer.finish()
        let code = try conclude()
        return try console.conclude(request.reader, request.path, request.arguments, otherwise: code)
    }

    /// Plays the events one after the other.
    private func play() throws {
        try console.showingProgress(of: request.path) { report in
            // A bar and lines on the same terminal would overwrite each other.
            let report = showsChanges || !watches.isEmpty ? nil : report
            var pass = try MomentPass(request.reader, request.topology, to: request.until ?? .end, reporting: report)
            var pending: (event: TraceEvent, before: TraceValue)?
            try pass.run(reporting: report) { event, before in
                if let pending, try !happened(pending.event, before: pending.before, before) { return false }
                pending = (event, before.value(beforeEmission: event))
                if let pause = pace?.pause(before: event) {
                    try console.output.flush()
                    pause()
                }
                return true
            }
            if hit == nil, let pending { _ = try happened(pending.event, before: pending.before, pass.state) }
            end = pass.state
        }
    }

    /// Processes an event that has just happened; returns false to stop the replay here.
    private func happened(_ event: TraceEvent, before: TraceValue, _ state: TraceState) throws -> Bool {
        if showsChanges { try printer.take(event, before: before, chosen: chosen, stimuli: state.stimuli) }
        for place in watches.indices {
            let old = watches[place].watch.judgement
            guard watches[place].take(event, state) else { continue }
            try printer.print(
                watch: watches[place].named.text, from: old, to: watches[place].watch.judgement, at: event)
        }
        for place in breaks.indices { _ = breaks[place].take(event, state) }
        return !stop(at: event, state)
    }

    private func stop(at event: TraceEvent, _ state: TraceState) -> Bool {
        guard let found = breaks.first(where: \.hasJustBecomeTrue) else { return false }
        hit = (found.named, event, state)
        return true
    }

    private func conclude() throws -> ExitCode {
        for followed in watches + breaks {
            guard let (unknown, moments) = followed.unjudged else { continue }
            try console.output.flush()
            console.complain(Wording.notJudged(followed.named.text, unknown, moments, request.topology.definitions))
        }
        if let hit {
            try printer.printBreak(hit.condition, at: hit.event, hit.state)
            return .clean
        }
        let phrases = EventPhrases(request.topology.definitions)
        for followed in breaks {
            let nodes = end.map { end in followed.named.condition.nodes.map { phrases.phrase(node: $0, in: end) } }
            try printer.print(
                neverTrue: followed.named.text, followed.course, followed.watch.judgement,
                nodes: nodes?.joined(separator: ", ") ?? "")
        }
        return breaks.isEmpty ? .clean : .notFoundInTrace
    }
}

/// A followed expression, and how often it could not be judged.
private struct Followed {
    let named: NamedCondition
    var watch: ConditionWatch
    private var reason: Judgement.Unknown?
    private var moments: UInt64 = 0
    /// False at the beginning, where a condition may be true without having become so.
    private(set) var hasJustBecomeTrue = false
    private(set) var course: Wording.Course

    init(_ named: NamedCondition, asTruth: Bool, _ state: TraceState) {
        self.named = named
        watch = ConditionWatch(named.condition, asTruth: asTruth, in: state)
        course =
            switch watch.judgement.truth {
            case true?: .trueAtFirst
            case false?: .falseThroughout
            case nil: .other
            }
    }

    mutating func take(_ event: TraceEvent, _ state: TraceState) -> Bool {
        guard watch.isConcerned(by: event, in: state) else {
            hasJustBecomeTrue = false
            return false
        }
        let wasTrue = watch.judgement.truth == true
        let hasChanged = watch.take(event, in: state)
        hasJustBecomeTrue = !wasTrue && watch.judgement.truth == true
        if course == .falseThroughout, watch.judgement.truth != false { course = .other }
        // A node without a value before its first one is no gap of the trace.
        if case .unknown(let unknown) = watch.judgement, unknown.reason != .noValueYet {
            reason = reason ?? unknown
            moments += 1
        }
        return hasChanged
    }

    var unjudged: (Judgement.Unknown, UInt64)? { reason.map { ($0, moments) } }
}

extension TraceState {
    /// The node's value before `event` gives it a new one.
    fileprivate func value(beforeEmission event: TraceEvent) -> TraceValue {
        event.kind == .emitted ? node(event.subject)?.value ?? .notRecorded : .notRecorded
    }
}
