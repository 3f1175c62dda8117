import WeirTrace

/// A pass over a trace that gives out turns: one by one, or all of a stimulus together.
enum RecordedPass {
    /// What a turn that is held takes by itself, in facts.
    private static let costOfTurn = 4

    /// - Parameter take: gets turns whose events have been learned from, and the program as it was before them; it has to
    ///   move the program on.
    static func run(
        _ reader: TraceReader, _ topology: Topology, holdsStimuli: Bool, reporting report: PassProgress.Report?,
        _ each: (RecordedEvent) -> Void = { _ in }, take: ([RecordedTurn], RecordedProgram) -> Void
    ) {
        let program = RecordedProgram(topology)
        var collector = TurnCollector()
        var held: [ObjectIdentifier: (turns: [RecordedTurn], facts: Int)] = [:]
        var over: [RecordedTurn] = []
        var single: [RecordedTurn] = []
        func give(_ turns: [RecordedTurn]) {
            program.learn(turns)
            take(turns, program)
            over += turns
        }
        func giveOne(_ turn: RecordedTurn) {
            single.append(turn)
            give(single)
            single.removeAll(keepingCapacity: true)
        }
        func receive(_ found: TurnCollector.Found) {
            switch found {
            case .passing(let event): program.take(event)
            case .stimulusEnded(let stimulus):
                if let group = held.removeValue(forKey: ObjectIdentifier(stimulus)) { give(group.turns) }
            case .turn(let turn):
                guard holdsStimuli, let stimulus = turn.stimulus, !stimulus.isTooLong else { return giveOne(turn) }
                let id = ObjectIdentifier(stimulus)
                held[id, default: ([], 0)].turns.append(turn)
                held[id, default: ([], 0)].facts += turn.facts.count + Self.costOfTurn
                if held[id, default: ([], 0)].facts > TurnCollector.mostFacts, let group = held.removeValue(forKey: id)
                {
                    stimulus.isTooLong = true
                    for turn in group.turns { giveOne(turn) }
                }
            }
        }
        reader.forEachRecordedEvent(reporting: report) { event, stimulus in
            each(event)
            collector.take(event, stimulus: stimulus, receive)
            while !over.isEmpty {
                var turn: RecordedTurn? = over.removeLast()
                collector.reuse(&turn)
            }
        }
        collector.finish(receive)
        program.finish()
    }
}
