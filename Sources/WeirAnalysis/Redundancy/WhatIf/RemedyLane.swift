import WeirTrace

/// One remedy, or several at once, applied turn by turn.
final class RemedyLane {
    let plan: RemedyPlan
    /// The stimuli around which the remedy puts a batch.
    let batchNames: Set<String>
    private let foresight: Foresight
    private let state: ReplayState
    @exclusivity(unchecked) private var laterWrites: LaterWrites
    /// The same for what lightened handlers change.
    @exclusivity(unchecked) private var laterChanges: LaterWrites
    @exclusivity(unchecked) private var replay: Replay?
    @exclusivity(unchecked) private var change = Figures()
    @exclusivity(unchecked) private var outcome = WhatIf.Outcome()
    /// Whether a batch was tried in a turn outside of all stimuli: then other such turns, which it does not concern, need none.
    @exclusivity(unchecked) private var hasJoinedLaterWork = false

    init(
        _ plan: RemedyPlan, _ topology: Topology, batchNames: Set<String>, _ foresight: Foresight, isComputable: Bool,
        mostRemoved: Int
    ) {
        self.plan = plan
        self.batchNames = batchNames
        self.foresight = foresight
        state = ReplayState(plan, mostRemoved: mostRemoved)
        laterWrites = LaterWrites(plan.delivered, topology)
        laterChanges = LaterWrites(PlaceSet([]), topology, handlers: plan.lightened)
        outcome.isComputable = isComputable
    }

    /// The indexes of the subscriptions and nodes that the remedy concerns.
    ///
    /// A turn without any of these does not matter to the remedy, except for its earlier changes.
    func concerns(_ topology: Topology) -> (subscriptions: Set<Int>, nodes: Set<Int>) {
        var subscriptions = Set(
            plan.removeDuplicates.places + plan.throttled.places + plan.disposed.places + plan.repeatedPlaces.places
                + plan.batchedHandlers.places + plan.ownHandlers.places + plan.narrowedInputs.places
                + plan.lightened.places)
        var nodes = Set(
            plan.shared.places + plan.later.places + plan.narrowed.places + plan.computedOnce.places)
        for node in plan.latest.places { subscriptions.formUnion(topology.inputs[node]) }
        nodes.formUnion(plan.throttled.places.map { topology.sources[$0] })
        for node in plan.settled.places { subscriptions.formUnion(topology.inputs[node]) }
        nodes.formUnion(plan.replacedTargets.keys)
        for batch in plan.batched {
            subscriptions.formUnion(batch.subscriptions)
            nodes.formUnion(batch.nodes)
        }
        if !plan.shared.isEmpty {
            subscriptions.formUnion(foresight.feeders.keys)
            nodes.formUnion(foresight.feeders.keys.map { topology.sources[$0] })
        }
        return (subscriptions, nodes)
    }

    /// Whether earlier changes of the remedy may matter in any turn.
    var isCarrying: Bool { hasChanges || !plan.delivered.isEmpty || laterChanges.isWaiting }
    private var hasChanges: Bool { !state.values.isEmpty || !state.absent.isEmpty || hasComputed }
    /// Whether a node was computed in place of what handlers write: these may also write what it holds already.
    @exclusivity(unchecked) private var hasComputed = false

    /// Whether earlier changes of the remedy may matter in this turn, or the turn is unknown.
    func isOn(_ turn: RecordedTurn) -> Bool {
        turn.isTooLong || hasChanges || turn.hasHops && !(state.removed.isEmpty && state.moved.isEmpty)
    }

    /// Takes the next turn; `program` is in the state at its beginning.
    func take(_ turn: RecordedTurn, _ program: RecordedProgram, asBatch: Bool = false) {
        // Later work of a stimulus, such as that after an await, can batch its own writes.
        let joinsLaterWork = turn.stimulus == nil && plan.joinsRefreshes(of: turn)
        hasJoinedLaterWork = hasJoinedLaterWork || joinsLaterWork
        let asBatch = asBatch || joinsLaterWork
        if !plan.narrowedInputs.isEmpty {
            for flow in turn.flows.elements where plan.narrowedInputs.contains(flow.subscription) {
                outcome.addedEvaluations &+= UInt64(flow.received)
            }
        }
        do throws(Replay.Stop) {
            try checkOrder(turn, program)
            guard plan.plays, asBatch || isTouched(turn, program) else { return pass(turn, program) }
            if let stimulus = turn.stimulus, stimulus.isTooLong, batchNames.contains(stimulus.name) {
                throw Replay.Stop(reason: .tooLong, node: nil)
            }
            if program.steps < 0 { throw Replay.Stop(reason: .tooLong, node: nil) }
            try Replay.prove(turn, program)
            let replay = replay ?? Replay(program, plan, foresight, from: state)
            self.replay = replay
            replay.begin(turn)
            try replay.play(asBatch: asBatch)
            try replay.check()
            try replay.commit()
            change = change + (replay.figures - turn.figures)
        } catch {
            let node = error.node.map { program.topology.nodeIDs[$0] } ?? 0
            outcome.note(error.reason, node: node, example: turn.first)
            state.takeBack()
            pass(turn, program)
            state.follow(turn, program, plan, foresight)
        }
    }

    /// The figures of `recorded`, changed by the remedy.
    func outcome(of recorded: WhatIf.Outcome) -> WhatIf.Outcome {
        for held in state.pauses.all.compactMap(\.held) {
            change.refreshes &+= 1
            change.handlerTicks &+= Int64(clamping: held)
        }
        if hasJoinedLaterWork { outcome.uncomputed.removeAll { $0.reason == .noStimulus } }
        return recorded.changed(by: change, outcome)
    }

