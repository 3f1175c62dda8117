import WeirTrace

/// The handlers that may have been meant to write to a node, and the inputs that never gave it a value.
extension WhyNotAnswer {
    /// The nodes that the called handlers write to, by id of the subscription; empty for those of which the trace shows no write.
    func writes(of handlers: [Int]) -> [UInt32: [UInt32]] {
        var writes: [UInt32: [UInt32]] = [:]
        for handler in handlers {
            writes[topology.subscriptions[handler].id] = search.nodesWritten(by: handler).map { topology.nodeIDs[$0] }
        }
        return writes.filter { !$0.value.isEmpty }
    }

    /// The handlers in the file of a node that received no value: neither before they ended, nor until the end of the trace.
    func unheardHandlers(near place: Int, before stimulus: TraceEvent) -> [WhyNot.UnheardHandler] {
        guard let file = topology.definitions.nodes[topology.nodeIDs[place]]?.site?.file else { return [] }
        let candidates = topology.subscriptions.indices.filter {
            !topology.subscriptions[$0].isInternal && topology.subscriptions[$0].site?.file == file
                && reach.deliveries[$0] == nil
                && (topology.targets[$0] < 0 || before.life(ofSubscription: $0) == .ended)
        }
        var unheard = Set(candidates.map { topology.subscriptions[$0].id })
        var ends: [UInt32: WhyNot.UnheardHandler.Fate] = [:]
        forEachEvent(of: candidates, [.deliveryBegan, .deliveryNext, .subscriptionEnded]) { event in
            switch event.kind {
            case .deliveryBegan, .deliveryNext: if !event.deliversEnd { unheard.remove(event.subject) }
            case .subscriptionEnded where Self.isEarlier(event, than: stimulus):
                ends[event.subject] = .ended(event.id, reason: event.reason)
            default: break
            }
            return !unheard.isEmpty
        }
        let found = candidates.filter { unheard.contains(topology.subscriptions[$0].id) }
        return zip(found, lives(found)).compactMap { place, life in
            let id = topology.subscriptions[place].id
            let isEnded = before.life(ofSubscription: place) == .ended
            guard let fate = ends[id] ?? (isEnded ? nil : .waited(since: life.start)) else { return nil }
            return WhyNot.UnheardHandler(subscription: id, fate: fate)
        }
    }

    /// The objects that were tracked when one of the handlers was subscribed, or first called, and released before the stimulus.
    ///
    /// Between the two, no other stimulus began: the same code is likely to have made both.
    func releasedObjects(of handlers: [Int], before stimulus: TraceEvent) -> [WhyNot.ReleasedObject] {
        // Only the end of a long trace is read.
        if handlers.isEmpty || topology.definitions.objects.isEmpty || writersSince != nil { return [] }
        let ids = Set(handlers.map { topology.subscriptions[$0].id })
        var (stimuli, known): (Int, Set<UInt32>) = (0, [])
        var tracked: [UInt32: Int] = [:]
        var related: Set<UInt32> = []
        var released: [WhyNot.ReleasedObject] = []
        forEachEvent(of: handlers, [.deliveryBegan, .deliveryNext, .subscriptionStarted], until: stimulus.ticks) {
            event in
            guard Self.isEarlier(event, than: stimulus) else { return true }
            switch event.kind {
            case .stimulusBegan: stimuli += 1
            case .objectTracked: tracked[event.subject] = stimuli
            case .objectReleased:
                if related.remove(event.subject) != nil {
                    released.append(WhyNot.ReleasedObject(object: event.subject, event: event.id))
                }
                tracked[event.subject] = nil
            case .subscriptionStarted, .deliveryBegan, .deliveryNext:
                guard ids.contains(event.subject), known.insert(event.subject).inserted else { break }
                for (object, number) in tracked where number == stimuli { related.insert(object) }
            default: break
            }
            return true
        }
        return released.suffix(Self.mostNamed)
    }

    /// The inputs of a node that have emitted nothing since they were made, because the values behind them have not changed.
    func silentFeeds(of place: Int) -> [WhyNot.SilentFeed] {
        var found: [WhyNot.SilentFeed] = []
        for input in topology.inputs[place] where before.life(ofSubscription: input) == .alive {
            guard found.count < Self.mostNamed, let feed = silentFeed(topology.sources[input]) else { continue }
            found.append(feed)
        }
        return found
    }

    /// The multicasts before a node, or before a handler that waited, whose subject received nothing and was never connected.
    func unconnectedMulticasts(before place: Int, _ unheard: [WhyNot.UnheardHandler]) -> [UInt32] {
        let waiting = unheard.compactMap { handler -> Int? in
            guard case .waited = handler.fate else { return nil }
            return topology.place(ofSubscription: handler.subscription).map { topology.sources[$0] }
        }
        let found = Set(([place] + waiting).flatMap(search.nodesOnTheWay)).filter { node in
            topology.definitions.nodes[topology.nodeIDs[node]]?.kind == .multicast
                && !topology.inputs[node].isEmpty
                && topology.inputs[node].allSatisfy {
                    topology.inputs[topology.sources[$0]].isEmpty && !before.hasEmitted(topology.sources[$0])
                }
        }
        return found.map { topology.nodeIDs[$0] }.sorted()
    }

    /// A chain of operators, up to the node whose value it passes on, if nothing has passed it.
    private func silentFeed(_ operation: Int) -> WhyNot.SilentFeed? {
        var place = operation
        for _ in 0..<Self.longestChain {
            guard let node = topology.definitions.nodes[topology.nodeIDs[place]], let kind = node.kind else {
                return nil
            }
            if kind == .observable || kind == .combiner {
                guard place != operation else { return nil }
                let held = held(place)
                guard held.change == nil, held.value != .notRecorded, reach.nodes[place] == nil else { return nil }
                return WhyNot.SilentFeed(
                    node: topology.nodeIDs[operation], source: topology.nodeIDs[place], value: held.value)
            }
            guard kind.isPassing, topology.inputs[place].count == 1,
                before.life(ofSubscription: topology.inputs[place][0]) == .alive
            else { return nil }
            place = topology.sources[topology.inputs[place][0]]
        }
        return nil
    }

    /// Events of subscriptions up to a time, of these kinds, and all rare events, until `body` returns false.
    private func forEachEvent(
        of subscriptions: [Int], _ kinds: [EventKind], until end: UInt64 = .max, _ body: (TraceEvent) -> Bool
    ) {
        if subscriptions.isEmpty { return }
        var filter = RecordFilter()
        filter.kinds = kinds.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
        filter.ticks = 0...end
        var wanted = [Bool](repeating: false, count: Int(topology.subscriptions.last?.id ?? 0) + 1)
        for place in subscriptions { wanted[Int(topology.subscriptions[place].id)] = true }
        filter.subjects = ([], wanted)
        reader.forEachEvent(passing: filter, body)
    }

    /// Whether an event is before the stimulus; several may have its time.
    static func isEarlier(_ event: TraceEvent, than stimulus: TraceEvent) -> Bool {
        event.id.thread == stimulus.id.thread
            ? event.id.sequence < stimulus.id.sequence : event.ticks < stimulus.ticks
    }

    private static let mostNamed = 3
    private static let longestChain = 16
}

extension NodeKind {
    /// Whether it passes on values of its only source, or what it makes of them, and begins with none of its own.
    fileprivate var isPassing: Bool {
        switch self {
        case .map, .compactMap, .filter, .removeDuplicates, .deliver, .delay, .debounce, .throttle, .onEvent, .disclose,
            .print,
            .changes:
            true
        default: false
        }
    }
}
