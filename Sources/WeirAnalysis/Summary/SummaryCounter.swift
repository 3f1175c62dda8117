import WeirTrace

/// Counts the events of a trace, one at a time, for a `TraceSummary`.
///
/// Invariants: per thread, the open deliveries lie in `open` from the outermost to the innermost, and
/// their depths rise.
struct SummaryCounter {
    private struct OpenDelivery {
        var subscription: UInt32
        var depth: Int
        var beganTicks: UInt64
        var isTimed: Bool
        /// The slot of the node whose value is delivered.
        var source: Int?
        /// The node whose value a terminal handler got and has not carried on so far.
        var uncarriedSource: Int?
    }

    private struct ThreadState {
        var summary: ThreadSummary
        var open: [OpenDelivery] = []
        /// The emission, completion or failure that was recorded last, if it carried a stamp.
        var stampedEmission: EventID?
        /// The emission, completion or failure that was recorded last, and the slot of its node.
        var lastEmission: (id: EventID, node: Int)?
    }

    /// What counting needs of a subscription, without its names.
    private struct Subscription {
        var id: UInt32
        var sourceSlot: Int
        var targetSlot: Int?
        var isTerminal: Bool
        var hasEnded = false
    }

    private var summary: TraceSummary
    private let definitions: TraceDefinitions
    private var subscriptions: [Subscription] = []
    private var slotOfSubscription = SlotTable()
    private var slotOfNode = SlotTable()
    private var threads: [ThreadState] = []
    private var slotOfThread = SlotTable()
    private var slotOfStimulus: [String: Int] = [:]
    private var liveObjects: Set<UInt32> = []

    init(header: TraceHeader, definitions: TraceDefinitions) {
        summary = TraceSummary(header: header)
        self.definitions = definitions
        for id in definitions.nodes.keys.sorted() { _ = slot(ofNode: id) }
        for subscription in definitions.subscriptions.values {
            slotOfSubscription[subscription.id] = subscriptions.count
            subscriptions.append(
                Subscription(
                    id: subscription.id, sourceSlot: slot(ofNode: subscription.source),
                    targetSlot: subscription.target.map { slot(ofNode: $0) },
                    isTerminal: !subscription.isInternal))
        }
    }

    mutating func count(_ event: TraceEvent) {
        summary.countByKind[Int(event.kind.rawValue & 31)] &+= 1
        summary.lastTicks = max(summary.lastTicks, event.ticks)
        let thread = slot(ofThread: event.id.thread)
        threads[thread].summary.events &+= 1
        threads[thread].summary.lastSequence = max(threads[thread].summary.lastSequence, event.id.sequence)
        switch event.kind {
        case .emitted:
            countEmission(event, thread)
            if !event.isReplayed { noteCarriedOn(by: event, thread) }
        case .completed, .failed: countEnding(event, thread)
        case .hopBegan: countHop(event)
        case .batchBegan: if event.cause == nil { summary.rootBatches &+= 1 }
        case .suppressed:
            // A superseded value is one that its own node drops, not one that a handler wrote.
            if event.reason != SuppressionReason.superseded.rawValue { noteCarriedOn(by: event, thread) }
            summary.nodes[slot(ofNode: event.subject)].suppressions[event.reason, default: 0] &+= 1
        case .deliveryBegan: begin(event, after: nil, thread)
        case .deliveryNext:
            begin(event, after: end(event, thread), thread)
        case .deliveryEnded: _ = end(event, thread)
        case .subscriptionEnded:
            if let slot = slotOfSubscription[event.subject] { subscriptions[slot].hasEnded = true }
        case .stimulusBegan: countStimulus(event.text)
        case .eventsLost:
            let (total, overflow) = summary.reportedLost.addingReportingOverflow(event.count)
            summary.reportedLost = overflow ? .max : total
        case .objectTracked: liveObjects.insert(event.subject)
        case .objectReleased: liveObjects.remove(event.subject)
        case .subscriptionStarted, .nodeCreated, .nodeReleased, .context, .stimulusEnded, .hopEnded, .batchEnded,
            .frame, .checkpoint:
            break
        }
    }

    func finish() -> TraceSummary {
        var result = summary
        result.threads = threads.map(\.summary).sorted { $0.number < $1.number }
        for subscription in subscriptions {
            if subscription.isTerminal {
                result.nodes[subscription.sourceSlot].subscribers += 1
                if !subscription.hasEnded { result.nodes[subscription.sourceSlot].liveSubscribers += 1 }
            } else {
                result.nodes[subscription.sourceSlot].internalSubscribers += 1
            }
        }
        result.liveObjects = liveObjects.sorted().map { definitions.objects[$0] ?? TraceObject(id: $0) }
        result.nodes.sort { $0.id < $1.id }
        return result
    }

    private mutating func countEmission(_ event: TraceEvent, _ thread: Int) {
        let slot = noteEmitter(event, thread)
        if event.isReplayed {
            summary.nodes[slot].replays &+= 1
        } else {
            summary.nodes[slot].emissions &+= 1
            if event.cause == nil { summary.rootEmissions &+= 1 }
        }
    }

    private mutating func countEnding(_ event: TraceEvent, _ thread: Int) {
        let slot = noteEmitter(event, thread)
        if event.kind == .completed {
            summary.nodes[slot].completions &+= 1
        } else {
            summary.nodes[slot].failures &+= 1
        }
        if event.cause == nil { summary.rootEndings &+= 1 }
    }

