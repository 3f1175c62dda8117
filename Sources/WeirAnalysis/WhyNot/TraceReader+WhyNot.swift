import WeirTrace

extension Timeline {
    /// As `whyNot(_:after:)`, but most events of a long trace are only counted. Damage is then looked for in the whole trace.
    package static func whyNot(
        _ reader: TraceReader, _ question: WhyNot.Question, after occasion: Occasion = .last
    ) throws -> WhyNot {
        let write = reader.batchedWrite(of: occasion)
        var answer = try whyNot(reader, question, followedBy: occasion.following(write))
        answer.batchedWrite = write
        return answer
    }

    private static func whyNot(
        _ reader: TraceReader, _ question: WhyNot.Question, followedBy occasion: Occasion
    ) throws -> WhyNot {
        if reader.eventChunkCount >= fewestChunks {
            let topology = Topology(try reader.definitions())
            if let recent = try reader.recentWhyNot(topology, question, after: occasion) { return recent }
            if let counted = try reader.countedWhyNot(topology, question, after: occasion) { return counted }
        }
        return try Timeline(reader).whyNot(question, after: occasion)
    }
}

extension TraceReader {
    /// The answer of a long trace, found in the events from some chunks before the stimulus on; nil if they do not tell it, or if
    /// the trace is short or damaged anywhere.
    ///
    /// Handlers that wrote only earlier are not found, and stimuli before that are not the last one. A node that nothing leads to must
    /// have been written to since then: otherwise only a reading of the whole trace finds what could write to it.
    ///
    /// - Parameter chunks: How many chunks before the stimulus are read.
    func recentWhyNot(
        _ topology: Topology, _ question: WhyNot.Question, after occasion: Timeline.Occasion,
        chunks: Int = recentChunks
    ) throws(WhyNotError) -> WhyNot? {
        guard eventChunkCount > 2 * chunks, canSkipEvents, let limit = latestTicks(of: occasion),
            let start = chunkBase(chunks, chunksBefore: limit),
            let counted = ifSealed({
                Result { () throws(WhyNotError) in
                    try countedWhyNot(topology, question, after: occasion, from: start)
                }
            }), let found = try counted.get(), found.stimulus.ticks > start
        else { return nil }
        switch found.outcome {
        case .unconnected: return found.isWritten ? found : nil
        case .changed, .stopped, .released, .notYetMade: return found
        }
    }

    /// Some 2 million events.
    private static var recentChunks: Int { 128 }

    /// The time of an occasion, or a later one; nil if it takes a reading of the trace to find it.
    private func latestTicks(of occasion: Timeline.Occasion) -> UInt64? {
        switch occasion {
        case .last: .max
        case .after(let time): TimeScale(header).firstTicks(nanosecondsSinceStart: time)
        case .stimulus: nil
        case .emission(let id): event(id)?.event.ticks
        }
    }

