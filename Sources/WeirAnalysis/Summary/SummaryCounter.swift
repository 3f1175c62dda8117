@_spi(Records) import WeirTrace

/// Counts the events of a trace, one at a time, for a `TraceSummary`.
struct SummaryCounter {
    struct ThreadState {
        var summary: ThreadSummary
        var open = FrameWalk<OpenEmission>()
        /// The last recorded emission, completion or failure, if it had a time stamp.
        var stampedEmission: EventID?
        /// The last hop that began, and the emission in it for which a handler has waited.
        var hop: EventID?
        var awaited: EventID?
        /// The last recorded emission, completion or failure, and the slot of its node.
        var lastEmission: (id: EventID, node: Int)?
        /// The number of the last checkpoint.
        var lastCheckpoint: UInt64?
    }

    /// The part of a subscription that counting needs, without its names.
    struct Subscription {
        var id: UInt32
        var sourceSlot: Int
        var targetSlot: Int?
        var isTerminal: Bool
        /// The slot of its handler, if it is terminal.
        var handler: Int
        var hasEnded = false
        /// Calls that wait for the handler's actor; briefly negative if records of several threads are read out of order.
        var waiting: Int64 = 0
        var waitsForMain = false
    }

    var summary: TraceSummary
    let definitions: TraceDefinitions
    var subscriptions: [Subscription] = []
    var slotOfSubscription = SlotTable()
    private var slotOfNode = SlotTable()
    /// The state of the current thread, that of the last event; its element in `threads` is invalid.
    var here = ThreadState(summary: ThreadSummary(number: 0))
    private var slotOfHere = 0
    private var threads: [ThreadState] = []
    private var slotOfThread = SlotTable()
    var chains = LongestChains()
    var handlers = SlowHandlers()
    private var slotOfStimulus: [String: Int] = [:]
    var liveObjects: Set<UInt32> = []

    init(header: TraceHeader, definitions: TraceDefinitions) {
        summary = TraceSummary(header: header)
        self.definitions = definitions
        for id in definitions.nodes.keys.sorted() { _ = slot(ofNode: id) }
        for subscription in definitions.subscriptions.values {
            slotOfSubscription[subscription.id] = subscriptions.count
            let source = slot(ofNode: subscription.source)
            subscriptions.append(
                Subscription(
                    id: subscription.id, sourceSlot: source, targetSlot: subscription.target.map { slot(ofNode: $0) },
                    isTerminal: !subscription.isInternal,
                    handler: subscription.isInternal
                        ? -1 : handlers.slot(at: subscription.site, observing: summary.nodes[source].name)))
        }
    }

    mutating func count(_ event: TraceEvent) {
        summary.countByKind[Int(event.kind.rawValue & 31)] &+= 1
        summary.lastTicks = max(summary.lastTicks, event.ticks)
        if event.isStamped { summary.stampedEvents &+= 1 }
        if event.id.thread != here.summary.number || threads.isEmpty { come(to: event.id.thread) }
        here.summary.events &+= 1
        here.summary.lastSequence = max(here.summary.lastSequence, event.id.sequence)
        here.open.settle(before: event)
        switch event.kind {
        case .emitted:
            // First, because the emission may open a frame of its own.
            if !event.isReplayed { noteCarriedOn(by: event) }
            countEmission(event)
            here.awaited = event.isReplayed && event.cause != nil && event.cause == here.hop ? event.id : nil
        case .completed, .failed: countEnding(event)
        case .hopBegan:
            countHop(event)
            here.hop = event.id
            here.open.open(event, OpenEmission())
        case .hopScheduled:
            guard let slot = slotOfSubscription[event.subject] else { break }
            subscriptions[slot].waiting += 1
            subscriptions[slot].waitsForMain = event.count == 1
        case .batchBegan:
            if event.cause == nil { summary.rootBatches &+= 1 }
            here.open.open(event, OpenEmission())
        case .suppressed:
            // A superseded value is dropped by its own node, and was not written by a handler.
            if event.reason != SuppressionReason.superseded.rawValue { noteCarriedOn(by: event) }
            summary.nodes[slot(ofNode: event.subject)].suppressions[event.reason, default: 0] &+= 1
        case .deliveryBegan: begin(event, after: nil)
        case .deliveryNext: begin(event, after: end(event))
        case .deliveryEnded:
            _ = end(event)
            if here.open.delivering(event) != nil { here.open.closeInnermost() }
        case .subscriptionEnded:
            if let slot = slotOfSubscription[event.subject] { subscriptions[slot].hasEnded = true }
        case .stimulusBegan:
            countStimulus(event.text)
            here.open.open(event, OpenEmission())
        case .eventsLost:
            let (total, overflow) = summary.reportedLost.addingReportingOverflow(event.count)
            summary.reportedLost = overflow ? .max : total
        case .checkpoint: here.lastCheckpoint = event.id.sequence
        case .snapshotTaken:
            let isAtCheckpoint = here.lastCheckpoint.map { $0 &+ 1 == event.id.sequence } ?? false
            summary.snapshots.count(
                pause: event.count, isAtCheckpoint: isAtCheckpoint, isWhole: definitions.hasSnapshot(event.subject))
        case .objectTracked: liveObjects.insert(event.subject)
        case .objectReleased: liveObjects.remove(event.subject)
        case .subscriptionStarted, .nodeCreated, .nodeReleased, .written, .context, .stimulusEnded, .hopEnded,
            .batchEnded, .frame, .objectExpected:
            break
        }
    }

