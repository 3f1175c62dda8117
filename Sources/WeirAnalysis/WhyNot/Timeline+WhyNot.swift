import WeirTrace

/// Why the question cannot be answered.
package enum WhyNotError: Error, Equatable {
    /// There is no such stimulus.
    case noSuchStimulus
    /// No stimulus began then or later; the last one, if there is any, began at `last` nanoseconds.
    case noStimulusAfter(last: UInt64?)
    /// The trace holds no event that could have changed a node.
    case nothingHappened
    /// The trace does not define the node.
    case undefinedNode
}

extension Timeline {
    /// The stimulus after which a node did not change.
    package enum Occasion: Sendable, Equatable {
        /// The last one, or the last emission without a cause if the trace has no stimulus.
        case last
        /// The first one that began this many nanoseconds after the start, or later.
        case after(UInt64)
        /// The last stimulus that matches.
        case stimulus(EventFilter.Stimulus)
        /// An emission, in place of a stimulus.
        case emission(EventID)
    }

    /// Why one of the nodes did not change after a stimulus, or one of the handlers was not called.
    ///
    /// Reads the trace twice. Moves the timeline to another position.
    package func whyNot(_ question: WhyNot.Question, after occasion: Occasion = .last) throws(WhyNotError) -> WhyNot {
        try whyNot(question, after: occasion, writersSince: nil)
    }

    /// - Parameter start: From this time on, handlers that write to nodes are sought.
    func whyNot(
        _ question: WhyNot.Question, after occasion: Occasion, writersSince start: UInt64?
    ) throws(WhyNotError) -> WhyNot {
        var writers = HandlerWrites(topology)
        var search = OccasionSearch(occasion, timeScale)
        var written: Set<UInt32> = []
        let asked = Set(question.nodes)
        move(to: 0)
        forward { event in
            if event.kind == .emitted && !event.isReplayed || event.kind == .suppressed, asked.contains(event.subject) {
                written.insert(event.subject)
            }
            if event.ticks >= start ?? 0 { writers.take(event) }
            search.take(event)
            return true
        }
        let (stimulus, number) = try search.result()
        move(to: stimulus.id)
        move(to: position - 1)
        let values = state.nodes
        let before = PriorState(state)
        var reach = Reach(of: stimulus.id, topology)
        forward { event in
            reach.take(event)
            return true
        }
        let answer = WhyNotAnswer(
            before: before, reach: reach, search: StopSearch(before, reach, writers),
            steps: { self.causeSteps(of: $0).mapValues(\.step) },
            lives: { places in
                self.move(to: .max)
                return places.map { (self.state.subscriptions[$0].start, self.state.subscriptions[$0].end) }
            },
            isMade: { place in
                self.move(to: 0)
                return self.forward { !($0.kind == .nodeCreated && $0.subject == self.topology.nodeIDs[place]) } != nil
            },
            release: { place in
                self.move(to: 0)
                return self.forward { !($0.kind == .nodeReleased && $0.subject == self.topology.nodeIDs[place]) }?.id
            }, isWritten: { written.contains(self.topology.nodeIDs[$0]) },
            held: { (values[$0].value, self.topology.echo(of: $0, values[$0]) ?? values[$0].lastChange) },
            reader: reader, writersSince: start)
        return try answer.result(question, stimulus, number)
    }
}

/// Finds the stimulus after which a node did not change; it must see all stimuli, and all emissions without a cause.
struct OccasionSearch {
    private let occasion: Timeline.Occasion
    private let timeScale: TimeScale
    private var found: (TraceEvent, number: UInt64?)?
    private var lastStimulus: TraceEvent?
    private var count: UInt64 = 0
    private var search: StimulusSearch?
    /// The last emission without a cause.
    var lastRoot: TraceEvent?

    init(_ occasion: Timeline.Occasion, _ timeScale: TimeScale) {
        (self.occasion, self.timeScale) = (occasion, timeScale)
        if case .stimulus(let wanted) = occasion { search = StimulusSearch(wanted) }
    }

    mutating func take(_ event: TraceEvent) {
        search?.take(event)
        if occasion == .emission(event.id) { found = (event, nil) }
        if event.isOutermost, event.kind == .emitted, !event.isReplayed { lastRoot = event }
        guard event.kind == .stimulusBegan else { return }
        count += 1
        lastStimulus = event
        switch occasion {
        case .last: found = (event, count)
        case .after(let time):
            if found == nil, timeScale.nanosecondsSinceStart(event.ticks) >= time { found = (event, count) }
        case .stimulus, .emission: break
        }
    }

    func result() throws(WhyNotError) -> (TraceEvent, number: UInt64?) {
        if let found = search?.found { return found }
        if let found { return found }
        switch occasion {
        case .last:
            guard let lastRoot else { throw .nothingHappened }
            return (lastRoot, nil)
        case .after:
            throw .noStimulusAfter(last: lastStimulus.map { timeScale.nanosecondsSinceStart($0.ticks) })
        case .stimulus, .emission: throw .noSuchStimulus
        }
    }
}
