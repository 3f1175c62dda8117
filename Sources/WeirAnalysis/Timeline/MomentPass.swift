import WeirTrace

/// One pass over a trace from its beginning up to a moment; it keeps no checkpoints, only the state.
///
///     var pass = try MomentPass(reader, topology, to: .time(12_000_000))
///     try pass.run { event, before in print(event.id) }
///     print(pass.state.nodes[0].value)
public struct MomentPass {
    /// The stimulus that a moment names.
    public struct ChosenStimulus: Sendable, Equatable {
        /// Its beginning.
        public let event: TraceEvent
        /// Which of the trace's stimuli it is, from 1.
        public let number: UInt64
        /// How many are such.
        public let matches: UInt64
    }

    /// The state at the moment that was reached.
    public private(set) var state: TraceState
    /// The last event before that moment; nil: there is none.
    public private(set) var lastEvent: TraceEvent?
    /// The position at which the stimulus had just begun that the moment names; 0: it names none.
    public private(set) var stimulusOrder: UInt64 = 0
    /// The stimulus that the moment names; nil: it names none.
    public let stimulus: ChosenStimulus?

    private let reader: TraceReader
    private let moment: Moment
    private let lastTicks: UInt64

    /// Prepares a pass; for a stimulus by its text, this takes a pass of its own.
    public init(
        _ reader: TraceReader, _ topology: Topology, to moment: Moment, reporting report: PassProgress.Report? = nil
    ) throws(MomentError) {
        self.reader = reader
        self.moment = moment
        state = TraceState(topology, startTicks: reader.header.startTicks)
        switch moment {
        case .stimulus(let wanted):
            stimulus = reader.stimulus(wanted, reporting: report)
            if stimulus == nil { throw .noSuchStimulus }
        case .time, .event, .end: stimulus = nil
        }
        if case .time(let time) = moment {
            lastTicks = TimeScale(reader.header).lastTicks(nanosecondsSinceStart: time)
        } else {
            lastTicks = .max
        }
    }

    /// A pass that has come to its moment.
    init(_ reader: TraceReader, _ moment: Moment, _ state: TraceState, _ lastEvent: TraceEvent) {
        (self.reader, self.moment, self.state, self.lastEvent) = (reader, moment, state, lastEvent)
        (stimulus, lastTicks) = (nil, .max)
    }

    /// Lets all events up to the moment happen; `willTake` sees each, with the state before it, and false stops.
    ///
    /// Gives whether the moment was reached; otherwise `willTake` stopped the pass.
    @discardableResult
    public mutating func run(
        reporting report: PassProgress.Report? = nil,
        _ willTake: (TraceEvent, TraceState) throws -> Bool = { _, _ in true }
    ) throws -> Bool {
        var isReached = false
        var isStopped = false
        let (moment, lastTicks, chosen) = (moment, lastTicks, stimulus)
        try reader.forEachEvent(reporting: report) { event in
            switch moment {
            case .time: isReached = event.ticks > lastTicks
            case .stimulus: if let chosen { isReached = chosen.isOver(before: event) }
            case .event, .end: break
            }
            if isReached { return false }
            if try !willTake(event, state) {
                isStopped = true
                return false
            }
            state.take(event)
            switch moment {
            case .event(let id): isReached = event.id == id
            case .stimulus:
                if let chosen {
                    if event.id == chosen.event.id { stimulusOrder = state.order }
                    isReached = chosen.isEnded(by: event)
                }
            case .time, .end: break
            }
            lastEvent = event
            return !isReached
        }
        if isStopped { return false }
        switch moment {
        case .event(let id) where !isReached: throw MomentError.noSuchEvent(id)
        case .time(let time) where !isReached:
            let last = TimeScale(reader.header).nanosecondsSinceStart(state.ticks)
            if time > last { throw MomentError.timeOutside(last: last) }
        default: break
        }
        return true
    }
}

extension MomentPass.ChosenStimulus {
    fileprivate func isEnded(by other: TraceEvent) -> Bool {
        other.kind == .stimulusEnded && other.cause == event.id
    }

    /// Its end may be missing: then the next thing on its thread that is no deeper shows that it is over.
    fileprivate func isOver(before other: TraceEvent) -> Bool {
        other.id.thread == event.id.thread && other.id.sequence > event.id.sequence && other.depth <= event.depth
            && !isEnded(by: other)
    }
}

extension TraceReader {
    /// The last stimulus of those that are meant.
    func stimulus(
        _ wanted: EventFilter.Stimulus, reporting report: PassProgress.Report? = nil
    ) -> MomentPass.ChosenStimulus? {
        var found: (event: TraceEvent, number: UInt64)?
        var (count, matches): (UInt64, UInt64) = (0, 0)
        forEachEvent(reporting: report) { event in
            guard event.kind == .stimulusBegan else { return true }
            count += 1
            guard wanted.isMet(by: event.text, number: count) else { return true }
            found = (event, count)
            matches += 1
            if case .number = wanted { return false }
            return true
        }
        return found.map { .init(event: $0.event, number: $0.number, matches: matches) }
    }
}

extension TimeScale {
    /// The latest ticks that are no later than so many nanoseconds after the start.
    func lastTicks(nanosecondsSinceStart time: UInt64) -> UInt64 {
        var (low, high) = (startTicks, UInt64.max)
        while low < high {
            let middle = high - (high - low) / 2
            if nanosecondsSinceStart(middle) <= time { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
