import WeirTrace

@testable import WeirAnalysis

/// The state at any moment of a trace, computed by looking back over all events, without any stored state.
struct NaiveInterpreter {
    let events: [TraceEvent]
    let definitions: TraceDefinitions
    private let kinds: [EventKind]
    /// The frames of each thread.
    let frames: [UInt32: [NaiveFrame]]
    /// The place of each event in the grammar.
    let places: [NaivePlace]
    /// The positions of the events of each node.
    private var ofNode: [UInt32: [Int]] = [:]
    /// The positions of the events of each subscription, its deliveries among them.
    private var ofSubscription: [UInt32: [Int]] = [:]
    /// The subscriptions to a node, and those that feed it.
    private var outputs: [UInt32: [TraceSubscription]] = [:]
    private var inputs: [UInt32: [TraceSubscription]] = [:]
    /// The positions at which stimuli begin.
    let stimuli: [Int]
    /// The nodes that are written during a subscription's deliveries, at any time.
    private(set) var writes: [UInt32: Set<UInt32>] = [:]
    /// The nodes that are written in hops whose work was scheduled during a subscription's deliveries.
    private(set) var laterWrites: [UInt32: Set<UInt32>] = [:]
    private let indices: [EventID: Int]

    init(_ events: [TraceEvent], _ definitions: TraceDefinitions) {
        self.events = events
        self.definitions = definitions
        indices = Dictionary(uniqueKeysWithValues: events.enumerated().map { ($0.element.id, $0.offset) })
        kinds = events.map(\.kind)
        stimuli = events.indices.filter { events[$0].kind == .stimulusBegan }
        var frames: [UInt32: [NaiveFrame]] = [:]
        var places = [NaivePlace](repeating: NaivePlace(), count: events.count)
        for thread in Set(events.map(\.id.thread)) {
            let grammar = FrameGrammar(events, thread: thread)
            frames[thread] = grammar.frames
            for (position, place) in grammar.places { places[position] = place }
        }
        (self.frames, self.places) = (frames, places)
        for subscription in definitions.subscriptions.values.sorted(by: { $0.id < $1.id }) {
            outputs[subscription.source, default: []].append(subscription)
            if let target = subscription.target { inputs[target, default: []].append(subscription) }
        }
        for (position, event) in events.enumerated() {
            switch event.kind {
            case .emitted, .completed, .failed, .suppressed, .nodeCreated, .nodeReleased, .hopBegan:
                ofNode[event.subject, default: []].append(position)
            case .subscriptionStarted, .subscriptionEnded: ofSubscription[event.subject, default: []].append(position)
            case .deliveryBegan, .deliveryNext:
                if event.subject != 0 { ofSubscription[event.subject, default: []].append(position) }
                let source = definitions.subscriptions[event.subject]?.source
                if let source, isTerminal(event.subject) { ofNode[source, default: []].append(position) }
            default: break
            }
            let isWrite = event.isNewValue || event.kind == .suppressed && event.suppressionReason != .superseded
            if isWrite, let subscription = places[position].subscription {
                writes[subscription, default: []].insert(event.subject)
            } else if isWrite, let subscription = places[position].hop {
                laterWrites[subscription, default: []].insert(event.subject)
            }
        }
    }

    /// The position of an event; nil if the trace lacks it.
    func position(of id: EventID?) -> Int? { id.flatMap { indices[$0] } }

    /// The event with an id that the trace contains.
    func event(_ id: EventID) -> TraceEvent { events[indices[id]!] }

    func isTerminal(_ subscription: UInt32) -> Bool { definitions.subscriptions[subscription]?.isInternal == false }

    /// The subscriptions to a node, in the order of their ids.
    func subscriptions(to node: UInt32) -> [TraceSubscription] { outputs[node] ?? [] }

    /// The subscriptions that feed a node, in the order of their ids.
    func subscriptions(feeding node: UInt32) -> [TraceSubscription] { inputs[node] ?? [] }

    /// Whether the event at a position begins the delivery of a value.
    func deliversValue(_ position: Int) -> Bool {
        let event = events[position]
        guard event.kind == .deliveryBegan || event.kind == .deliveryNext, event.subject != 0 else { return false }
        return places[position].cause.map { self.event($0).kind == .emitted } ?? false
    }

    /// The events of a node before `moment`, oldest first.
    private func past(ofNode id: UInt32, _ moment: Int, _ kinds: EventKind...) -> [Int] {
        (ofNode[id] ?? []).filter { $0 < moment && (kinds.isEmpty || kinds.contains(self.kinds[$0])) }
    }

    /// Whether a side of a channel got the value that it sent itself.
    private func isEcho(_ position: Int) -> Bool {
        guard events[position].suppressionReason == .echoed, let cause = places[position].cause else { return false }
        return event(cause).kind == .emitted
    }

