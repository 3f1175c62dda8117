import WeirTrace

// Subscriptions that begin in the recording only: the deliveries or hops in which they begin fall away, and so does what they bring
// later.
extension Replay {
    /// Whether the subscription began in the recording only.
    func isAbsent(_ subscription: Int) -> Bool {
        if state.absent.isEmpty, absent.isEmpty { return false }
        return state.absent.contains(subscription) || absent.contains(subscription)
    }

    /// Whether the subscription is no part of what falls away.
    func hasBegun(_ subscription: Int) -> Bool {
        if isAbsent(subscription) { return false }
        if program.lives[subscription] != .unmentioned || lives[subscription] != nil { return true }
        return !turn.lives.contains { $0.subscription == subscription && $0.begins }
    }

    /// Notes the subscriptions that do not begin because a delivery or hop falls away.
    ///
    /// Stops if something in it has another lasting effect: an object or a node that others may use. Whether it ends older
    /// subscriptions is checked later.
    func remove(_ fact: Int, _ source: FactTree) throws(Stop) {
        guard source[fact].hasStructure else { return }
        try removeContents(of: fact, source)
    }

    private func removeContents(of fact: Int, _ source: FactTree) throws(Stop) {
        for child in source.children(of: fact) {
            try spend()
            switch source[child].role {
            case .began(let subscription):
                if program.isCombinerInput[subscription] { throw Stop(reason: .structure, node: nil) }
                absent.insert(subscription)
            case .ended(let subscription, _): removedEnds.append(subscription)
            case .created(let node, _) where !program.isHot(node): break
            case .structure where source[child].event.kind == .nodeReleased: break
            case .created(let node, _): throw Stop(reason: .structure, node: node)
            case .ending(let node) where program.isHot(node): throw Stop(reason: .structure, node: node)
            case .structure: throw Stop(reason: .structure, node: nil)
            case .ending, .endDelivery, .batch, .stimulus, .hop: try removeContents(of: child, source)
            default: break
            }
        }
    }

    /// Stops if what falls away ended a subscription that would live on, or if a flatMap was busy with a signal that falls away.
    func checkAbsence() throws(Stop) {
        for subscription in removedEnds
        where !isAbsent(subscription) && !isOfRemovedRun(subscription)
            && (plan.shared.isEmpty || !endsWithRun(subscription))
        {
            throw Stop(reason: .structure, node: program.topology.sources[subscription])
        }
        for flow in turn.flows.elements {
            let target = program.topology.targets[flow.subscription]
            // The other inputs of a run are the signals that it made.
            guard target >= 0, program.kinds[target] == .flatMap, !isOfRemovedRun(flow.subscription),
                let run = program.topology.runs.run(ofInput: flow.subscription),
                program.topology.runs.inputs(ofRun: run).first == flow.subscription
            else { continue }
            try checkRequests(of: flow, target)
        }
    }

    /// Stops if a request that falls away was waiting, or if one that remains waited for one that falls away, or was refused because
    /// of it.
    private func checkRequests(of flow: RecordedTurn.Flow, _ node: Int) throws(Stop) {
        var isBusy = hasAbsentInput(node)
        for fact in facts.deliveries(flow) {
            let isAsked = facts.children(of: fact).contains { begins($0, node) }
            if used[fact] == 0 {
                let isRefused = facts.children(of: fact).contains {
                    facts[$0].role == .stopped(node: node, isEqual: false)
                }
                if !isAsked, !isRefused { throw Stop(reason: .operatorState, node: node) }
                isBusy = isBusy || isAsked
            } else if isBusy, !isAsked {
                throw Stop(reason: .operatorState, node: node)
            }
        }
    }

    private func hasAbsentInput(_ node: Int) -> Bool {
        state.absent.contains { program.topology.targets[$0] == node }
    }

    private func begins(_ fact: Int, _ node: Int) -> Bool {
        if case .began(let subscription) = facts[fact].role {
            program.topology.targets[subscription] == node
        } else {
            false
        }
    }

    /// Ends the former requests of a flatMap when its source gives another value.
    func cancelFormer(requestsOf node: Int, for subscription: Int) throws(Stop) {
        let runs = program.topology.runs
        guard runs.division(of: node) == .single else { throw Stop(reason: .structure, node: node) }
        guard let run = runs.run(ofInput: subscription), runs.inputs(ofRun: run).first == subscription else { return }
        for request in program.topology.inputs[node] where request != subscription && isAlive(request) {
            try cancel(request)
        }
    }

    /// Ends a subscription and those that its run made, which are alive in the recording.
    private func cancel(_ subscription: Int) throws(Stop) {
        try spend()
        absent.insert(subscription)
        let (runs, source) = (program.topology.runs, program.topology.sources[subscription])
        if program.isHot(source) || program.topology.inputs[source].isEmpty { return }
        guard runs.run(ofOutput: subscription) != nil, !runs.subscribesLate(source) else {
            throw Stop(reason: .structure, node: source)
        }
        for input in runs.inputs(ofOutput: subscription) where isAlive(input) { try cancel(input) }
    }

    /// Keeps what is absent until the recording ends it.
    func commitAbsence() {
        if absent.isEmpty, state.absent.isEmpty { return }
        state.absent.formUnion(absent)
        state.forgetEnded(in: turn)
    }
}

extension ReplayState {
    /// Forgets subscriptions that have ended in the recording.
    func forgetEnded(in turn: RecordedTurn) {
        if absent.isEmpty { return }
        for life in turn.lives where !life.begins { absent.remove(life.subscription) }
    }
}
