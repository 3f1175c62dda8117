import WeirTrace

/// The events that one stimulus caused, hops included, and the nodes and subscriptions that they reached.
struct Reach {
    /// By index of the node.
    private(set) var nodes: [Int: WhyNot.Reached] = [:]
    /// The last value of a node that went no further, by index of the node.
    private(set) var suppressions: [Int: EventID] = [:]
    /// How many of a node's values went no further, by index of the node.
    private(set) var suppressionCounts: [Int: UInt64] = [:]
    /// How many writes to a node a batch kept, by index of the node.
    private(set) var batchedWrites: [Int: UInt64] = [:]
    /// The last completion or failure of a node, by index of the node.
    private(set) var endings: [Int: EventID] = [:]
    /// The last delivery through a subscription, by index of the subscription.
    private(set) var deliveries: [Int: EventID] = [:]
    /// The last value that waited for a handler's actor, by index of the subscription.
    private var awaited: [Int: EventID] = [:]
    /// How many events were seen when a node was made, whatever its cause, by index of the node.
    private var makings: [Int: UInt64] = [:]
    /// How many events were seen at the last one that the stimulus caused.
    private var lastInside: UInt64 = 0
    /// The indexes of the nodes whose last value waits for the node to run.
    private(set) var waits: Set<Int> = []
    /// The indexes of the subscriptions that began.
    private(set) var starts: Set<Int> = []
    /// The event at which a fed node dropped its value, for a newer one or because it was disposed, by index of the node: the first of
    /// another cause, if there is one.
    private(set) var discards: [Int: EventID] = [:]
    /// The end of the last request that a `flatMap` or an execution began because of the stimulus, whatever caused the end, by index
    /// of the node.
    private(set) var requestEnds: [Int: EventID] = [:]
    /// The first event of another cause that changed a node, by index of the node, unless the stimulus had changed it.
    private(set) var otherChanges: [Int: EventID] = [:]
    /// The indexes of the subscriptions that have received something of another cause since.
    private var haveReceivedMore: Set<Int> = []
    /// The indexes of the nodes for which the newer value has another cause.
    private(set) var replaced: Set<Int> = []
    /// The indexes of the nodes that were fed.
    private(set) var fed: Set<Int> = []
    /// How many events were seen when a subscription began, whatever its cause, by index of the subscription.
    private var beginnings: [Int: UInt64] = [:]
    /// How many events were seen when a subscription ended, whatever its cause, by index of the subscription.
    private var ends: [Int: UInt64] = [:]
    /// How many events were seen when a node last emitted, by index of the node.
    private var lastEmissions: [Int: UInt64] = [:]
    /// How many events were seen when a node's last emission ended, by index of the node.
    private var overAt: [Int: UInt64] = [:]
    private var openEmissions: [EventID: Int] = [:]
    /// The nodes whose last emission has reached a handler or a node.
    private var heard: Set<Int> = []
    private var count: UInt64 = 0
    private let stimulus: EventID
    /// If it is no stimulus: the event that caused it.
    private var frame: EventID?
    private let topology: Topology
    private var order: [Int] = []
    /// The refreshes of nodes that have not emitted a new value yet, which are replays.
    private var earlyRefreshes: [Int: UInt64] = [:]
    private var scope = StimulusScope()

    init(of stimulus: EventID, _ topology: Topology) {
        self.stimulus = stimulus
        self.topology = topology
    }

    /// The nodes that emitted, in the order of their first emissions.
    var reached: [WhyNot.Reached] { order.compactMap { nodes[$0] } }

    /// The indexes of the subscriptions whose handlers were called, in order.
    var calledHandlers: [Int] { deliveries.keys.filter { !topology.subscriptions[$0].isInternal }.sorted() }

    /// The indexes of the subscriptions whose handlers wait for their actor, in order.
    var waitingHandlers: [Int] { awaited.keys.filter { waitForActor($0) != nil }.sorted() }

