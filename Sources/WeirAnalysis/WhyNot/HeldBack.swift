import WeirTrace

extension WhyNot {
    /// A node on the way to the one that did not change, which held something back when the stimulus came.
    package struct Held: Sendable, Equatable {
        /// A value or signals that a node held back.
        package enum What: Sendable, Equatable {
            /// A value that the node suppressed for the time being.
            case suppressed(CauseStep)
            /// A value that the node had received at this event, through the subscription with this id.
            case received(EventID, subscription: UInt32)
            /// The signals that follow the one to which it was subscribed, through the subscription with this id.
            case signals(after: UInt32)
        }

        /// The id of the node.
        package let node: UInt32
        /// The value or signals.
        package let what: What
    }
}

/// Finds what operators held back when a stimulus came, from their last events before it.
struct HeldBack {
    private enum Last {
        case suppressed(EventID)
        case received(EventID, subscription: UInt32)
    }

    private let topology: Topology
    private let before: PriorState
    /// The indexes of the nodes on the way, nearest to the asked one first.
    private let nodes: [Int]
    private var last: [UInt32: Last] = [:]

    init(_ nodes: [Int], _ before: PriorState) {
        (self.nodes, self.before, topology) = (nodes, before, before.topology)
    }

    /// The values and signals that the nodes held back, nearest first.
    ///
    /// Reads the events of these nodes from a time to the stimulus.
    mutating func found(
        in reader: TraceReader, from start: UInt64, before stimulus: TraceEvent,
        _ steps: ([EventID]) -> [EventID: CauseStep]
    ) -> [WhyNot.Held] {
        read(reader, from: start, before: stimulus)
        let events = last.values.compactMap { if case .suppressed(let event) = $0 { event } else { nil } }
        let steps = events.isEmpty ? [:] : steps(events)
        return nodes.compactMap { place in
            let node = topology.nodeIDs[place]
            if let signals = waitingSignals(of: place) { return WhyNot.Held(node: node, what: signals) }
            switch last[node] {
            case .suppressed? where topology.runs.isFlatMap(place):
                return running(by: place).map { WhyNot.Held(node: node, what: .signals(after: $0)) }
            case .suppressed(let event)?: return steps[event].map { WhyNot.Held(node: node, what: .suppressed($0)) }
            case .received(let event, let id)?: return WhyNot.Held(node: node, what: .received(event, subscription: id))
            case nil: return nil
            }
        }
    }

    private mutating func read(_ reader: TraceReader, from start: UInt64, before stimulus: TraceEvent) {
        let operators = nodes.filter { kind($0).map(Self.mayHold) ?? false }
        guard !operators.isEmpty else { return }
        var filter = RecordFilter()
        filter.ticks = min(start, stimulus.ticks)...stimulus.ticks
        filter.kinds = 0
        for kind in [
            EventKind.emitted, .suppressed, .deliveryBegan, .deliveryNext, .completed, .failed, .subscriptionStarted,
        ] {
            filter.kinds |= 1 << UInt32(kind.rawValue)
        }
        let keeping = Set(
            operators.flatMap {
                Self.keeps(kind($0)) || topology.runs.isFlatMap($0) ? topology.inputs[$0] : []
            })
        var targets: [UInt32: Int] = [:]
        for input in keeping { targets[topology.subscriptions[input].id] = topology.targets[input] }
        let held = Set(operators.map { topology.nodeIDs[$0] })
        reader.forEachEvent(passing: filter) { event in
            if WhyNotAnswer.isEarlier(event, than: stimulus) { take(event, held, targets) }
            return true
        }
    }

    private mutating func take(_ event: TraceEvent, _ held: Set<UInt32>, _ targets: [UInt32: Int]) {
        switch event.kind {
        case .emitted, .completed, .failed:
            // The signal that a flatMap runs emits, while others wait.
            if held.contains(event.subject), topology.definitions.nodes[event.subject]?.kind != .flatMap {
                last[event.subject] = nil
            }
        case .suppressed where held.contains(event.subject):
            switch event.suppressionReason {
            case .waiting: last[event.subject] = .suppressed(event.id)
            case .superseded where Self.keeps(topology.definitions.nodes[event.subject]?.kind):
                last[event.subject] = .suppressed(event.id)
            default: last[event.subject] = nil
            }
        case .subscriptionStarted:
            if let target = targets[event.subject], topology.runs.isFlatMap(target) {
                last[topology.nodeIDs[target]] = nil
            }
        case .deliveryBegan, .deliveryNext:
            guard !event.deliversEnd, let target = targets[event.subject], Self.keeps(kind(target)) else { return }
            last[topology.nodeIDs[target]] = .received(event.id, subscription: event.subject)
        default: break
        }
    }

    /// The signals of a `concat` that wait for the completion of the first one; nil: none do, or the trace does not show it.
    private func waitingSignals(of place: Int) -> WhyNot.Held.What? {
        guard kind(place) == .concat else { return nil }
        // After the first one, the trace does not show whether more follow.
        let first = topology.inputs[place].first { before.life(ofSubscription: $0) != .unmentioned }
        guard let first, before.life(ofSubscription: first) == .alive else { return nil }
        return .signals(after: topology.subscriptions[first].id)
    }

    /// The id of the subscription to the signal that a `flatMap` runs.
    private func running(by place: Int) -> UInt32? {
        topology.inputs[place].dropFirst().last { before.life(ofSubscription: $0) == .alive }
            .map { topology.subscriptions[$0].id }
    }

    private func kind(_ place: Int) -> NodeKind? { topology.definitions.nodes[topology.nodeIDs[place]]?.kind }

    /// Whether an operator keeps each value that it receives for a while.
    private static func keeps(_ kind: NodeKind?) -> Bool {
        switch kind {
        case .buffer, .collect, .debounce, .delay, .deliver, .last, .reduce, .throttle: true
        default: false
        }
    }

    private static func mayHold(_ kind: NodeKind) -> Bool {
        switch kind {
        case .combineLatest, .flatMap, .sample, .withLatest, .zip: true
        default: keeps(kind)
        }
    }
}
