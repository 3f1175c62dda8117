import WeirTrace

/// Why an event happened, or why a node has the value that it has at a moment.
package struct Why: Sendable, Equatable {
    /// The subject of a question.
    package enum Subject: Sendable, Equatable {
        case event(EventID)
        /// The last change of one of these nodes.
        case nodes([UInt32])
    }

    /// The event that is explained; nil if the nodes had not changed.
    package let event: EventID?
    /// Its causes.
    package let explanation: Explanation?
    /// The first change of the nodes after the moment; nil if there is none, or if no moment was given.
    package let next: TraceEvent?
}

extension Timeline {
    /// Why an event happened, or why a node changed last up to a moment; nil is the end of the trace.
    ///
    /// Moves the timeline to another position.
    package func why(_ subject: Why.Subject, at moment: Moment?) throws(MomentError) -> Why {
        switch subject {
        case .event(let id):
            guard move(to: id) else { throw .noSuchEvent(id) }
            return Why(event: id, explanation: explanation(of: id), next: nil)
        case .nodes(let ids):
            try move(to: moment ?? .end)
            let event = lastChange(of: ids)
            var next: TraceEvent?
            if moment != nil {
                next = forward { !($0.kind == .emitted && !$0.isReplayed && ids.contains($0.subject)) }
            }
            return Why(event: event, explanation: event.flatMap { explanation(of: $0) }, next: next)
        }
    }

    /// As `why(_:at:)`, but a long trace is read backwards from the moment, and no further than the answer needs.
    ///
    /// It is read as a whole if it is short, incomplete or damaged anywhere, or if the moment is a stimulus.
    package static func why(
        _ reader: TraceReader, _ topology: Topology, _ subject: Why.Subject, at moment: Moment?
    ) throws -> Why {
        if reader.eventChunkCount >= fewestChunks, let past = TracePast(reader, topology) {
            let found = reader.ifSealed { Result { () throws(MomentError) in try past.why(subject, at: moment) } }
            if let why = try found?.get() { return why }
        }
        return try Timeline(reader).why(subject, at: moment)
    }

    /// The fewest chunks of a trace of which only a part is read.
    static let fewestChunks = 32

    /// The last change of one of the nodes up to now; nil if there was none.
    package func lastChange(of nodes: [UInt32]) -> EventID? {
        nodes.compactMap { topology.place(ofNode: $0) }.map { state.nodes[$0] }
            .max { $0.changeOrder < $1.changeOrder }?.lastChange
    }
}

extension TracePast {
    /// The answer; nil if it is not found by reading backwards.
    func why(_ subject: Why.Subject, at moment: Moment?) throws(MomentError) -> Why? {
        var answer: Why?
        switch subject {
        case .event(let id):
            guard event(id) != nil else {
                if isUnsure { return nil }
                throw .noSuchEvent(id)
            }
            answer = Why(event: id, explanation: explanation(of: id), next: nil)
        case .nodes(let ids):
            guard let limit = try limit(after: moment ?? .end) else { return nil }
            let event = lastChange(of: ids, before: limit)
            answer = Why(
                event: event, explanation: event.flatMap { explanation(of: $0) },
                next: moment == nil || moment == .end ? nil : firstChange(of: ids, after: limit))
        }
        return isUnsure ? nil : answer
    }

    /// The limit just after a moment; nil if it is unknown.
    private func limit(after moment: Moment) throws(MomentError) -> Limit? {
        switch moment {
        case .end: return Limit(ticks: .max)
        case .stimulus: return nil
        case .event(let id):
            guard let event = event(id)?.event else {
                if isUnsure { return nil }
                throw .noSuchEvent(id)
            }
            return Limit(ticks: event.ticks, event: EventID(thread: id.thread, sequence: id.sequence + 1))
        case .time(let time):
            let scale = TimeScale(reader.header)
            let ticks = scale.lastTicks(nanosecondsSinceStart: time)
            guard let last = lastTicks else { return nil }
            let end = scale.nanosecondsSinceStart(max(last, reader.header.startTicks))
            if time > end { throw .timeOutside(last: end) }
            return Limit(ticks: ticks == .max ? ticks : ticks + 1)
        }
    }

    /// The time of the last event.
    private var lastTicks: UInt64? {
        var chunks = BackwardChunks(reader, before: .max)
        var last: UInt64 = 0
        while chunks.latestUnread ?? 0 > last, let chunk = chunks.next() {
            var cursor = RecordCursor(chunk.records, of: chunk.header)
            while cursor.next() {}
            last = max(last, cursor.ticks)
        }
        return chunks.isBroken ? nil : last
    }

    /// The events with these ids and their causes; nil if they are not found by reading backwards.
    func steps(of ids: [EventID]) -> [EventID: CauseStep]? {
        var found: [EventID: CauseStep] = [:]
        for id in ids where !isUnsure { found[id] = step(of: id) }
        return isUnsure ? nil : found
    }
}