    private mutating func countHop(_ event: TraceEvent) {
        if event.subject != 0 { summary.nodes[slot(ofNode: event.subject)].hops &+= 1 }
        if event.cause == nil { summary.rootHops &+= 1 }
    }

    /// Keeps in mind whose deliveries may follow; returns the slot of the node.
    private mutating func noteEmitter(_ event: TraceEvent, _ thread: Int) -> Int {
        let slot = slot(ofNode: event.subject)
        threads[thread].stampedEmission = event.isStamped ? event.id : nil
        threads[thread].lastEmission = (event.id, slot)
        return slot
    }

    private mutating func begin(_ event: TraceEvent, after previous: OpenDelivery?, _ thread: Int) {
        // Beginnings whose ends are missing (lost, or cut off) lie as deep or deeper.
        while let last = threads[thread].open.last, last.depth >= event.depth {
            threads[thread].open.removeLast()
        }
        if event.isSettling {
            summary.settlingsByKind[event.kind, default: 0] &+= 1
            return
        }
        // The first delivery of a stamped emission follows it at once and shares its stamp.
        let isTimed = event.isStamped || event.cause == threads[thread].stampedEmission && isFirst(event)
        let slot = slotOfSubscription[event.subject]
        let isTerminal = slot.map { subscriptions[$0].isTerminal } ?? false
        let source = slot.map { subscriptions[$0].sourceSlot } ?? previous?.source ?? emitter(of: event, thread)
        threads[thread].open.append(
            OpenDelivery(
                subscription: event.subject, depth: event.depth, beganTicks: event.ticks,
                isTimed: isTerminal && isTimed, source: source,
                uncarriedSource: isTerminal && !event.deliversEnd ? source : nil))
        // Refreshes and their like are deliveries of values.
        if event.deliversEnd { return }
        guard let slot else {
            summary.unattributedDeliveries &+= 1
            if let source { summary.nodes[source].unknownDeliveries &+= 1 }
            return
        }
        if let target = subscriptions[slot].targetSlot { summary.nodes[target].received &+= 1 }
        if isTerminal {
            summary.nodes[subscriptions[slot].sourceSlot].refreshes &+= 1
        } else {
            summary.nodes[subscriptions[slot].sourceSlot].internalDeliveries &+= 1
        }
    }

    /// An emission or suppression within a terminal delivery: the handler carried the value on.
    private mutating func noteCarriedOn(by event: TraceEvent, _ thread: Int) {
        guard event.deliveringTo != 0,
            let last = threads[thread].open.lastIndex(where: { $0.depth <= event.depth }),
            threads[thread].open[last].subscription == event.deliveringTo,
            let source = threads[thread].open[last].uncarriedSource
        else { return }
        threads[thread].open[last].uncarriedSource = nil
        summary.nodes[source].carriedOn &+= 1
    }

    /// The node of the emission that a first delivery follows.
    private func emitter(of event: TraceEvent, _ thread: Int) -> Int? {
        guard let last = threads[thread].lastEmission, last.id == event.cause else { return nil }
        return last.node
    }

    private func isFirst(_ event: TraceEvent) -> Bool {
        event.kind == .deliveryBegan && event.cause?.sequence == event.id.sequence &- 1
    }

    /// Closes the delivery that ends with the event, and returns it.
    private mutating func end(_ event: TraceEvent, _ thread: Int) -> OpenDelivery? {
        while let last = threads[thread].open.last, last.depth > event.depth {
            threads[thread].open.removeLast()
        }
        guard let last = threads[thread].open.last, last.depth == event.depth else { return nil }
        threads[thread].open.removeLast()
        guard last.isTimed, event.isStamped, last.subscription == event.endedSubscription,
            event.ticks >= last.beganTicks, let slot = slotOfSubscription[last.subscription]
        else { return last }
        let spent = summary.timeScale.nanoseconds(ticks: event.ticks - last.beganTicks)
        let node = subscriptions[slot].sourceSlot
        summary.nodes[node].handlerNanoseconds &+= spent
        summary.nodes[node].slowestHandlerNanoseconds = max(
            summary.nodes[node].slowestHandlerNanoseconds, spent)
        return last
    }

    /// Traps where an invariant of the type does not hold; for tests.
    func checkInvariants() {
        for thread in threads {
            for (outer, inner) in zip(thread.open, thread.open.dropFirst()) {
                precondition(outer.depth < inner.depth, "the depths of open deliveries rise")
            }
        }
    }

    private mutating func countStimulus(_ whole: String) {
        // A name that nobody could read to its end must not fill the memory either.
        let text = whole.utf8.count > 2000 ? String(whole.prefix(500)) + "…" : whole
        if let slot = slotOfStimulus[text] {
            summary.stimuli[slot].count &+= 1
        } else if summary.stimuli.count < TraceSummary.maximalStimuli {
            slotOfStimulus[text] = summary.stimuli.count
            summary.stimuli.append(StimulusSummary(text: text, count: 1))
        } else {
            summary.otherStimuli &+= 1
        }
    }

    private mutating func slot(ofNode id: UInt32) -> Int {
        if let slot = slotOfNode[id] { return slot }
        slotOfNode[id] = summary.nodes.count
        summary.nodes.append(NodeSummary(id: id, node: definitions.nodes[id]))
        return summary.nodes.count - 1
    }

    private mutating func slot(ofThread number: UInt32) -> Int {
        if let slot = slotOfThread[number] { return slot }
        slotOfThread[number] = threads.count
        threads.append(ThreadState(summary: ThreadSummary(number: number)))
        return threads.count - 1
    }
}