    func finish() -> TraceSummary {
        var result = summary
        result.threads = states.map(\.summary).sorted { $0.number < $1.number }
        for subscription in subscriptions {
            if subscription.isTerminal {
                result.nodes[subscription.sourceSlot].subscribers += 1
                if !subscription.hasEnded { result.nodes[subscription.sourceSlot].liveSubscribers += 1 }
            } else {
                result.nodes[subscription.sourceSlot].internalSubscribers += 1
            }
        }
        result.waitingHandlers = waitingHandlers
        result.disclosures = Disclosure.all(in: definitions)
        result.liveObjects = liveObjects.sorted().map { definitions.objects[$0] ?? TraceObject(id: $0) }
        result.nodes.sort { $0.id < $1.id }
        result.longestChains = chains.longestFirst
        result.slowestHandlers = handlers.slowestFirst
        return result
    }

    /// Handlers of one call site are merged.
    private var waitingHandlers: [WaitingHandlers] {
        var found: [WaitingHandlers] = []
        let waiting = subscriptions.filter { $0.waiting > 0 && !$0.hasEnded }.sorted { $0.id < $1.id }
        for subscription in waiting {
            let site = definitions.subscriptions[subscription.id]?.site
            let place = found.firstIndex { $0.site == site && $0.isForMain == subscription.waitsForMain }
            if let place {
                found[place].handlers += 1
                found[place].calls += UInt64(subscription.waiting)
            } else {
                found.append(
                    WaitingHandlers(
                        site: site, isForMain: subscription.waitsForMain, handlers: 1,
                        calls: UInt64(subscription.waiting)))
            }
        }
        return found
    }

    private mutating func countEmission(_ event: TraceEvent) {
        let slot = noteEmitter(event)
        if event.isReplayed {
            summary.nodes[slot].replays &+= 1
        } else {
            summary.nodes[slot].emissions &+= 1
            if event.cause == nil { summary.rootEmissions &+= 1 }
        }
    }

