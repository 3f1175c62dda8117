@_spi(Records) import WeirTrace

extension MomentPass {
    /// The state at a moment, found by counting the chunks before it and taking only the events of the last ones.
    ///
    /// Nodes have the same state as after `run`, except for `changeOrder`, `lastEnd`, `heldWrite` and the last suppression. Of
    /// subscriptions, only the lives are known; of open frames, only stimuli.
    ///
    /// It is nil if the moment is a stimulus, or if the trace cannot be counted: it is still being written, is damaged, or has
    /// threads that time alone cannot put in order.
    package init?(
        counting reader: TraceReader, _ topology: Topology, to moment: Moment,
        reporting report: PassProgress.Report? = nil
    ) throws(MomentError) {
        try self.init(counting: reader, topology, to: moment, before: nil, reporting: report)
    }

    /// As above, with the time before which events are counted; nil selects the best time.
    init?(
        counting reader: TraceReader, _ topology: Topology, to moment: Moment, before chosen: UInt64?,
        reporting report: PassProgress.Report? = nil
    ) throws(MomentError) {
        guard reader.header.isClosed, reader.damageCount == 0, reader.hasRisingChunks,
            let limit = Self.lastTicks(of: moment, reader), let cut = chosen ?? Self.cut(reader, limit, moment)
        else { return nil }
        guard var count = StateCount(topology, startTicks: reader.header.startTicks) else { return nil }
        let expected = UInt64(reader.eventChunkCount)
        var chunks: UInt64 = 0
        let isRead = reader.forEachEventChunk(before: cut) { header, records in
            chunks += 1
            if let report, chunks % 16 == 0 { report(PassProgress(events: chunks, expectedEvents: expected)) }
            return count.count(header, records, before: cut)
        }
        guard isRead, count.isSound, var state = TraceState(count, reader, topology),
            var position = reader.position(before: cut)
        else { return nil }
        var last: TraceEvent?
        var isBeyond = false
        reader.forEachEvent(from: &position) { event in
            // These events were counted.
            if event.ticks < cut { return true }
            if event.ticks > limit {
                isBeyond = true
                return false
            }
            state.take(event)
            last = event
            if case .event(event.id) = moment { return false }
            return true
        }
        if case .time(let time) = moment, !isBeyond {
            let end = TimeScale(reader.header).nanosecondsSinceStart(state.ticks)
            if time > end { throw .timeOutside(last: end) }
        }
        guard let last, reader.isIntact, !Self.lacksNumber(state, last) else { return nil }
        if case .event(let id) = moment, id != last.id { return nil }
        self.init(reader, moment, state, last)
    }

    /// The latest time of events before the moment.
    private static func lastTicks(of moment: Moment, _ reader: TraceReader) -> UInt64? {
        switch moment {
        case .time(let time): TimeScale(reader.header).lastTicks(nanosecondsSinceStart: time)
        case .event(let id): reader.ticks(of: id)
        case .end: .max
        case .stimulus: nil
        }
    }

    /// A time shortly before the moment, with at least one event after it; nil if there is none.
    private static func cut(_ reader: TraceReader, _ limit: UInt64, _ moment: Moment) -> UInt64? {
        var end = limit == .max ? limit : limit + 1
        for _ in 0..<4 {
            guard let cut = reader.lastChunkBase(before: end), var position = reader.position(before: cut) else {
                return nil
            }
            var hasEvent = false
            reader.forEachEvent(from: &position) { event in
                hasEvent = event.ticks >= cut && event.ticks <= limit
                return event.ticks < cut
            }
            if hasEvent { return cut }
            end = cut
        }
        return nil
    }

    /// Whether the number of the stimulus open at the end is unknown to counting.
    private static func lacksNumber(_ state: TraceState, _ last: TraceEvent) -> Bool {
        state.openFrames(ofThread: last.id.thread).last { $0.opener == .stimulusBegan }?.stimulusNumber == 0
    }
}

