import WeirTrace

/// All remedies that are tried at once; each gets the turns that may concern it.
final class RemedyLanes {
    private let lanes: [RemedyLane]
    /// By index of a subscription or node, the lanes that it concerns.
    private let ofSubscription: PlaceIndex
    private let ofNode: PlaceIndex
    private let ofStimulus: [String: [Int]]
    /// The lanes that the turn may concern.
    @exclusivity(unchecked) private var next: [Int32] = []
    @exclusivity(unchecked) private var isNext: [Bool]
    /// The lanes with earlier changes that may matter in any turn.
    @exclusivity(unchecked) private var carrying: [Int32] = []
    @exclusivity(unchecked) private var isCarrying: [Bool]
    private let topology: Topology
    private let joined = RecordedTurn()

    init(_ lanes: [RemedyLane], _ topology: Topology) {
        self.lanes = lanes
        self.topology = topology
        isNext = .init(repeating: false, count: lanes.count)
        isCarrying = lanes.map(\.isCarrying)
        carrying = lanes.indices.filter { lanes[$0].isCarrying }.map { Int32($0) }
        let concerns = lanes.map { $0.concerns(topology) }
        ofSubscription = PlaceIndex(concerns.map(\.subscriptions), places: topology.subscriptions.count)
        ofNode = PlaceIndex(concerns.map(\.nodes), places: topology.nodeIDs.count)
        var ofStimulus: [String: [Int]] = [:]
        for (place, lane) in lanes.enumerated() {
            for name in lane.batchNames { ofStimulus[name, default: []].append(place) }
        }
        self.ofStimulus = ofStimulus
    }

    /// Takes the turns of a stimulus, or one turn.
    func take(_ turns: [RecordedTurn], _ program: RecordedProgram) {
        let stimulus = turns.first?.stimulus
        let batching = stimulus.flatMap { $0.isTooLong || ofStimulus.isEmpty ? nil : ofStimulus[$0.name] } ?? []
        if !batching.isEmpty {
            joined.join(turns)
            TurnReading.read(joined, in: program)
            for lane in batching { take(joined, program, lane, asBatch: true) }
            joined.freeIfLarge()
        }
        for turn in turns {
            TurnReading.read(turn, in: program)
            markNext(turn)
            for lane in batching { isNext[lane] = false }
            for lane in next where isNext[Int(lane)] {
                isNext[Int(lane)] = false
                take(turn, program, Int(lane), asBatch: false)
            }
            next.removeAll(keepingCapacity: true)
            program.take(turn)
        }
    }

    private func take(_ turn: RecordedTurn, _ program: RecordedProgram, _ lane: Int, asBatch: Bool) {
        lanes[lane].take(turn, program, asBatch: asBatch)
        if lanes[lane].isCarrying, !isCarrying[lane] {
            isCarrying[lane] = true
            carrying.append(Int32(lane))
        }
    }

    /// Marks the lanes that the turn may concern.
    private func markNext(_ turn: RecordedTurn) {
        if turn.isTooLong || turn.hasHops {
            for lane in lanes.indices where lanes[lane].isOn(turn) { mark(Int32(lane)) }
        }
        if !carrying.isEmpty { markCarrying() }
        for flow in turn.flows.elements { mark(ofSubscription, flow.subscription) }
        for subscription in turn.handovers.keys { mark(ofSubscription, subscription) }
        for change in turn.changes.elements { mark(ofNode, change.node) }
        for evaluation in turn.evaluations.elements { mark(ofNode, evaluation.node) }
        for life in turn.lives { mark(ofNode, topology.sources[life.subscription]) }
        // They share the budget of replay steps, in their order.
        if next.count > 1 { next.sort() }
    }

    private func markCarrying() {
        for lane in carrying {
            isCarrying[Int(lane)] = lanes[Int(lane)].isCarrying
            if isCarrying[Int(lane)] { mark(lane) }
        }
        carrying.removeAll { !isCarrying[Int($0)] }
    }

    @inline(__always)
    private func mark(_ index: PlaceIndex, _ place: Int) {
        for entry in index.entries(of: place) { mark(index.members[entry]) }
    }

    @inline(__always)
    private func mark(_ lane: Int32) {
        if isNext[Int(lane)] { return }
        isNext[Int(lane)] = true
        next.append(lane)
    }
}