    /// The node after `moment` events.
    func node(_ id: UInt32, at moment: Int) -> NodeState {
        var node = NodeState(value: definitions.nodes[id]?.value ?? .notRecorded)
        let given = past(ofNode: id, moment, .emitted)
        let changes = given.filter { !events[$0].isReplayed }
        if let last = given.last { node.value = events[last].value }
        if let last = changes.last {
            node.lastChange = events[last].id
            node.changeTicks = events[last].ticks
            node.changeOrder = UInt64(last + 1)
            node.changeBatch = batchEnding(around: last)
        }
        node.emissions = UInt64(changes.count)
        node.lastEnd = past(ofNode: id, moment, .completed, .failed).last.map { events[$0].id }
        let suppressions = past(ofNode: id, moment, .suppressed)
        node.suppressions = UInt64(suppressions.count)
        node.lastSuppression = suppressions.last.map { events[$0].id }
        node.suppressionReason = suppressions.last.map { events[$0].reason } ?? 0
        if let last = suppressions.last, last > changes.last ?? -1, events[last].suppressionReason == .batched {
            node.heldWrite = events[last].id
        }
        let isTraced = definitions.nodes[id]?.technique == .traced
        let silent = suppressions.last { isTraced && events[$0].suppressionReason == .equal || isEcho($0) }
        if let silent, silent > changes.last ?? -1 {
            (node.silentWrite, node.silentTicks) = (events[silent].id, events[silent].ticks)
        }
        if let echo = suppressions.last(where: isEcho), echo > given.last ?? -1, let emission = places[echo].cause {
            node.value = event(emission).value
        }
        let deliveries = past(ofNode: id, moment, .deliveryBegan, .deliveryNext)
        node.refreshes = UInt64(deliveries.filter(deliversValue).count)
        node.life = life(ofNode: id, at: moment)
        for subscription in subscriptions(to: id) {
            guard life(ofSubscription: subscription.id, at: moment) == .alive else { continue }
            if subscription.isInternal { node.liveEdges += 1 } else { node.liveHandlers += 1 }
        }
        return node
    }

    private func life(ofNode id: UInt32, at moment: Int) -> NodeState.Life {
        let past = past(ofNode: id, moment)
        if past.contains(where: { kinds[$0] == .nodeReleased }) { return .released }
        if past.contains(where: { kinds[$0] != .hopBegan }) { return .alive }
        // An end or a hop alone proves only that something was made before the recording.
        let hasSubscription = (subscriptions(to: id) + subscriptions(feeding: id)).contains {
            guard let first = ofSubscription[$0.id]?.first else { return false }
            return first < moment && kinds[first] != .subscriptionEnded
        }
        return hasSubscription ? .alive : .unmentioned
    }

    func life(ofSubscription id: UInt32, at moment: Int) -> SubscriptionState.Life {
        let past = (ofSubscription[id] ?? []).filter { $0 < moment }
        if past.contains(where: { events[$0].kind == .subscriptionEnded }) { return .ended }
        return past.isEmpty ? .unmentioned : .alive
    }

    /// The subscription after `moment` events.
    func subscription(_ id: UInt32, at moment: Int) -> SubscriptionState {
        var subscription = SubscriptionState()
        let past = (ofSubscription[id] ?? []).filter { $0 < moment }
        subscription.life = life(ofSubscription: id, at: moment)
        let start = past.last { events[$0].kind == .subscriptionStarted }
        subscription.start = start.map { events[$0].id }
        subscription.startOrder = start.map { UInt64($0 + 1) } ?? 0
        subscription.opening = start.flatMap(opening)
        let end = past.last { events[$0].kind == .subscriptionEnded }
        subscription.end = end.map { events[$0].id }
        subscription.endReason = end.map { events[$0].reason } ?? 0
        let deliveries = past.filter(deliversValue)
        subscription.deliveries = UInt64(deliveries.count)
        if let last = deliveries.last {
            subscription.lastEmission = places[last].cause
            subscription.lastValue = places[last].cause.map { event($0).value } ?? .notRecorded
            subscription.deliveryOrder = UInt64(last + 1)
        }
        return subscription
    }

    /// The value for which a flatMap made the subscription that begins at a position: the one that it received then, or else the one
    /// that has waited longest.
    func opening(ofSubscriptionAt start: Int) -> SubscriptionState.Opening? {
        guard let node = definitions.subscriptions[events[start].subject]?.target,
            definitions.nodes[node]?.kind == .flatMap, let cause = places[start].cause,
            let id = places[start].subscription.flatMap({ $0 == 0 ? nil : $0 }) ?? places[start].hop,
            let opener = definitions.subscriptions[id], opener.target == node
        else { return nil }
        if places[start].subscription == id, event(cause).kind == .emitted {
            return .init(input: id, emission: cause)
        }
        let began = events[..<start].lastIndex { $0.kind == .subscriptionStarted && $0.subject == id }
        guard let outer = began.flatMap({ opening(ofSubscriptionAt: $0) })?.input else { return nil }
        let waiting = events[..<start].indices.filter {
            events[$0].subject == node && events[$0].suppressionReason == .waiting && places[$0].subscription == outer
        }
        let earlier = events[..<start].indices.filter { other in
            guard events[other].kind == .subscriptionStarted,
                definitions.subscriptions[events[other].subject]?.target == node,
                let opening = opening(ofSubscriptionAt: other), opening.input == outer
            else { return false }
            return places[other].subscription != outer || event(places[other].cause!).kind != .emitted
        }
        guard earlier.count < waiting.count else { return nil }
        return places[waiting[earlier.count]].cause.map { .init(input: outer, emission: $0, hadWaited: true) }
    }

    /// The frames that are open on a thread after `moment` events, outermost first.
    func openFrames(ofThread thread: UInt32, at moment: Int) -> [OpenFrame] {
        (frames[thread] ?? []).filter { $0.opening < moment && moment <= $0.closing }.map { frame in
            let opener = events[frame.opening]
            var open = OpenFrame(opener, stimulusNumber: number(ofStimulus: frame.opening))
            open.subscription = frame.deliveries.last { $0.position < moment }?.subscription ?? 0
            return open
        }
    }

    /// The batch that is the innermost open frame at a position.
    func batchEnding(around position: Int) -> EventID? {
        let frame = openFrames(ofThread: events[position].id.thread, at: position).last
        return frame?.opener == .batchBegan ? frame?.id : nil
    }

    /// The number of the stimulus that begins at a position, from 1; 0 if none does.
    func number(ofStimulus position: Int) -> UInt64 {
        stimuli.firstIndex(of: position).map { UInt64($0 + 1) } ?? 0
    }
}