extension TraceState {
    /// The counted state; nil if it depends on the order of two threads, or if a value cannot be read.
    fileprivate init?(_ count: StateCount, _ reader: TraceReader, _ topology: Topology) {
        self.init(topology, startTicks: reader.header.startTicks)
        order = count.events
        ticks = count.ticks
        unattributedDeliveries = count.unattributedDeliveries
        guard takeNodes(of: count), takeValues(of: count, reader), takeSubscriptions(of: count), takeStimuli(of: count)
        else { return nil }
    }

    private mutating func takeNodes(of count: StateCount) -> Bool {
        for (place, node) in count.nodes.enumerated() {
            nodes[place].life = node.isReleased ? .released : node.isMentioned ? .alive : .unmentioned
            nodes[place].emissions = node.emissions
            nodes[place].refreshes = node.refreshes
            nodes[place].suppressions = node.suppressions
            if node.silentThread != 0 {
                let change = Mark(ticks: node.changeTicks, thread: node.changeThread, sequence: node.changeSequence)
                let write = Mark(ticks: node.silentTicks, thread: node.silentThread, sequence: node.silentSequence)
                let isTied = change.ticks == write.ticks && change.thread != write.thread && change.thread != 0
                if isTied { return false }
                if change.thread == 0 || change < write {
                    nodes[place].silentWrite = EventID(thread: write.thread, sequence: write.sequence)
                    nodes[place].silentTicks = write.ticks
                }
            }
            guard node.changeThread != 0 else { continue }
            nodes[place].lastChange = EventID(thread: node.changeThread, sequence: node.changeSequence)
            nodes[place].changeTicks = node.changeTicks
            nodes[place].changeOrder = 1
        }
        return true
    }

    /// Reads each node's last value, chunk by chunk.
    private mutating func takeValues(of count: StateCount, _ reader: TraceReader) -> Bool {
        let changed = count.nodes.indices.filter { count.nodes[$0].valueThread != 0 }
        guard changed.allSatisfy({ !count.nodes[$0].hasValueTie && !count.nodes[$0].hasChangeTie }) else {
            return false
        }
        for (chunk, places) in Dictionary(grouping: changed, by: { count.nodes[$0].valueChunk }) {
            var areRead = true
            let isWhole = reader.withChunk(Int(chunk)) { _, records in
                for place in places {
                    let (start, end) = (Int(count.nodes[place].valueStart), Int(count.nodes[place].valueEnd))
                    let value =
                        start <= end && end <= records.count
                        ? TraceValue(body: UnsafeRawBufferPointer(rebasing: records[start..<end])) : nil
                    if let value { nodes[place].value = value } else { areRead = false }
                }
            }
            guard isWhole, areRead else { return false }
        }
        return true
    }

    private mutating func takeSubscriptions(of count: StateCount) -> Bool {
        for (place, subscription) in count.subscriptions.enumerated() {
            let (first, end) = (subscription.firstTicks, subscription.endTicks)
            if first == end, first != .max, subscription.firstThread != subscription.endThread { return false }
            if first != .max, first <= end { begin(place) }
            if end != .max { self.end(place) }
        }
        return true
    }

    private mutating func takeStimuli(of count: StateCount) -> Bool {
        stimuli = count.threads.values.reduce(0) { $0 &+ $1.stimuli }
        let isOfOneThread = count.threads.values.count { $0.stimuli > 0 } <= 1
        for (thread, counted) in count.threads where counted.open.count > 0 {
            open(
                counted.open.frames.map { OpenFrame($0.payload, thread, isOfOneThread ? $0.payload.number : 0) },
                onThread: thread)
        }
        let last = count.threads.compactMap { thread, counted in counted.last.map { (thread, $0) } }
        guard let latest = last.max(by: { $0.1.ticks < $1.1.ticks }) else { return true }
        guard last.count(where: { $0.1.ticks == latest.1.ticks }) == 1 else { return false }
        lastStimulus = OpenFrame(latest.1, latest.0, stimuli)
        return true
    }
}

extension OpenFrame {
    fileprivate init(_ stimulus: StateCount.Stimulus, _ thread: UInt32, _ number: UInt64) {
        let event = TraceEvent(
            id: EventID(thread: thread, sequence: stimulus.sequence), kind: .stimulusBegan, ticks: stimulus.ticks,
            text: stimulus.text, depth: stimulus.depth)
        self.init(event, stimulusNumber: number)
    }
}
