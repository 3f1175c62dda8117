@_spi(Records) import WeirTrace

/// Measures what budgets limit, in one pass over a trace.
///
/// A stimulus is one that the program names, or else an emission, batch or hop without a known cause; it includes the hops that
/// it causes (`CascadeMarks`). Memory grows with nodes, subscriptions and open frames. A stimulus counts apart from at most three
/// others that refresh the same handler while it lasts.
struct BudgetPass {
    /// The facts of an open frame.
    private struct Frame {
        var stimulus: UInt64
        var turn: UInt64
        /// The terminal subscription to which a value is being delivered, by index; -1: none.
        var handler = -1
        /// The beginning of that delivery; nil: it has no stamp.
        var began: UInt64?
        /// The event that begins it.
        var delivery: EventID?
        /// The time of refreshes inside it.
        var nested: UInt64 = 0
        /// Whether the emission has a stamp, which its first delivery shares.
        let stamp: UInt64?
        /// The index of the innermost frame around it that delivers to a handler; -1: none.
        let outerHandler: Int
        var isFirst = true
    }

    private struct ThreadState {
        var frames = FrameWalk<Frame>()
        /// The stimulus of each event; 0: none.
        var stimuli = CascadeMarks<UInt64>()
        var emissions = RecentCounts()
    }

    private let topology: Topology
    private let scale: TimeScale
    private var threads: [UInt32: ThreadState] = [:]
    private var begun: UInt64 = 0
    private var refreshes: [RecentCounts]
    private var emissions: [RecentCounts]
    private var liveLines: [TraceSite: Int] = [:]
    private var isLive: [Bool]
    /// The nodes that were released, by index: the subscriptions of each are ended once.
    private var isReleased: [Bool]
    private var best: [BudgetMetric: [Int: (value: Double, example: EventID)]] = [:]
    private var largestTurn: (value: Double, example: EventID)?
    private var liveMaxima: [TraceSite: (value: Double, example: EventID, subscription: Int)] = [:]

    private init(_ topology: Topology, _ scale: TimeScale) {
        self.topology = topology
        self.scale = scale
        refreshes = .init(repeating: RecentCounts(), count: topology.subscriptions.count)
        emissions = .init(repeating: RecentCounts(), count: topology.nodeIDs.count)
        isLive = .init(repeating: false, count: topology.subscriptions.count)
        isReleased = .init(repeating: false, count: topology.nodeIDs.count)
    }

    /// The measures of a trace, without the share of redundant refreshes.
    static func measures(_ reader: TraceReader, _ topology: Topology) -> Measures {
        var pass = BudgetPass(topology, TimeScale(reader.header))
        reader.forEachEvent { event in
            pass.take(event)
            return true
        }
        return pass.measures
    }

    private mutating func take(_ event: TraceEvent) {
        var state = threads.removeValue(forKey: event.id.thread) ?? ThreadState()
        state.frames.settle(before: event)
        switch event.kind {
        case .emitted:
            let frame = frame(for: event, state)
            if !event.isReplayed { countEmission(event, turn: frame.turn, &state) }
            state.frames.open(event, frame)
        case .completed, .failed, .stimulusBegan, .batchBegan, .hopBegan:
            let frame = frame(for: event, state)
            state.frames.open(event, frame)
        case .deliveryBegan, .deliveryNext: deliver(event, &state)
        case .deliveryEnded:
            endDelivery(event, &state)
            if state.frames.delivering(event) != nil { state.frames.closeInnermost() }
        case .subscriptionStarted: start(event)
        case .subscriptionEnded: if let place = topology.place(ofSubscription: event.subject) { end(place) }
        case .nodeReleased:
            guard let place = topology.place(ofNode: event.subject), !isReleased[place] else { break }
            isReleased[place] = true
            for subscription in topology.outputs[place] + topology.inputs[place] { end(subscription) }
        default: break
        }
        state.stimuli.note(state.frames.innermost?.payload.stimulus ?? 0, from: event.id.sequence)
        threads[event.id.thread] = state
    }

    private mutating func frame(for event: TraceEvent, _ state: ThreadState) -> Frame {
        let outer = state.frames.innermost?.payload
        let stamp = event.isStamped ? event.ticks : nil
        var stimulus = outer?.stimulus
        if event.kind == .hopBegan, let cause = event.cause {
            let known = cause.thread == event.id.thread ? state.stimuli : threads[cause.thread]?.stimuli
            stimulus = known?.mark(of: cause.sequence).flatMap { $0 == 0 ? nil : $0 } ?? stimulus
        }
        if stimulus == nil || stimulus == 0 {
            begun += 1
            stimulus = begun
        }
        begun += 1
        let turn = Meaning.turn(around: outer?.turn ?? 0, own: begun, isStimulus: event.kind == .stimulusBegan)
        let outerHandler = outer.map { $0.handler >= 0 ? state.frames.count - 1 : $0.outerHandler } ?? -1
        return Frame(stimulus: stimulus ?? 0, turn: turn, stamp: stamp, outerHandler: outerHandler)
    }