    /// The event since which a handler waited for its actor until the end of the trace; nil if it did not.
    func waitForActor(_ subscription: Int) -> EventID? {
        deliveries[subscription] == nil && ends[subscription] == nil ? awaited[subscription] : nil
    }

    /// Whether a subscription, missing at first, began only after the last emission of its source.
    func beganLate(_ subscription: Int) -> Bool {
        guard let beginning = beginnings[subscription] else { return true }
        return beginning > lastEmissions[topology.sources[subscription]] ?? 0
    }

    /// Whether a subscription had ended before its source's last emission was delivered to all.
    func hadEnded(_ subscription: Int) -> Bool {
        guard let end = ends[subscription] else { return false }
        return end < overAt[topology.sources[subscription]] ?? .max
    }

    /// Whether a node was made before the last effect of the stimulus.
    func wasMade(_ node: Int) -> Bool { makings[node].map { $0 <= lastInside } ?? false }

    /// Whether a subscription, missing at first, began.
    func hasBegun(_ subscription: Int) -> Bool { beginnings[subscription] != nil }

    /// Whether a subscription had ended before the last emission of another node was delivered to all.
    func hadEnded(_ subscription: Int, beforeEmissionOf node: Int) -> Bool {
        guard let end = ends[subscription] else { return false }
        return end < overAt[node] ?? .max
    }

    /// Whether the last that a subscription received in the trace came from the stimulus.
    func receivesNoMore(_ subscription: Int) -> Bool {
        deliveries[subscription] != nil && ends[subscription] == nil && !haveReceivedMore.contains(subscription)
    }

    /// Whether a subscription has ended by the end of the trace.
    func isOver(_ subscription: Int) -> Bool { ends[subscription] != nil }

    mutating func take(_ event: TraceEvent) {
        count &+= 1
        if event.kind == .nodeCreated, let place = topology.place(ofNode: event.subject) { makings[place] = count }
        if event.kind == .subscriptionStarted || event.kind == .subscriptionEnded,
            let place = topology.place(ofSubscription: event.subject)
        {
            if event.kind == .subscriptionStarted {
                beginnings[place] = count
            } else {
                ends[place] = count
                takeEnd(event, of: place)
                // The delivery found no target, and only ended the binding.
                if event.endReason == .targetReleased, !topology.subscriptions[place].isInternal,
                    deliveries.removeValue(forKey: place) != nil,
                    let refreshes = nodes[topology.sources[place]]?.refreshes
                {
                    nodes[topology.sources[place]]?.refreshes = max(1, refreshes) - 1
                }
            }
        }
        if event.id == stimulus, event.kind != .stimulusBegan { frame = event.cause }
        let isInside = scope.contains(event, isChosen: event.id == stimulus || settles(event))
        if event.kind == .suppressed, let place = topology.place(ofNode: event.subject), fed.contains(place) {
            if event.suppressionReason == .superseded { takeDiscard(event, place, isInside) }
            // A disposal by another cause takes the value that waits.
            if event.suppressionReason == .disposed, !isInside, nodes[place] == nil, discards[place] == nil {
                discards[place] = event.id
            }
        }
        guard isInside else {
            takeOther(event)
            return
        }
        lastInside = count
        switch event.kind {
        case .emitted where !event.isReplayed: takeEmission(event)
        case .suppressed:
            // The buffer of a stream drops elements that nothing fed.
            if let place = topology.place(ofNode: event.subject),
                event.suppressionReason != .superseded || isSequence(place)
            {
                suppressions[place] = event.id
                if event.suppressionReason == .waiting { waits.insert(place) } else { waits.remove(place) }
                suppressionCounts[place, default: 0] &+= 1
                if event.suppressionReason == .batched { batchedWrites[place, default: 0] &+= 1 }
            }
        case .completed, .failed:
            if let place = topology.place(ofNode: event.subject) { endings[place] = event.id }
        case .hopScheduled:
            if let place = topology.place(ofSubscription: event.subject) { awaited[place] = event.id }
        case .subscriptionStarted:
            if let place = topology.place(ofSubscription: event.subject) { starts.insert(place) }
        case .deliveryBegan, .deliveryNext:
            guard !event.deliversEnd, let place = topology.place(ofSubscription: event.subject) else { return }
            deliveries[place] = event.id
            haveReceivedMore.remove(place)
            if !topology.subscriptions[place].isInternal || topology.targets[place] >= 0 {
                heard.insert(topology.sources[place])
            }
            if !topology.subscriptions[place].isInternal {
                countRefresh(topology.sources[place])
            } else if topology.targets[place] >= 0 {
                fed.insert(topology.targets[place])
            }
        case .deliveryEnded:
            if let emission = event.cause, let place = openEmissions.removeValue(forKey: emission) {
                overAt[place] = count
                // A subscription that only watches for changes counts as none.
                if nodes[place]?.last == emission, !heard.contains(place) { nodes[place]?.hadNoSubscriber = true }
            }
        default: break
        }
    }

