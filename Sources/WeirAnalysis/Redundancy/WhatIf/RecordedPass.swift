import WeirTrace

/// A pass over a trace that passes on turns: one by one, or all turns of a stimulus together.
enum RecordedPass {
    /// Receives turns that the program has learned from, and the program as it was before them; it must advance the program.
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

/// The turns that are not complete, or are held until their stimulus ends.
private final class TurnPass {
    /// The cost of holding a turn itself, in facts.
    private static let costOfTurn = 4

    private let program: RecordedProgram
    private let holdsStimuli: Bool
    private let collector = TurnCollector()
    /// Turns that were passed on.
    @exclusivity(unchecked) private var over: [RecordedTurn] = []
    @exclusivity(unchecked) private var single: [RecordedTurn] = []

    init(_ topology: Topology, holdsStimuli: Bool) {
        program = RecordedProgram(topology)
        self.holdsStimuli = holdsStimuli
    }

    func take(_ event: RecordedEvent, stimulus: String, _ take: RecordedPass.Take) {
        collector.take(event, stimulus: stimulus)
        if !collector.found.isEmpty { receive(take) }
    }

    func finish(_ take: RecordedPass.Take) {
        collector.finish()
        receive(take)
        program.finish()
    }

    private func receive(_ take: RecordedPass.Take) {
        for found in collector.found {
            switch found {
            case .passing(let event): program.take(event)
            case .stimulusEnded(let stimulus): if !stimulus.turns.isEmpty { give(release(stimulus), take) }
            case .turn(let turn):
                if holdsStimuli, let stimulus = turn.stimulus, !stimulus.isTooLong {
                    hold(turn, stimulus, take)
                } else {
                    give(turn, take)
                }
            }
        }
        collector.found.removeAll(keepingCapacity: collector.found.count < 256)
        while !over.isEmpty {
            var turn: RecordedTurn? = over.removeLast()
            collector.reuse(&turn)
        }
    }

    private func hold(_ turn: RecordedTurn, _ stimulus: RecordedTurn.Stimulus, _ take: RecordedPass.Take) {
        stimulus.turns.append(turn)
        stimulus.facts += turn.facts.count + Self.costOfTurn
        guard stimulus.facts > TurnCollector.mostFacts else { return }
        stimulus.isTooLong = true
        for turn in release(stimulus) { give(turn, take) }
    }

    /// Removes and returns the turns that a stimulus holds.
    private func release(_ stimulus: RecordedTurn.Stimulus) -> [RecordedTurn] {
        defer { stimulus.turns = [] }
        return stimulus.turns
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
