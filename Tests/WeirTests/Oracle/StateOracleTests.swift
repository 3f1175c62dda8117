import Testing
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

extension OracleTests {
    @Test func `the grammar gives each event the depth, the cause and the delivery that the reader gives it`()
        async throws
    {
        for program in try await Self.programs() {
            if let misplaced = misplaced(NaiveInterpreter(program.events, program.definitions)) {
                Issue.record("seed \(program.seed): \(misplaced)")
                return
            }
        }
    }

    @Test func `in a trace of several chunks, begun inside of frames, events stand where the grammar has them`()
        async throws
    {
        let program = try await RecorderTurn.take { try RandomProgram(longSeed: 3) }
        let naive = NaiveInterpreter(program.events, program.definitions)
        #expect(program.reader.eventChunkCount > 2)
        let fault = misplaced(naive)
        #expect(fault == nil)
        var state = TraceState(Topology(program.definitions), startTicks: program.reader.header.startTicks)
        for (position, event) in program.events.enumerated() {
            state.take(event)
            guard position % 61 == 0 else { continue }
            let isSame =
                state.openFrames(ofThread: event.id.thread)
                == naive.openFrames(ofThread: event.id.thread, at: position + 1)
            #expect(isSame, "after \(event)")
        }
    }

    /// An event whose place differs between the reader and the grammar.
    private func misplaced(_ naive: NaiveInterpreter) -> String? {
        for (event, place) in zip(naive.events, naive.places) {
            let isRight =
                event.depth == place.depth && event.cause == place.cause
                && (place.subscription == nil || event.isOfDelivery || event.deliveringTo == place.subscription)
                && (place.hop == nil || event.kind == .hopBegan || event.scheduledBy == place.hop)
            if !isRight { return "\(event) stands at \(place)" }
        }
        return nil
    }

    @Test func `the state at every event is what looking back over all events gives`() async throws {
        var count = 0
        for program in try await Self.programs() {
            if let difference = firstDifference(of: program) {
                Issue.record("seed \(program.seed): \(difference)")
                return
            }
            count += program.events.count
        }
        #expect(count > Repeats.count(6000), "the programs hardly do anything")
    }

    /// The first difference between the streaming state and the naive one.
    private func firstDifference(of program: RandomProgram) -> String? {
        let naive = NaiveInterpreter(program.events, program.definitions)
        var state = TraceState(Topology(program.definitions), startTicks: program.reader.header.startTicks)
        var comparison = StateComparison(naive)
        if let difference = comparison.difference(state, at: 0, isFull: true) { return difference }
        let isSmall = program.events.count <= 150
        for (position, event) in program.events.enumerated() {
            let before = state
            state.take(event)
            let moment = position + 1
            let isFull = moment % 32 == 0 || moment == program.events.count
            if isFull || event.kind == .subscriptionEnded { state.checkInvariants() }
            let difference =
                comparison.difference(state, at: moment, isFull: isFull)
                ?? (isSmall ? comparison.change(from: before, to: state) : nil)
            if let difference { return "at \(moment), \(event): \(difference)" }
        }
        return nil
    }
}

/// Compares a state with a naive one: completely, or only the parts that the last event may have changed.
struct StateComparison {
    private let naive: NaiveInterpreter
    private var touchedNodes: Set<UInt32> = []
    private var touchedSubscriptions: Set<UInt32> = []

    init(_ naive: NaiveInterpreter) { self.naive = naive }

    mutating func difference(_ state: TraceState, at moment: Int, isFull: Bool) -> String? {
        (touchedNodes, touchedSubscriptions) = ([], [])
        if moment > 0 { touch(naive.events[moment - 1]) }
        let topology = state.topology
        for place in state.nodes.indices where isFull || touchedNodes.contains(topology.nodeIDs[place]) {
            let expected = naive.node(topology.nodeIDs[place], at: moment)
            if state.nodes[place] != expected {
                return "node \(topology.nodeIDs[place]) is \(state.nodes[place]), not \(expected)"
            }
        }
        for place in state.subscriptions.indices
        where isFull || touchedSubscriptions.contains(topology.subscriptions[place].id) {
            let expected = naive.subscription(topology.subscriptions[place].id, at: moment)
            if state.subscriptions[place] != expected {
                return "\(topology.subscriptions[place]) is \(state.subscriptions[place]), not \(expected)"
            }
        }
        if moment == 0 { return nil }
        let threads = isFull ? Array(naive.frames.keys) : [naive.events[moment - 1].id.thread]
        for thread in threads {
            let (found, expected) = (state.openFrames(ofThread: thread), naive.openFrames(ofThread: thread, at: moment))
            if found != expected { return "open on thread \(thread) are \(found), not \(expected)" }
        }
        return rest(state, at: moment)
    }

    /// Compares the parts that belong to no node and no subscription.
    private func rest(_ state: TraceState, at moment: Int) -> String? {
        if state.order != UInt64(moment) || state.lastEvent != naive.events[moment - 1].id {
            return "the order is \(state.order)"
        }
        // Threads are merged by time, so no event is earlier than the one before it.
        if state.ticks != naive.events[moment - 1].ticks { return "the time is \(state.ticks)" }
        let stimuli = naive.stimuli.prefix { $0 < moment }
        if state.stimuli != UInt64(stimuli.count)
            || state.lastStimulus?.id != stimuli.last.map({ naive.events[$0].id })
        {
            return "the last stimulus is \(state.stimuli): \(String(describing: state.lastStimulus))"
        }
        return nil
    }

    /// A change in a part that the last event did not concern.
    func change(from before: TraceState, to state: TraceState) -> String? {
        for (place, id) in state.topology.nodeIDs.enumerated() where !touchedNodes.contains(id) {
            if state.nodes[place] != before.nodes[place] { return "node \(id) changed" }
        }
        for (place, subscription) in state.topology.subscriptions.enumerated()
        where !touchedSubscriptions.contains(subscription.id) {
            if state.subscriptions[place] != before.subscriptions[place] { return "\(subscription) changed" }
        }
        return nil
    }

    private mutating func touch(_ event: TraceEvent) {
        switch event.kind {
        case .deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded:
            touchedSubscriptions.insert(event.subject)
            guard let subscription = naive.definitions.subscriptions[event.subject] else { return }
            touchedNodes.insert(subscription.source)
            if let target = subscription.target { touchedNodes.insert(target) }
        default: touchedNodes.insert(event.subject)
        }
    }
}

extension TraceEvent {
    /// Whether it begins or ends a delivery.
    var isOfDelivery: Bool { kind == .deliveryBegan || kind == .deliveryNext || kind == .deliveryEnded }
}