    private mutating func countEmission(_ event: TraceEvent, turn: UInt64, _ state: inout ThreadState) {
        let inTurn = Double(state.emissions.count(turn))
        if inTurn > largestTurn?.value ?? 0 { largestTurn = (inTurn, event.id) }
        guard let place = topology.place(ofNode: event.subject) else { return }
        note(.emissionsPerTurn, place, Double(emissions[place].count(turn)), event.id)
    }

    private mutating func deliver(_ event: TraceEvent, _ state: inout ThreadState) {
        endDelivery(event, &state)
        guard let open = state.frames.delivering(event), let place = topology.place(ofSubscription: event.subject)
        else {
            return
        }
        let isTerminal = !topology.subscriptions[place].isInternal
        let isFirst = event.kind == .deliveryBegan && state.frames[open].isFirst
        state.frames[open].isFirst = false
        guard Meaning.isRefresh(isTerminal: isTerminal, isEnding: event.deliversEnd) else { return }
        state.frames[open].handler = place
        state.frames[open].delivery = event.id
        state.frames[open].nested = 0
        state.frames[open].began = event.isStamped ? event.ticks : isFirst ? state.frames[open].stamp : nil
        let count = refreshes[place].count(state.frames[open].stimulus)
        note(.refreshesPerStimulus, place, Double(count), event.id)
    }

    /// Takes the time of the refresh that the event ends.
    private mutating func endDelivery(_ event: TraceEvent, _ state: inout ThreadState) {
        guard let open = state.frames.delivering(event), state.frames[open].handler >= 0 else { return }
        let frame = state.frames[open]
        state.frames[open].handler = -1
        guard let began = frame.began, let delivery = frame.delivery, event.isStamped, event.ticks >= began else {
            return
        }
        let lasted = event.ticks - began
        if frame.outerHandler >= 0 { state.frames[frame.outerHandler].nested &+= lasted }
        let own = scale.nanoseconds(ticks: Meaning.handlerTicks(lasted: lasted, nested: frame.nested))
        note(.handlerMilliseconds, frame.handler, Double(own) / 1e6, delivery)
    }

    private mutating func note(_ metric: BudgetMetric, _ place: Int, _ value: Double, _ example: EventID) {
        if value > best[metric]?[place]?.value ?? 0 { best[metric, default: [:]][place] = (value, example) }
    }

    private mutating func start(_ event: TraceEvent) {
        guard let place = topology.place(ofSubscription: event.subject), !isLive[place] else { return }
        let subscription = topology.subscriptions[place]
        guard !subscription.isInternal, let site = subscription.site else { return }
        isLive[place] = true
        let count = liveLines[site, default: 0] + 1
        liveLines[site] = count
        if Double(count) > liveMaxima[site]?.value ?? 0 { liveMaxima[site] = (Double(count), event.id, place) }
    }

    private mutating func end(_ place: Int) {
        guard isLive[place], let site = topology.subscriptions[place].site else { return }
        isLive[place] = false
        liveLines[site, default: 1] -= 1
    }

    private var measures: Measures {
        var measures = Measures()
        for (metric, found) in best {
            for (place, best) in found {
                let subject = metric == .emissionsPerTurn ? subject(ofNode: place) : subject(ofSubscription: place)
                measures.take(Measure(metric: metric, subject: subject, value: best.value, example: best.example))
            }
        }
        if let turn = largestTurn {
            measures.take(
                Measure(metric: .emissionsPerTurn, subject: .init(), value: turn.value, example: turn.example))
        }
        for live in liveMaxima.values {
            let subject = subject(ofSubscription: live.subscription)
            measures.take(
                Measure(metric: .liveSubscriptionsPerLine, subject: subject, value: live.value, example: live.example))
        }
        return measures
    }

    private func subject(ofNode place: Int) -> Measure.Subject {
        let (id, definitions) = (topology.nodeIDs[place], topology.definitions)
        var subject = Measure.Subject()
        subject.names = [definitions.name(ofNode: id)]
        subject.owners = definitions.names(ofObjects: [definitions.nodes[id]?.owner])
        subject.site = definitions.nodes[id]?.site
        return subject
    }

    private func subject(ofSubscription place: Int) -> Measure.Subject {
        let (subscription, definitions) = (topology.subscriptions[place], topology.definitions)
        let nodes = [subscription.source] + [subscription.target].compactMap(\.self)
        var subject = Measure.Subject()
        subject.names = nodes.map(definitions.name(ofNode:))
        subject.owners = definitions.names(
            ofObjects: nodes.map { definitions.nodes[$0]?.owner } + [subscription.owner])
        subject.site = subscription.site
        return subject
    }
}

extension Measures {
    /// The measures of a trace, read in one pass.
    package init(of reader: TraceReader, _ topology: Topology) { self = BudgetPass.measures(reader, topology) }
}

/// Counts by a key that changes from time to time: exact for the four keys used last.
struct RecentCounts {
    private var keys = SIMD4<UInt64>()
    private var counts = SIMD4<UInt32>()
    private var oldest = 0

    /// Adds one to the count of a key above 0, and returns it.
    mutating func count(_ key: UInt64) -> UInt32 {
        for place in 0..<4 where keys[place] == key {
            counts[place] &+= 1
            return counts[place]
        }
        keys[oldest] = key
        counts[oldest] = 1
        oldest = (oldest + 1) % 4
        return 1
    }
}
