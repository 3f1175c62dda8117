import WeirTrace

extension Replay {
    /// Whether the turn can be played again at all: without any remedy it comes out as it was recorded.
    static func prove(_ turn: RecordedTurn, _ program: RecordedProgram) throws(Stop) {
        if let proof = turn.proof { return try proof.get() }
        let proof: Result<Void, Stop>
        do throws(Stop) {
            let replay = Replay(turn, program, RemedyPlan(), Foresight(), from: ReplayState())
            try replay.play()
            if !replay.isAsRecorded { throw Stop(reason: .notReproduced, node: nil) }
            proof = .success(())
        } catch {
            proof = .failure(error)
        }
        turn.proof = proof
        try proof.get()
    }

    private var isAsRecorded: Bool {
        let deliveriesAgree = turn.deliveries.allSatisfy { key, facts in
            program.isCombinerInput(key.subscription) || facts.allSatisfy { used[$0] == 1 }
        }
        let valuesAgree = turn.endValues.allSatisfy { value($0).isEqual(to: $1) != false }
        return deliveriesAgree && valuesAgree && received == turn.received && figures == turn.figures
            && sequences == turn.sequences
    }

    /// Whether the recording still tells what the replay took from it.
    func check() throws(Stop) {
        for (key, facts) in turn.deliveries where !program.isCombinerInput(key.subscription) {
            let node = program.topology.sources[key.subscription]
            if facts.contains(where: { turn.facts[$0].hasStructure && used[$0] != 1 }) {
                throw Stop(reason: .structure, node: node)
            }
            let uses = facts.map { used[$0] }
            guard facts.count > 1, uses.contains(where: { $0 != 1 }), uses.contains(where: { $0 != 0 }) else {
                continue
            }
            let acts = turn.acts(of: facts[0])
            if facts.contains(where: { turn.acts(of: $0) != acts }) { throw Stop(reason: .varyingHandler, node: node) }
        }
        for key in Set(turn.sequences.keys).union(sequences.keys) where turn.sequences[key] != sequences[key] {
            let target = key < 0 ? -1 - key : program.topology.targets[key]
            throw Stop(reason: .operatorState, node: target < 0 ? nil : target)
        }
    }

    /// What the next turn begins with, the recorded program standing where this turn leaves it.
    func finalState() -> ReplayState {
        var result = state
        // Also what changed in the recording, and not here.
        for node in turn.endValues.keys { result.values[node] = value(node) }
        result.values = result.values.filter { node, value in
            value != (turn.endValues[node] ?? program.values[node])
        }
        for (event, opener) in turn.openers where turn.facts[opener].event.kind == .emitted {
            let deliveries = deliveries(of: opener)
            if !deliveries.removed.isEmpty { result.removed.note(event, deliveries) }
        }
        return result
    }
}