    /// The answer, found by counting all events from a time on once, and reading those near the stimulus; nil if it depends on more
    /// than that.
    func countedWhyNot(
        _ topology: Topology, _ question: WhyNot.Question, after occasion: Timeline.Occasion, from start: UInt64 = 0
    ) throws(WhyNotError) -> WhyNot? {
        var after: UInt64 = 0
        if case .after(let time) = occasion { after = TimeScale(header).firstTicks(nanosecondsSinceStart: time) }
        guard let places = PlaceTable(topology), let past = TracePast(self, topology),
            let counted = countChunks(
                inRuns: false, from: start, { WhyNotCount(topology, places, stimuliFrom: after, from: start) })
        else { return nil }
        let count = counted.counters[0]
        count.add(counted.counters[1])
        let isWhole = start == 0
        guard let (stimulus, number) = try stimulus(occasion, count, isWhole),
            var place = position(before: stimulus.ticks)
        else { return nil }
        var reach = Reach(of: stimulus.id, topology)
        var suppressed: [Int: UInt64] = [:]
        var hasBegun = false
        forEachEvent(from: &place) { event in
            hasBegun = hasBegun || event.id == stimulus.id
            guard hasBegun else { return true }
            reach.take(event)
            if event.kind == .suppressed, let node = topology.place(ofNode: event.subject) {
                suppressed[node, default: 0] &+= 1
            }
            return true
        }
        guard
            let before = count.state(
                before: stimulus, topology, startTicks: header.startTicks, suppressed: suppressed, isWhole: isWhole)
        else { return nil }
        var isUnsure = false
        let answer = WhyNotAnswer(
            before: before, reach: reach,
            search: StopSearch(
                before, reach, HandlerWrites(topology, count.handlerWrites, setElsewhere: count.nodesSetElsewhere)),
            steps: { self.steps(of: $0, topology) },
            lives: { places in
                let found = places.map { count.subscriptions[$0] }
                if found.contains(where: { $0.lastStart.isTied || $0.lastEnd.isTied }) { isUnsure = true }
                if !isWhole, found.contains(where: { $0.lastStart.id == nil && $0.lastEnd.id == nil }) {
                    isUnsure = true
                }
                return found.map { ($0.lastStart.id, $0.lastEnd.id) }
            }, isMade: { count.nodes[$0].isMade }, release: { count.nodes[$0].released.id },
            isWritten: { count.nodes[$0].isWritten },
            held: { place in
                // Before its first value there is nothing to look for.
                if isWhole, count.nodes[place].emitted.isBefore(Mark(stimulus)) == false {
                    return (topology.definitions.nodes[topology.nodeIDs[place]]?.value ?? .notRecorded, nil)
                }
                // If nothing counted mentions the node, earlier events show its value.
                let isKnown = count.nodes[place].mentioned.id != nil || count.nodes[place].emitted.id != nil
                if !isWhole, !isKnown { return past.held(by: place, before: .init(ticks: start)) }
                return past.held(by: place, before: .init(ticks: stimulus.ticks, event: stimulus.id))
            }, reader: self, writersSince: isWhole ? nil : start)
        let result = try answer.result(question, stimulus, number)
        return isUnsure || past.isUnsure || before.isUnsure ? nil : result
    }

    /// The stimulus of an occasion, and its number; nil if it depends on the order of two threads, or on events that were not counted.
    private func stimulus(
        _ occasion: Timeline.Occasion, _ count: WhyNotCount, _ isWhole: Bool
    ) throws(WhyNotError) -> (TraceEvent, number: UInt64?)? {
        let (id, number): (EventID, UInt64?)
        switch occasion {
        case .last:
            if let last = count.lastStimulus.id {
                if count.lastStimulus.isTied { return nil }
                (id, number) = (last, isWhole ? count.stimuli : nil)
            } else {
                if !isWhole, count.lastRoot.id == nil { return nil }
                guard let root = count.lastRoot.id else { throw .nothingHappened }
                if count.lastRoot.isTied { return nil }
                (id, number) = (root, nil)
            }
        case .after:
            guard let first = count.firstStimulus.id else {
                if !isWhole { return nil }
                let last = count.lastStimulus
                throw .noStimulusAfter(
                    last: last.id == nil ? nil : TimeScale(header).nanosecondsSinceStart(last.ticks))
            }
            if count.firstStimulus.isTied { return nil }
            (id, number) = (first, isWhole ? count.stimuliBefore + 1 : nil)
        case .stimulus:
            var search = OccasionSearch(occasion, TimeScale(header))
            var stimuli = RecordFilter()
            stimuli.kinds = 0
            forEachEvent(passing: stimuli) {
                search.take($0)
                return true
            }
            return try search.result()
        case .emission(let emission): (id, number) = (emission, nil)
        }
        return event(id).map { ($0.event, number) }
    }

    /// Events with their causes.
    private func steps(of ids: [EventID], _ topology: Topology) -> [EventID: CauseStep] {
        TracePast(self, topology)?.steps(of: ids)
            ?? (try? Timeline(self))?.causeSteps(of: ids).mapValues(\.step) ?? [:]
    }
}

extension TimeScale {
    /// The first ticks that are at least this many nanoseconds after the start.
    fileprivate func firstTicks(nanosecondsSinceStart time: UInt64) -> UInt64 {
        if time == 0 { return 0 }
        let last = lastTicks(nanosecondsSinceStart: time - 1)
        return last == .max ? last : last + 1
    }
}
