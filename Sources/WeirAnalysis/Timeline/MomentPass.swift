import WeirTrace

/// One pass over a trace from its beginning up to a moment; it keeps no checkpoints, only the state.
///
///     var pass = try MomentPass(reader, topology, to: .time(12_000_000))
///     try pass.run { event, before in print(event.id) }
///     print(pass.state.nodes[0].value)
package struct MomentPass {
    /// The stimulus that a moment specifies.
    package struct ChosenStimulus: Sendable, Equatable {
        /// Its beginning.
        package let event: TraceEvent
        /// The number of the stimulus in the trace, from 1.
        package let number: UInt64
        /// How many stimuli match.
        package let matches: UInt64
    }

    /// The state at the moment that was reached.
    package private(set) var state: TraceState
    /// The last event before that moment; nil if there is none.
    package private(set) var lastEvent: TraceEvent?
    /// The position just after the beginning of the moment's stimulus; 0 if the moment specifies none.
    package private(set) var stimulusOrder: UInt64 = 0
    /// The moment's stimulus; nil if the moment specifies none.
    package let stimulus: ChosenStimulus?

    private let reader: TraceReader
    private let moment: Moment
    private let lastTicks: UInt64

    /// Prepares a pass; finding a stimulus takes a separate pass.
    package init(
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

    /// A pass that has reached its moment.
    init(_ reader: TraceReader, _ moment: Moment, _ state: TraceState, _ lastEvent: TraceEvent) {
        (self.reader, self.moment, self.state, self.lastEvent) = (reader, moment, state, lastEvent)
        (stimulus, lastTicks) = (nil, .max)
    }

    /// Takes all events up to the moment; `willTake` gets each with the state before it, and stops the pass by returning false.
    ///
    /// Returns whether the moment was reached; otherwise `willTake` stopped the pass.
    @discardableResult
    package mutating func run(
        reporting report: PassProgress.Report? = nil,
        _ willTake: (TraceEvent, TraceState) throws -> Bool = { _, _ in true }
    ) throws -> Bool {
        var course = Course(moment: moment, lastTicks: lastTicks, stimulus: stimulus)
        defer {
            stimulusOrder = course.stimulusOrder
            lastEvent = course.lastEvent
        }
        // The state is changed in place: as a property of the pass, it would be copied for each event.
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
    /// The progress of a pass, and whether it has reached its moment.
    fileprivate struct Course {
        let moment: Moment
        let lastTicks: UInt64
        let stimulus: ChosenStimulus?
        var isReached = false
        var isStopped = false
        var stimulusOrder: UInt64 = 0
        // Not an optional: replacing one by another would cost twice as much.
        private var last = TraceEvent(id: EventID(thread: 0, sequence: 0), kind: .frame, ticks: 0)
        private var hasLast = false

        var lastEvent: TraceEvent? { hasLast ? last : nil }

        init(moment: Moment, lastTicks: UInt64, stimulus: ChosenStimulus?) {
            (self.moment, self.lastTicks, self.stimulus) = (moment, lastTicks, stimulus)
        }

        /// Returns whether the pass continues.
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

    /// Whether it shows that a stimulus without recorded end is over: on its thread, later, and no deeper.
    func isBeyond(_ stimulus: TraceEvent) -> Bool {
        id.thread == stimulus.id.thread && id.sequence > stimulus.id.sequence && depth <= stimulus.depth
            && !isEnd(of: stimulus)
    }
}

extension TraceReader {
    /// The last matching stimulus; an exact match of the text comes first.
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
    /// The latest ticks that are no later than this many nanoseconds after the start.
    func lastTicks(nanosecondsSinceStart time: UInt64) -> UInt64 {
        var (low, high) = (startTicks, UInt64.max)
        while low < high {
            let middle = high - (high - low) / 2
            if nanosecondsSinceStart(middle) <= time { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
