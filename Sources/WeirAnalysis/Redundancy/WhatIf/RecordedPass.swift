import WeirTrace

/// A pass over a trace that gives out turns: one by one, or all of a stimulus together.
enum RecordedPass {
    /// Gets turns whose events have been learned from, and the program as it was before them; it has to move the program on.
    typealias Take = ([RecordedTurn], RecordedProgram) -> Void

    static func run(
        _ reader: TraceReader, _ topology: Topology, holdsStimuli: Bool, reporting report: PassProgress.Report?,
        _ each: (RecordedEvent) -> Void = { _ in }, take: Take
    ) {
        let pass = TurnPass(topology, holdsStimuli: holdsStimuli)
        reader.forEachRecordedEvent(reporting: report) { event, stimulus in
            each(event)
            pass.take(event, stimulus: stimulus, take)
        }
        pass.finish(take)
    }
}

/// What a pass has read of turns that are not over, or are held until their stimulus is.
private final class TurnPass {
    /// What a turn that is held takes by itself, in facts.
    private static let costOfTurn = 4

    private struct Group {
        var turns: [RecordedTurn] = []
        var facts = 0
    }

    private let program: RecordedProgram
    private let holdsStimuli: Bool
    private let collector = TurnCollector()
    @exclusivity(unchecked) private var held: [ObjectIdentifier: Group] = [:]
    /// Turns that were given out.
    @exclusivity(unchecked) private var over: [RecordedTurn] = []
    @exclusivity(unchecked) private var single: [RecordedTurn] = []

    init(_ topology: Topology, holdsStimuli: Bool) {
        program = RecordedProgram(topology)
        self.holdsStimuli = holdsStimuli
    }

    func take(_ event: RecordedEvent, stimulus: String, _ take: RecordedPass.Take) {
        collector.take(event, stimulus: stimulus) { receive($0, take) }
        while !over.isEmpty {
            var turn: RecordedTurn? = over.removeLast()
            collector.reuse(&turn)
        }
    }

    func finish(_ take: RecordedPass.Take) {
        collector.finish { receive($0, take) }
        program.finish()
    }

    private func receive(_ found: TurnCollector.Found, _ take: RecordedPass.Take) {
        switch found {
        case .passing(let event): program.take(event)
        case .stimulusEnded(let stimulus):
            guard holdsStimuli, let group = held.removeValue(forKey: ObjectIdentifier(stimulus)) else { return }
            give(group.turns, take)
        case .turn(let turn):
            guard holdsStimuli, let stimulus = turn.stimulus, !stimulus.isTooLong else { return give(turn, take) }
            hold(turn, stimulus, take)
        }
    }

    private func hold(_ turn: RecordedTurn, _ stimulus: RecordedTurn.Stimulus, _ take: RecordedPass.Take) {
        let id = ObjectIdentifier(stimulus)
        held[id, default: Group()].turns.append(turn)
        held[id, default: Group()].facts += turn.facts.count + Self.costOfTurn
        guard held[id, default: Group()].facts > TurnCollector.mostFacts, let group = held.removeValue(forKey: id)
        else { return }
        stimulus.isTooLong = true
        for turn in group.turns { give(turn, take) }
    }

    private func give(_ turn: RecordedTurn, _ take: RecordedPass.Take) {
        single.append(turn)
        give(single, take)
        single.removeAll(keepingCapacity: true)
    }

    private func give(_ turns: [RecordedTurn], _ take: RecordedPass.Take) {
        program.learn(turns)
        take(turns, program)
        over += turns
    }
}
