import WeirTrace

/// How an event came about: its direct causes from the root on, read without a pass over the trace.
///
///     let evidence = Evidence(of: finding.example, in: reader)
///
/// The chunk that holds the event also tells what was open around it; only what was opened before that chunk, and what
/// lies behind a hop, is looked up in other chunks. No more than `limit` steps are followed.
public struct Evidence: Sendable, Equatable {
    /// One event on the way.
    public struct Step: Sendable, Equatable {
        /// The event.
        public let event: TraceEvent
        /// How its cause, the step before it, brought it about.
        public let way: CauseStep.Way
    }

    /// At most so many steps are followed, and so many chunks looked up.
    public static let limit = 64

    /// The steps, each caused by the one before; the last one is the event itself.
    public let steps: [Step]
    /// The cause of the first step where the trace no longer holds it.
    public let missingCause: EventID?
    /// The first step has causes of its own, which were not followed.
    public let goesOn: Bool

    init(steps: [Step], missingCause: EventID? = nil, goesOn: Bool = false) {
        self.steps = steps
        self.missingCause = missingCause
        self.goesOn = goesOn
    }

    /// The way to the event of this id; nil: the trace has no such event.
    ///
    /// Costs reading a few chunks; of the reader's losses and damage nothing is forgotten.
    public init?(of id: EventID, in reader: TraceReader) {
        var chain: [TraceEvent] = []
        var known: [EventID: TraceEvent] = [:]
        var (missing, hasMore, lookups): (EventID?, Bool, Int) = (nil, false, 0)
        var next: EventID? = id
        while let wanted = next {
            if known[wanted] == nil, lookups < Self.limit {
                lookups += 1
                known.merge(reader.eventWithFrames(wanted)) { $1 }
            }
            guard chain.count < Self.limit, known[wanted] != nil || lookups < Self.limit else {
                hasMore = true
                break
            }
            guard let event = known[wanted] else {
                missing = wanted
                break
            }
            chain.append(event)
            next = event.cause
        }
        if chain.isEmpty { return nil }
        let steps = chain.enumerated().map { place, event in
            let opener = place + 1 < chain.count ? chain[place + 1].kind : nil
            return Step(event: event, way: CauseStep.way(of: event, openedBy: opener))
        }
        self.init(steps: steps.reversed(), missingCause: missing, goesOn: hasMore)
    }
}

extension TraceReader {
    /// The event of this id, and what was open around it as far as it was opened in the same chunk.
    fileprivate func eventWithFrames(_ id: EventID) -> [EventID: TraceEvent] {
        var frames: [TraceEvent] = []
        var found: [EventID: TraceEvent] = [:]
        forEachEvent(inChunkOf: id) { event in
            while let last = frames.last, last.depth >= event.depth { frames.removeLast() }
            if event.id == id {
                for frame in frames { found[frame.id] = frame }
                found[id] = event
                return false
            }
            // What a hostile trace nests deeper is looked up by itself.
            if event.opensFrame, frames.count < 10_000 { frames.append(event) }
            return event.id.sequence < id.sequence
        }
        return found
    }
}
