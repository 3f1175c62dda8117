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
        var course = Course(moment: moment, lastTicks: lastTicks, stimulus: stimulus)
        defer {
            stimulusOrder = course.stimulusOrder
            lastEvent = course.lastEvent
        }
        // The state is handed on in place: as a property of the pass it would be copied for each event.
        try reader.forEachEvent(reporting: report) { event in try course.take(event, &state, willTake) }
        if course.isStopped { return false }
        switch moment {
        case .event(let id) where !course.isReached: throw MomentError.noSuchEvent(id)
        case .time(let time) where !course.isReached:
            let last = TimeScale(reader.header).nanosecondsSinceStart(state.ticks)
            if time > last { throw MomentError.timeOutside(last: last) }
        default: break
        }
        return true
    }
}

extension MomentPass {
    /// How far a pass has come, and whether it has come to its moment.
    fileprivate struct Course {
        let moment: Moment
        let lastTicks: UInt64
        let stimulus: ChosenStimulus?
        var isReached = false
        var isStopped = false
        var stimulusOrder: UInt64 = 0
        // No optional: replacing one by another would cost twice as much.
        private var last = TraceEvent(id: EventID(thread: 0, sequence: 0), kind: .frame, ticks: 0)
        private var hasLast = false

        var lastEvent: TraceEvent? { hasLast ? last : nil }

        init(moment: Moment, lastTicks: UInt64, stimulus: ChosenStimulus?) {
            (self.moment, self.lastTicks, self.stimulus) = (moment, lastTicks, stimulus)
        }

        /// Gives whether the pass goes on.
        mutating func take(
            _ event: TraceEvent, _ state: inout TraceState, _ willTake: (TraceEvent, TraceState) throws -> Bool
        ) rethrows -> Bool {
            switch moment {
            case .time: isReached = event.ticks > lastTicks
            case .stimulus: isReached = stimulus.map { event.isBeyond($0.event) } ?? false
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
                if event.id == stimulus?.event.id { stimulusOrder = state.order }
                isReached = stimulus.map { event.isEnd(of: $0.event) } ?? false
            case .time, .end: break
            }
            last = event
            hasLast = true
            return !isReached
        }
    }
}

extension TraceEvent {
    /// Whether it is the end of this stimulus.
    func isEnd(of stimulus: TraceEvent) -> Bool { kind == .stimulusEnded && cause == stimulus.id }

    /// Whether it shows that this stimulus is over, whose end is missing: on its thread, later, and no deeper.
    func isBeyond(_ stimulus: TraceEvent) -> Bool {
        id.thread == stimulus.id.thread && id.sequence > stimulus.id.sequence && depth <= stimulus.depth
            && !isEnd(of: stimulus)
    }
}

extension TraceReader {
    /// The last stimulus of those that are meant; of exactly the text, if there is one.
    func stimulus(
        _ wanted: EventFilter.Stimulus, reporting report: PassProgress.Report? = nil
    ) -> MomentPass.ChosenStimulus? {
        var search = StimulusSearch(wanted)
        forEachEvent(reporting: report) { event in
            search.take(event)
            return !search.isOver
        }
        return search.found.map { .init(event: $0.event, number: $0.number, matches: search.matches) }
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