    /// Whether a combiner that waits because of an emission computes at the end of what caused the emission, such as a batch.
    private func settles(_ event: TraceEvent) -> Bool {
        guard let frame, event.cause == frame, event.kind == .suppressed || event.kind == .emitted && !event.isReplayed,
            let place = topology.place(ofNode: event.subject), waits.contains(place)
        else { return false }
        return topology.definitions.nodes[event.subject]?.kind == .combiner
    }

    private mutating func takeDiscard(_ event: TraceEvent, _ place: Int, _ isInside: Bool) {
        if isInside {
            if discards[place] == nil { discards[place] = event.id }
        } else if nodes[place] == nil, replaced.insert(place).inserted {
            discards[place] = event.id
        }
    }

    /// Takes an event of another cause.
    private mutating func takeOther(_ event: TraceEvent) {
        switch event.kind {
        case .emitted where !event.isReplayed:
            guard let place = topology.place(ofNode: event.subject) else { return }
            if nodes[place] == nil, otherChanges[place] == nil { otherChanges[place] = event.id }
            if nodes[place]?.next == nil { nodes[place]?.next = event.id }
        case .deliveryBegan, .deliveryNext:
            guard !deliveries.isEmpty, let place = topology.place(ofSubscription: event.subject),
                deliveries[place] != nil
            else { return }
            haveReceivedMore.insert(place)
        default: break
        }
    }

    private mutating func takeEnd(_ end: TraceEvent, of subscription: Int) {
        guard starts.contains(subscription), case let node = topology.targets[subscription], node >= 0 else { return }
        switch topology.definitions.nodes[topology.nodeIDs[node]]?.kind {
        case .flatMap, .execution: requestEnds[node] = end.id
        default: break
        }
    }

    /// Whether a node represents an asynchronous sequence or stream.
    private func isSequence(_ node: Int) -> Bool {
        topology.definitions.nodes[topology.nodeIDs[node]]?.technique == .asyncSequence
    }

    private mutating func countRefresh(_ node: Int) {
        if nodes[node] == nil { earlyRefreshes[node, default: 0] &+= 1 } else { nodes[node]?.refreshes &+= 1 }
    }

    private mutating func takeEmission(_ event: TraceEvent) {
        guard let place = topology.place(ofNode: event.subject) else { return }
        if nodes[place] == nil {
            order.append(place)
            nodes[place] = WhyNot.Reached(
                node: event.subject, first: event.id, last: event.id, value: event.value,
                hadNoSubscriber: !event.delivers)
            nodes[place]?.hasChangedBefore = otherChanges[place] != nil
            nodes[place]?.refreshes = earlyRefreshes.removeValue(forKey: place) ?? 0
        }
        lastEmissions[place] = count
        overAt[place] = event.delivers ? nil : count
        if event.delivers { openEmissions[event.id] = place }
        heard.remove(place)
        nodes[place]?.emissions &+= 1
        nodes[place]?.last = event.id
        nodes[place]?.next = nil
        nodes[place]?.value = event.value
        nodes[place]?.hadNoSubscriber = !event.delivers
    }
}
