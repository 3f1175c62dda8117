import WeirTrace

/// All remedies that are tried at once; each gets the turns that may be something to it.
struct RemedyLanes {
    private let lanes: [RemedyLane]
    /// By place of a subscription or node, the lanes to which it matters.
    private var ofSubscription: [[Int32]]
    private var ofNode: [[Int32]]
    private var ofStimulus: [String: [Int]] = [:]
    private var isNext: [Bool]
    private let topology: Topology

    init(_ lanes: [RemedyLane], _ topology: Topology) {
        self.lanes = lanes
        self.topology = topology
        ofSubscription = .init(repeating: [], count: topology.subscriptions.count)
        ofNode = .init(repeating: [], count: topology.nodeIDs.count)
        isNext = .init(repeating: false, count: lanes.count)
        for (place, lane) in lanes.enumerated() {
            let concerns = lane.concerns(topology)
            for subscription in concerns.subscriptions { ofSubscription[subscription].append(Int32(place)) }
            for node in concerns.nodes { ofNode[node].append(Int32(place)) }
            for name in lane.batchNames { ofStimulus[name, default: []].append(place) }
        }
    }

    /// Takes the turns of a stimulus, or one turn.
    mutating func take(_ turns: [RecordedTurn], _ program: RecordedProgram) {
        let stimulus = turns.first?.stimulus
        let batching = stimulus.flatMap { $0.isTooLong || ofStimulus.isEmpty ? nil : ofStimulus[$0.name] } ?? []
        if !batching.isEmpty {
            let joined = RecordedTurn.joined(turns)
            TurnReading.read(joined, in: program)
            for lane in batching { lanes[lane].take(joined, program, asBatch: true) }
        }
        for turn in turns {
            TurnReading.read(turn, in: program)
            markNext(turn)
            for lane in batching { isNext[lane] = false }
            for (place, lane) in lanes.enumerated() {
                if isNext[place] {
                    isNext[place] = false
                    lane.take(turn, program)
                } else if turn.marks > 0, !batching.contains(place) {
                    lane.skip(marks: turn.marks)
                }
            }
            program.take(turn)
        }
    }

    /// Marks the lanes that the turn may be something to.
    private mutating func markNext(_ turn: RecordedTurn) {
        for (place, lane) in lanes.enumerated() where lane.isOn(turn) { isNext[place] = true }
        for flow in turn.flows.elements { for lane in ofSubscription[flow.subscription] { isNext[Int(lane)] = true } }
        for change in turn.changes.elements { for lane in ofNode[change.node] { isNext[Int(lane)] = true } }
        for evaluation in turn.evaluations.elements { for lane in ofNode[evaluation.node] { isNext[Int(lane)] = true } }
        for life in turn.lives {
            for lane in ofNode[topology.sources[life.subscription]] { isNext[Int(lane)] = true }
        }
    }
}
