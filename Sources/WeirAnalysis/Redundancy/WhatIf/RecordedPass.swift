import WeirTrace

/// A pass over a trace that gives out turns: one by one, or all of a stimulus together.
enum RecordedPass {
    /// - Parameter take: gets turns whose events have been learned from, and the program as it was before them; it has to
    ///   move the program on.
    static func run(
        _ reader: TraceReader, _ topology: Topology, holdsStimuli: Bool, reporting report: PassProgress.Report?,
        _ each: (TraceEvent) -> Void = { _ in }, take: ([RecordedTurn], RecordedProgram) -> Void
    ) {
        let program = RecordedProgram(topology)
        var collector = TurnCollector()
        var held: [ObjectIdentifier: (turns: [RecordedTurn], facts: Int)] = [:]
        func give(_ turns: [RecordedTurn]) {
            program.learn(turns.filter { !$0.isTooLong })
            take(turns, program)
        }
        func receive(_ found: TurnCollector.Found) {
            switch found {
            case .passing(let event, _): program.take(event)
            case .stimulusEnded(let stimulus):
                if let group = held.removeValue(forKey: ObjectIdentifier(stimulus)) { give(group.turns) }
            case .turn(let turn):
                guard holdsStimuli, let stimulus = turn.stimulus, !stimulus.isTooLong else { return give([turn]) }
                let id = ObjectIdentifier(stimulus)
                held[id, default: ([], 0)].turns.append(turn)
                held[id, default: ([], 0)].facts += turn.facts.count
                if held[id, default: ([], 0)].facts > TurnCollector.mostFacts, let group = held.removeValue(forKey: id)
                {
                    stimulus.isTooLong = true
                    for turn in group.turns { give([turn]) }
                }
            }
        }
        reader.forEachEvent(reporting: report) { event in
            each(event)
            collector.take(event, receive)
            return true
        }
        collector.finish(receive)
    }
}
