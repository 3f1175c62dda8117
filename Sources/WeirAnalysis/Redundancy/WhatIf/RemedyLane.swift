import WeirTrace

/// One remedy, or several at once, tried on turn after turn.
final class RemedyLane {
    let plan: RemedyPlan
    /// The stimuli that a batch is put around.
    let batchNames: Set<String>
    private let foresight: Foresight
    private var state = ReplayState()
    private var change = Figures()
    private var outcome = WhatIf.Outcome()

    init(_ plan: RemedyPlan, batchNames: Set<String>, _ foresight: Foresight, isComputable: Bool) {
        self.plan = plan
        self.batchNames = batchNames
        self.foresight = foresight
        outcome.isComputable = isComputable
    }

    /// Whether the turns of a stimulus are played as one.
    func batches(_ stimulus: RecordedTurn.Stimulus?) -> Bool {
        stimulus.map { batchNames.contains($0.name) && !$0.isTooLong } ?? false
    }

    /// Takes the next turn; `program` stands at its beginning.
    func take(_ turn: RecordedTurn, _ program: RecordedProgram, asBatch: Bool = false) {
        guard plan.plays, asBatch || isTouched(turn, program) else { return pass(turn, program) }
        do throws(Replay.Stop) {
            if let stimulus = turn.stimulus, stimulus.isTooLong, batchNames.contains(stimulus.name) {
                throw Replay.Stop(reason: .tooLong, node: nil)
            }
            try Replay.prove(turn, program)
            let replay = Replay(turn, program, plan, foresight, from: state)
            try replay.play(asBatch: asBatch)
            try replay.check()
            change = change + (replay.figures - turn.figures)
            state = replay.finalState()
        } catch {
            let node = error.node.map { program.topology.nodeIDs[$0] } ?? 0
            outcome.note(error.reason, node: node, example: turn.first)
            pass(turn, program)
            state.follow(turn, program, plan)
        }
    }

    /// What remains of what `recorded` counted.
    func outcome(of recorded: WhatIf.Outcome) -> WhatIf.Outcome {
        for held in state.held.values {
            change.refreshes &+= 1
            change.handlerTicks &+= Int64(clamping: held.ticks)
        }
        state.held = [:]
        return recorded.changed(by: change, outcome)
    }

    /// The turn remains as it was recorded, but for evaluations that fall away by themselves.
    private func pass(_ turn: RecordedTurn, _ program: RecordedProgram) {
        state.screen &+= UInt64(turn.marks)
        if turn.isTooLong, !plan.plays, plan.counts { outcome.note(.tooLong, node: 0, example: turn.first) }
        for evaluation in turn.evaluations {
            let isNarrowed = evaluation.isNoop && plan.narrowed.contains(evaluation.node)
            let isLater = plan.later.contains(evaluation.node) && !program.isObserved(evaluation.node)
            if isNarrowed || isLater { change.evaluations &-= 1 }
        }
        guard turn.stimulus == nil else { return }
        let isMeant = plan.batched.contains { batch in
            batch.subscriptions.isEmpty
                ? batch.nodes.contains(where: turn.emitters.contains)
                : batch.subscriptions.contains { turn.received[$0] != nil }
        }
        if isMeant, batchNames.isEmpty { outcome.note(.noStimulus, node: 0, example: turn.first) }
    }

    /// Whether a remedy could change anything in the turn.
    private func isTouched(_ turn: RecordedTurn, _ program: RecordedProgram) -> Bool {
        if turn.isTooLong || !state.values.isEmpty || turn.hasHops && !state.removed.isEmpty { return true }
        if turn.received.keys.contains(where: { isChanged($0, program) }) { return true }
        return !plan.shared.isEmpty
            && (!plan.shared.isDisjoint(with: turn.emitters)
                || turn.lives.contains { plan.shared.contains(program.topology.sources[$0.subscription]) })
    }

    private func isChanged(_ subscription: Int, _ program: RecordedProgram) -> Bool {
        plan.removeDuplicates.contains(subscription) || plan.throttled.contains(subscription)
            || plan.disposed.contains(subscription) && program.isOwnerReleased(subscription)
            || plan.settled.contains(program.topology.targets[subscription])
            || foresight.feeders[subscription] != nil
    }
}

extension ReplayState {
    /// Goes on from what was recorded, where the turn cannot be played with the remedy.
    fileprivate mutating func follow(_ turn: RecordedTurn, _ program: RecordedProgram, _ plan: RemedyPlan) {
        values = [:]
        for (subscription, value) in turn.lastDelivered where plan.removeDuplicates.contains(subscription) {
            passed[subscription] = value
        }
        for life in turn.lives {
            let source = program.topology.sources[life.subscription]
            guard plan.shared.contains(source) else { continue }
            if life.begins { _ = join(life.subscription, source) } else { leave(life.subscription, source) }
        }
    }
}
