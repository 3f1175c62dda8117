import WeirTrace

extension SummaryCounter {
    /// Takes the figures of a whole trace, counted on two threads; does nothing and returns false if they depend on the order
    /// of its events.
    mutating func takeCount(of reader: TraceReader, reporting report: PassProgress.Report? = nil) -> Bool {
        let topology = Topology(definitions)
        guard let places = PlaceTable(topology) else { return false }
        let slots = topology.subscriptions.map { slotOfSubscription[$0.id] ?? 0 }
        let handlers = slots.map { subscriptions[$0].handler }
        let expected = UInt64(reader.eventChunkCount)
        let counted = reader.countChunks(
            inRuns: true, reporting: { report?(PassProgress(events: UInt64($0), expectedEvents: expected)) },
            { SummaryCount(topology, places, handlers: handlers, timeScale: TimeScale(reader.header)) })
        guard let count = counted?.counters[0], let other = counted?.counters[1] else { return false }
        count.add(other)
        guard count.isInOrder else { return false }
        takeNodes(count, topology)
        for (place, slot) in slots.enumerated() {
            subscriptions[slot].hasEnded = count.subscriptions[place].hasEnded
            subscriptions[slot].waiting = count.subscriptions[place].waiting
            subscriptions[slot].waitsForMain = count.subscriptions[place].waitsForMain
        }
        for (slot, handler) in count.handlers.enumerated() { self.handlers.set(handler, slot: slot) }
        for (number, thread) in count.threads {
            come(to: number)
            (here.summary.events, here.summary.lastSequence) = (thread.events, thread.lastSequence)
        }
        summary.countByKind = Array(count.kinds)
        summary.lastTicks = max(summary.lastTicks, count.lastTicks)
        summary.stampedEvents = count.stamped
        (summary.rootEmissions, summary.rootEndings) = (count.roots.emissions, count.roots.endings)
        (summary.rootBatches, summary.rootHops) = (count.roots.batches, count.roots.hops)
        summary.settlingsByKind = count.settlings
        summary.stimuli = count.stimuli.sorted { $0.value.first < $1.value.first }.map {
            StimulusSummary(text: $0.key, count: $0.value.count)
        }
        liveObjects = Set(count.objects.filter { $0.value.tracked > $0.value.released }.keys)
        for snapshot in count.snapshots.sorted(by: { $0.mark < $1.mark }) {
            summary.snapshots.count(
                pause: snapshot.pause, isAtCheckpoint: snapshot.isAtCheckpoint,
                isWhole: definitions.hasSnapshot(snapshot.number))
        }
        return true
    }

    private mutating func takeNodes(_ count: SummaryCount, _ topology: Topology) {
        for (place, id) in topology.nodeIDs.enumerated() {
            let (node, slot) = (count.nodes[place], slot(ofNode: id))
            summary.nodes[slot].take(node)
            for reason in 0..<SummaryCount.reasons {
                let suppressed = count.suppressions[place * SummaryCount.reasons + reason]
                if suppressed > 0 { summary.nodes[slot].suppressions[UInt8(reason)] = suppressed }
            }
            chains.chains[slot] = count.chains[place]
        }
    }
}

extension NodeSummary {
    fileprivate mutating func take(_ count: SummaryCount.Node) {
        (emissions, replays, completions, failures) = (
            count.emissions, count.replays, count.completions, count.failures
        )
        (hops, refreshes, carriedOn, received) = (count.hops, count.refreshes, count.carriedOn, count.received)
        internalDeliveries = count.internalDeliveries
        handlerNanoseconds = count.handlerNanoseconds
        slowestHandlerNanoseconds = count.slowestHandlerNanoseconds
        (widestFanOut, widestEmission) = (count.widest.figure, count.widest.id)
    }
}

extension SummaryCount {
    /// Adds the figures of another part of the trace.
    func add(_ other: SummaryCount) {
        for place in nodes.indices {
            if nodes[place].longest.offer(other.nodes[place].longest) { chains[place] = other.chains[place] }
            nodes[place].add(other.nodes[place])
        }
        for place in subscriptions.indices {
            let more = other.subscriptions[place]
            if more.hasEnded { subscriptions[place].hasEnded = true }
            subscriptions[place].waiting += more.waiting
            if more.waitsForMain { subscriptions[place].waitsForMain = true }
            if more.waitsForOther { subscriptions[place].waitsForOther = true }
        }
        for slot in handlers.indices {
            handlers[slot].deliveries &+= other.handlers[slot].deliveries
            handlers[slot].nanoseconds &+= other.handlers[slot].nanoseconds
            handlers[slot].slowest.offer(other.handlers[slot].slowest)
        }
        for place in suppressions.indices { suppressions[place] &+= other.suppressions[place] }
        for kind in kinds.indices { kinds[kind] &+= other.kinds[kind] }
        stamped &+= other.stamped
        lastTicks = max(lastTicks, other.lastTicks)
        roots.emissions &+= other.roots.emissions
        roots.endings &+= other.roots.endings
        roots.batches &+= other.roots.batches
        roots.hops &+= other.roots.hops
        settlings.merge(other.settlings, uniquingKeysWith: &+)
        threads.merge(other.threads) {
            Thread(events: $0.events &+ $1.events, lastSequence: max($0.lastSequence, $1.lastSequence))
        }
        stimuli.merge(other.stimuli) { ($0.count &+ $1.count, min($0.first, $1.first)) }
        objects.merge(other.objects) { (max($0.tracked, $1.tracked), max($0.released, $1.released)) }
        snapshots += other.snapshots
    }

    /// Whether time alone decides all that depends on the order of events.
    var isInOrder: Bool {
        !nodes.contains { $0.longest.isTied || $0.widest.isTied } && !handlers.contains { $0.slowest.isTied }
            && !subscriptions.contains { $0.waitsForMain && $0.waitsForOther }
            && stimuli.count <= TraceSummary.maximalStimuli && !Mark.areTied(stimuli.values.map(\.first).sorted())
            && !objects.values.contains { Mark.areTied([$0.tracked, $0.released]) && $0.tracked.thread != 0 }
            && !Mark.areTied(snapshots.map(\.mark).sorted())
    }
}

extension SummaryCount.Node {
    fileprivate mutating func add(_ other: SummaryCount.Node) {
        emissions &+= other.emissions
        replays &+= other.replays
        completions &+= other.completions
        failures &+= other.failures
        hops &+= other.hops
        refreshes &+= other.refreshes
        carriedOn &+= other.carriedOn
        internalDeliveries &+= other.internalDeliveries
        received &+= other.received
        handlerNanoseconds &+= other.handlerNanoseconds
        slowestHandlerNanoseconds = max(slowestHandlerNanoseconds, other.slowestHandlerNanoseconds)
        widest.offer(other.widest)
    }
}
