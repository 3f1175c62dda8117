import WeirTrace

extension Timeline {
    /// The fewest chunks of a trace of which only a part is read.
    static let fewestChunks = 32
    /// How many chunks are read before a moment, if that is enough.
    static let recentChunks = [2, 32]

    /// Answers a question about a moment from the last events before it, or from the whole trace if these do not suffice.
    ///
    /// `answer` gets timelines that begin ever earlier, until one does not lack history. Events are left out only if the trace
    /// is closed, has lost nothing, and all its checksums match.
    public static func recent<Answer>(
        _ reader: TraceReader, before moment: Moment, _ answer: (Timeline) throws -> Answer
    ) throws -> Answer {
        if reader.eventChunkCount >= fewestChunks, reader.canSkipEvents, reader.isSealed,
            let end = reader.endTicks(of: moment)
        {
            let topology = Topology(try reader.definitions())
            for count in recentChunks {
                guard let start = reader.chunkBase(count, before: end),
                    let timeline = Timeline(reader, topology, from: start)
                else { break }
                let answer = try answer(timeline)
                if !timeline.lacksHistory { return answer }
            }
        }
        return try answer(Timeline(reader))
    }

    /// A timeline of the events from a time on; nil if a chunk is unreadable.
    convenience init?(
        _ reader: TraceReader, _ topology: Topology, from start: UInt64,
        checkpointSpacing: UInt64 = Checkpoints.leastSpacing
    ) {
        // The first chunks may begin earlier: of the events before the start, only the frames that they leave open count.
        guard var ahead = reader.position(before: start), var place = reader.position(before: start) else { return nil }
        var earlier = 0
        reader.forEachEvent(from: &ahead) { event in
            if event.ticks < start { earlier += 1 }
            return event.ticks < start
        }
        var state = TraceState(topology, startTicks: reader.header.startTicks)
        if earlier > 0 {
            reader.forEachEvent(from: &place) { event in
                state.take(event)
                earlier -= 1
                return earlier > 0
            }
        }
        state.forget()
        self.init(reader, state, at: place, checkpointSpacing: checkpointSpacing)
    }

    /// The last change of one of the nodes up to now; nil if there was none, or if it was left out.
    public func lastChange(of nodes: [UInt32]) -> EventID? {
        let states = nodes.compactMap { topology.place(ofNode: $0) }.map { state.nodes[$0] }
        let last = states.max { $0.changeOrder < $1.changeOrder }
        if state.isPartial, last?.changeOrder == 0 { lacksHistory = true }
        return last?.lastChange
    }
}

extension TraceReader {
    /// A time after all events up to a moment; nil if it is unknown.
    func endTicks(of moment: Moment) -> UInt64? {
        switch moment {
        case .end: .max
        case .time(let time):
            TimeScale(header).lastTicks(nanosecondsSinceStart: time).addingReportingOverflow(1).partialValue
        case .event(let id): ticks(of: id).map { $0 &+ 1 }
        case .stimulus: nil
        }
    }
}

extension TraceState {
    /// Whether the state suffices for the `CauseStep` of the event, which happens next.
    func knowsCauses(of event: TraceEvent) -> Bool {
        guard isPartial else { return true }
        if let cause = event.cause, cause.thread == event.id.thread, event.kind != .hopBegan {
            guard openFrames(ofThread: cause.thread).contains(where: { $0.id == cause }) else { return false }
        }
        guard event.isOfNode, let place = topology.place(ofNode: event.subject) else { return true }
        return nodes[place].changeOrder > 0
            && topology.inputs[place].allSatisfy { edge in
                let input = subscriptions[edge]
                return (input.deliveryOrder > 0 || input.start != nil) && nodes[topology.sources[edge]].changeOrder > 0
            }
    }
}