    private mutating func countEnding(_ event: TraceEvent) {
        let slot = noteEmitter(event)
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

    /// Notes the emitter of the deliveries that may follow; returns the slot of the node.
    private mutating func noteEmitter(_ event: TraceEvent) -> Int {
        let slot = slot(ofNode: event.subject)
        here.stampedEmission = event.isStamped ? event.id : nil
        here.lastEmission = (event.id, slot)
        let link = chains.take(event, slot: slot, in: here.open)
        here.open.open(event, OpenEmission(link: link))
        return slot
    }

    private mutating func begin(_ event: TraceEvent, after previous: OpenEmission.Delivery?) {
        if event.isSettling {
            summary.settlingsByKind[event.kind, default: 0] &+= 1
            return
        }
        // The first delivery of a stamped emission follows it at once and shares its stamp.
        let isTimed = event.isStamped || event.cause == here.stampedEmission && isFirst(event)
        let slot = slotOfSubscription[event.subject]
        let isTerminal = slot.map { subscriptions[$0].isTerminal } ?? false
        let source = slot.map { subscriptions[$0].sourceSlot } ?? previous?.source.map(Int.init) ?? emitter(of: event)
        let isNext = previous?.subscription == event.endedSubscription
        let delivery = OpenEmission.Delivery(
            subscription: event.subject, ordinal: (isNext ? previous?.ordinal ?? 0 : 0) &+ 1, began: event.id.sequence,
            beganTicks: event.ticks, source: source.map { Int32(clamping: $0) },
            isTimed: isTerminal && isTimed, isUncarried: isTerminal && !event.deliversEnd)
        if let frame = here.open.delivering(event) {
            here.open[frame].delivery = delivery
        } else {
            here.open.restore(event.cause?.sequence ?? 0, delivering: event, OpenEmission(delivery: delivery))
        }
        // From here on, only deliveries of values count.
        if event.deliversEnd { return }
        if let slot, let awaited = here.awaited, event.cause == awaited { subscriptions[slot].waiting -= 1 }
        if slot == nil { summary.unattributedDeliveries &+= 1 }
        if let source {
            summary.nodes[source].count(
                slot == nil ? .unknown : isTerminal ? .refresh : .feed, ordinal: delivery.ordinal, of: event.cause)
        }
        if let slot, let target = subscriptions[slot].targetSlot { summary.nodes[target].received &+= 1 }
    }

    /// Counts an emission or suppression within a terminal delivery: the handler carried the value on.
    private mutating func noteCarriedOn(by event: TraceEvent) {
        guard event.deliveringTo != 0, let frame = here.open.causing, let delivery = here.open[frame].delivery,
            delivery.isUncarried, delivery.subscription == event.deliveringTo
        else { return }
        // Once for each delivery.
        here.open[frame].delivery?.isUncarried = false
        if let source = delivery.source { summary.nodes[Int(source)].carriedOn &+= 1 }
    }

    /// The node of the emission that a first delivery follows.
    private func emitter(of event: TraceEvent) -> Int? {
        guard let last = here.lastEmission, last.id == event.cause else { return nil }
        return last.node
    }

    private func isFirst(_ event: TraceEvent) -> Bool {
        event.kind == .deliveryBegan && event.cause?.sequence == event.id.sequence &- 1
    }

    /// Closes the delivery that ends with the event, and returns it.
    private mutating func end(_ event: TraceEvent) -> OpenEmission.Delivery? {
        guard let frame = here.open.delivering(event), let last = here.open[frame].delivery else { return nil }
        here.open[frame].delivery = nil
        guard last.isTimed, event.isStamped, last.subscription == event.endedSubscription,
            event.ticks >= last.beganTicks, let slot = slotOfSubscription[last.subscription]
        else { return last }
        let spent = summary.timeScale.nanoseconds(ticks: event.ticks - last.beganTicks)
        let subscription = subscriptions[slot]
        summary.nodes[subscription.sourceSlot].addHandlerTime(spent)
        handlers.add(spent, EventID(thread: event.id.thread, sequence: last.began), slot: subscription.handler)
        return last
    }

    /// Traps if an invariant of its parts does not hold; for tests.
    func checkInvariants() {
        for state in states { state.open.checkInvariants() }
    }

    /// The name under which stimuli are counted: very long names must not fill the memory.
    static func stimulusName(_ text: String) -> String {
        text.utf8.count > 2000 ? String(text.prefix(500)) + "…" : text
    }

    private mutating func countStimulus(_ whole: String) {
        let text = Self.stimulusName(whole)
        if let slot = slotOfStimulus[text] {
            summary.stimuli[slot].count &+= 1
        } else if summary.stimuli.count < TraceSummary.maximalStimuli {
            slotOfStimulus[text] = summary.stimuli.count
            summary.stimuli.append(StimulusSummary(text: text, count: 1))
        } else {
            summary.otherStimuli &+= 1
        }
    }

    mutating func slot(ofNode id: UInt32) -> Int {
        if let slot = slotOfNode[id] { return slot }
        slotOfNode[id] = summary.nodes.count
        summary.nodes.append(NodeSummary(id: id, node: definitions.nodes[id]))
        return summary.nodes.count - 1
    }

    /// All threads, including the state of the current one.
    private var states: [ThreadState] {
        var result = threads
        if slotOfHere < result.count { result[slotOfHere] = here }
        return result
    }

    mutating func come(to number: UInt32) {
        // The state of the current thread is kept outside the array: repeated access through the array would cost more than
        // counting.
        if slotOfHere < threads.count { swap(&here, &threads[slotOfHere]) }
        if slotOfThread[number] == nil {
            slotOfThread[number] = threads.count
            threads.append(ThreadState(summary: ThreadSummary(number: number)))
        }
        slotOfHere = slotOfThread[number] ?? 0
        swap(&here, &threads[slotOfHere])
    }
}
