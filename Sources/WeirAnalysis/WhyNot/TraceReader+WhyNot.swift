import WeirTrace

extension Timeline {
    /// As `whyNot(_:after:)`, but most events of a long trace are only counted. Damage is then looked for in the whole trace.
    public static func whyNot(
        _ reader: TraceReader, _ nodes: [UInt32], after occasion: Occasion = .last
    ) throws -> WhyNot {
        if reader.eventChunkCount >= fewestChunks,
            let counted = try reader.countedWhyNot(Topology(try reader.definitions()), nodes, after: occasion)
        {
            return counted
        }
        return try Timeline(reader).whyNot(nodes, after: occasion)
    }

    /// Events with their causes, read from the last chunks before the first of them if these suffice.
    fileprivate static func recentSteps(
        _ reader: TraceReader, _ topology: Topology, of ids: [EventID]
    ) -> [EventID: CauseStep] {
        let ticks = ids.compactMap(reader.ticks(of:))
        for count in recentChunks where ticks.count == ids.count {
            guard let first = ticks.min(), let start = reader.chunkBase(count, before: first),
                let timeline = Timeline(reader, topology, from: start)
            else { break }
            let found = timeline.causeSteps(of: ids)
            if !timeline.lacksHistory { return found.mapValues(\.step) }
        }
        return (try? Timeline(reader))?.causeSteps(of: ids).mapValues(\.step) ?? [:]
    }
}

extension TraceReader {
    /// The answer, found by counting; nil if it depends on more than that.
    func countedWhyNot(
        _ topology: Topology, _ nodes: [UInt32], after occasion: Timeline.Occasion
    ) throws(WhyNotError) -> WhyNot? {
        guard let places = PlaceTable(topology),
            let counted = countChunks(inRuns: false, { GraphCount(topology, places) })
        else { return nil }
        let count = counted.counters[0]
        count.add(counted.counters[1])
        var search = OccasionSearch(occasion, TimeScale(header))
        var stimuli = RecordFilter()
        stimuli.kinds = 0
        forEachEvent(passing: stimuli) {
            search.take($0)
            return true
        }
        guard !count.lastRoot.isTied else { return nil }
        search.lastRoot = count.lastRoot.id.flatMap { event($0) }
        let (stimulus, number) = try search.result()
        guard let last = event(before: stimulus),
            let pass = try? MomentPass(counting: self, topology, to: .event(last)),
            var place = position(before: stimulus.ticks)
        else { return nil }
        var reach = Reach(of: stimulus.id, topology)
        var hasBegun = false
        forEachEvent(from: &place) { event in
            hasBegun = hasBegun || event.id == stimulus.id
            if hasBegun { reach.take(event) }
            return true
        }
        let writers = HandlerWrites(topology, count.allWrites)
        let answer = WhyNotAnswer(
            before: pass.state, reach: reach, search: StopSearch(pass.state, reach, writers),
            steps: { Timeline.recentSteps(self, topology, of: $0) }, lives: { self.lives(of: $0, topology) },
            isMade: { self.isMade(topology.nodeIDs[$0]) },
            isWritten: { count.nodes[$0].emissions &+ count.nodes[$0].suppressions > 0 })
        return try answer.result(nodes, stimulus, number)
    }

    /// The event just before another one in the order of the trace; nil if it is not found nearby.
    private func event(before event: TraceEvent) -> EventID? {
        var start = event.ticks
        for _ in 0..<3 {
            guard let base = lastChunkBase(before: start), var place = position(before: base) else { return nil }
            start = base
            var last: TraceEvent?
            forEachEvent(from: &place) {
                if $0.id != event.id { last = $0 }
                return $0.id != event.id
            }
            // All events from the base on were seen, so this one is the last before the event.
            if let last, last.ticks >= base { return last.id }
        }
        return nil
    }

    private func event(_ id: EventID) -> TraceEvent? {
        var found: TraceEvent?
        forEachEvent(inChunkOf: id) { event in
            if event.id == id { found = event }
            return found == nil
        }
        return found
    }

    /// The last beginnings and ends of subscriptions.
    private func lives(of places: [Int], _ topology: Topology) -> [(start: EventID?, end: EventID?)] {
        let ids = places.map { topology.subscriptions[$0].id }
        var wanted = [Bool](repeating: false, count: Int(ids.max() ?? 0) + 1)
        for id in ids { wanted[Int(id)] = true }
        var filter = RecordFilter()
        filter.kinds =
            1 << UInt32(EventKind.subscriptionStarted.rawValue) | 1 << UInt32(EventKind.subscriptionEnded.rawValue)
        filter.subjects = ([], wanted)
        var found: [UInt32: (start: EventID?, end: EventID?)] = [:]
        forEachEvent(passing: filter) { event in
            switch event.kind {
            case .subscriptionStarted: found[event.subject, default: (nil, nil)].start = event.id
            case .subscriptionEnded: found[event.subject, default: (nil, nil)].end = event.id
            default: break
            }
            return true
        }
        return ids.map { found[$0] ?? (nil, nil) }
    }

    private func isMade(_ node: UInt32) -> Bool {
        var filter = RecordFilter()
        filter.kinds = 1 << UInt32(EventKind.nodeCreated.rawValue)
        var isMade = false
        forEachEvent(passing: filter) { event in
            isMade = event.kind == .nodeCreated && event.subject == node
            return !isMade
        }
        return isMade
    }
}