    /// Keeps the turn as it was recorded, except for evaluations that the remedy simply removes.
    private func pass(_ turn: RecordedTurn, _ program: RecordedProgram) {
        if turn.isTooLong, !plan.plays, plan.counts || checksOrder {
            outcome.note(.tooLong, node: 0, example: turn.first)
        }
        if plan.counts {
            for evaluation in turn.evaluations.elements {
                let isNarrowed = evaluation.isNoop && plan.narrowed.contains(evaluation.node)
                let isLater = plan.later.contains(evaluation.node) && !program.isObserved(evaluation.node)
                if isNarrowed || isLater { change.evaluations &-= 1 }
            }
        }
        if turn.stimulus == nil, batchNames.isEmpty, plan.isBatching, plan.batches(around: turn) {
            outcome.note(.noStimulus, node: 0, example: turn.first)
        }
    }

    private var checksOrder: Bool { !plan.lightened.isEmpty || !plan.delivered.isEmpty }

    /// Checks that what the remedy only does later, or on another thread, changes nothing else.
    private func checkOrder(_ turn: RecordedTurn, _ program: RecordedProgram) throws(Replay.Stop) {
        if !plan.delivered.isEmpty { try laterWrites.take(turn, isOverlapped: false) }
        if plan.lightened.isEmpty { return }
        for flow in turn.flows.elements where plan.lightened.contains(flow.subscription) {
            let source = program.topology.sources[flow.subscription]
            if turn.isIncomplete { throw Replay.Stop(reason: .incomplete, node: source) }
            if !program.topology.canBatch(source) { throw Replay.Stop(reason: .delayedHandler, node: source) }
        }
        try laterChanges.take(turn, isOverlapped: program.isOverlapped(turn))
    }

    /// Whether the remedy may change anything in the turn.
    private func isTouched(_ turn: RecordedTurn, _ program: RecordedProgram) -> Bool {
        if isOn(turn) || turn.flows.elements.contains(where: { isChanged($0.subscription, turn, program) })
            || turn.handovers.keys.contains(where: { isChanged($0, turn, program) })
        {
            return true
        }
        if !plan.computedOnce.isEmpty, turn.changes.elements.contains(where: { plan.computedOnce.contains($0.node) }) {
            hasComputed = true
            return true
        }
        if !plan.throttled.isEmpty, turn.lives.contains(where: { plan.throttled.contains($0.subscription) }) {
            return true
        }
        if !plan.replacedTargets.isEmpty,
            turn.changes.elements.contains(where: { $0.hasEmitted && plan.replacedTargets[$0.node] != nil })
        {
            return true
        }
        return !plan.shared.isEmpty
            && (turn.changes.elements.contains { $0.hasEmitted && plan.shared.contains($0.node) }
                || turn.lives.contains {
                    plan.shared.contains(program.topology.sources[$0.subscription])
                        || foresight.feeders[$0.subscription] != nil
                })
    }

    private func isChanged(_ subscription: Int, _ turn: RecordedTurn, _ program: RecordedProgram) -> Bool {
        plan.removeDuplicates.contains(subscription) || plan.throttled.contains(subscription)
            || plan.repeatedPlaces.contains(subscription) || plan.batchedHandlers.contains(subscription)
            || plan.disposed.contains(subscription)
                && (program.isOwnerReleased(subscription) || program.ownerRelease(subscription, in: turn) != nil)
            || plan.settled.contains(program.topology.targets[subscription])
            || plan.latest.contains(program.topology.targets[subscription]) || plan.ownHandlers.contains(subscription)
            || !plan.shared.isEmpty && foresight.feeders[subscription] != nil
    }
}

extension ReplayState {
    /// Continues from the recording, if the turn cannot be replayed with the remedy.
    fileprivate func follow(
        _ turn: RecordedTurn, _ program: RecordedProgram, _ plan: RemedyPlan, _ foresight: Foresight
    ) {
        if !values.isEmpty { values = [:] }
        forgetEnded(in: turn)
        for flow in turn.flows.elements where plan.removeDuplicates.contains(flow.subscription) {
            passed[flow.subscription] = flow.last
        }
        for (subscription, recorded) in turn.handovers where plan.removeDuplicates.contains(subscription) {
            if let last = recorded.last, case .scheduled(let value) = turn.facts[last.fact].role {
                passed[subscription] = value
            }
        }
        passed.commit()
        guard !plan.shared.isEmpty else { return }
        // The turn may be too long to know which came first, a value or a member: the member then counts as late.
        noteValues(of: turn, program, plan)
        for life in turn.lives {
            let source = program.topology.sources[life.subscription]
            guard plan.shared.contains(source) else { continue }
            let hub = plan.hub(of: source)
            if life.begins {
                _ = hubs.join(life.subscription, hub, continues: foresight.fedSources.contains(source))
            } else {
                hubs.leave(life.subscription, hub)
            }
        }
        noteValues(of: turn, program, plan)
        hubs.commit()
    }

    /// Notes which shared runs have given a value in the recorded turn.
    private func noteValues(of turn: RecordedTurn, _ program: RecordedProgram, _ plan: RemedyPlan) {
        for flow in turn.flows.elements where flow.received > 0 {
            let source = program.topology.sources[flow.subscription]
            guard plan.shared.contains(source), case let hub = plan.hub(of: source),
                hubs.answer(flow.subscription, hub)
            else { continue }
            hubs.give(flow.last, hub, keeps: plan.replayed.contains(hub))
        }
    }
}
