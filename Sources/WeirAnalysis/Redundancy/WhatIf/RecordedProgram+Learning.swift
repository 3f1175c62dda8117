import WeirTrace

extension RecordedProgram {
    /// Marks as alive subscriptions made before the recording that these turns are the first to mention.
    func learn(_ turns: [RecordedTurn]) {
        var begun: Set<UInt32> = []
        for turn in turns where !turn.isTooLong {
            for fact in turn.facts.indices where turn.facts[fact].event.kind == .subscriptionStarted {
                begun.insert(turn.facts[fact].event.subject)
            }
        }
        for turn in turns where !turn.isTooLong { learn(turn, begun) }
    }

    private func learn(_ turn: RecordedTurn, _ begun: Set<UInt32>) {
        let facts = turn.tree
        for fact in turn.facts.indices where facts[fact].event.kind == .hopScheduled {
            guard let place = topology.place(ofSubscription: facts[fact].event.subject), lives[place] == .unmentioned,
                !begun.contains(facts[fact].event.subject)
            else { continue }
            lives[place] = .alive
            sight.subscriptionBegan()
            if isHot(topology.sources[place]) { listeners.append(place) }
        }
        for fact in turn.facts.indices where facts[fact].event.kind == .emitted {
            var former: Int?
            for child in facts.children(of: fact) {
                guard let place = topology.place(ofSubscription: facts[child].event.subject) else { continue }
                if lives[place] == .unmentioned, !begun.contains(topology.subscriptions[place].id) {
                    lives[place] = .alive
                    sight.subscriptionBegan()
                    if isHot(topology.sources[place]) { listeners.insert(place, behind: former) }
                }
                former = place
            }
        }
    }

    /// Advances to the end of the turn, as it was recorded.
    func take(_ turn: RecordedTurn) {
        for change in turn.changes.elements { if let value = change.value { values[change.node] = value } }
        for life in turn.lives { take(life.subscription, begins: life.begins) }
        let facts = turn.tree
        for flow in turn.flows.elements {
            if remembersLast[flow.subscription] { takeSuccession(flow, facts) }
            lastDelivered[flow.subscription] = flow.last
            for fact in facts.deliveries(flow) { takeHandler(flow.subscription, facts, fact) }
        }
        for release in turn.releases { releasedObjects.insert(release.object) }
        if !turn.expectedObjects.isEmpty { expectedObjects.formUnion(turn.expectedObjects) }
        if turn.endsExpectations { endExpectations() }
        for node in turn.madeNodes { madeNodes.insert(node) }
        for node in turn.releasedNodes { releasedNodes.insert(node) }
        for recorded in turn.handovers.values { for (_, handover) in recorded { handovers.insert(handover) } }
        for handover in turn.handedOver { handovers.remove(handover) }
        if handovers.count > Self.mostHandovers { handovers = [] }
        noteEnd(of: turn)
        for combiner in turn.fickle { fickle[combiner] = true }
        for (inputs, result) in turn.results { takeResult(inputs, result) }
    }

    /// Takes an event of a turn that is not kept.
    func take(_ event: RecordedEvent) {
        switch event.kind {
        case .emitted where !event.isReplayed:
            if let node = topology.place(ofNode: event.subject) {
                values[node] = event.value
            }
        case .nodeCreated:
            if let node = topology.place(ofNode: event.subject) {
                values[node] = definedValue(node)
                madeNodes.insert(node)
            }
        case .nodeReleased:
            if let node = topology.place(ofNode: event.subject), kinds[node] == .combineLatest {
                releasedNodes.insert(node)
            }
        case .subscriptionStarted, .subscriptionEnded:
            if let place = topology.place(ofSubscription: event.subject) {
                take(place, begins: event.kind == .subscriptionStarted)
            }
        case .deliveryBegan, .deliveryNext:
            if let place = topology.place(ofSubscription: event.subject) {
                lastDelivered[place] = .hidden(origin: event.order)
                // The handler's reaction is unknown.
                handlers[place].hasActed = true
                handlers[place].isRelay = false
                handlers[place].emitsOnce = false
            }
        case .objectReleased: releasedObjects.insert(event.subject)
        case .objectExpected: expectedObjects.insert(event.subject)
        case .checkpoint: endExpectations()
        default: break
        }
    }

    private func endExpectations() {
        releasedObjects.formUnion(expectedObjects)
        expectedObjects = []
    }

    /// The value with which a node was made.
    func definedValue(_ node: Int) -> RecordedValue {
        let id = topology.nodeIDs[node]
        return RecordedValue(topology.definitions.nodes[id]?.value ?? .notRecorded, ofNode: id)
    }

    private func take(_ place: Int, begins: Bool) {
        if isHot(topology.sources[place]) {
            listeners.remove(place)
            if begins { listeners.append(place) }
        }
        if isCombinerInput[place] { inputs.set(place, isOpen: begins) }
        lives[place] = begins ? .alive : .ended
        if begins {
            beginnings[place] = nextBeginning()
            lastDelivered[place] = nil
            sight.subscriptionBegan()
        } else {
            sight.subscriptionEnded()
        }
    }

    /// Learns whether a removeDuplicates compares in a way of its own.
    private func takeSuccession(_ flow: RecordedTurn.Flow, _ facts: FactTree) {
        let node = topology.targets[flow.subscription]
        guard kinds[node] == .removeDuplicates else { return }
        var former = lastDelivered[flow.subscription]
        for fact in facts.deliveries(flow) {
            guard case .delivery(_, let value) = facts[fact].role else { continue }
            let passes = facts.children(of: fact).contains {
                if case .cold(node, _, _) = facts[$0].role { true } else { false }
            }
            if let former, former.isEqual(to: value) == passes { ownComparisons.insert(node) }
            former = value
        }
    }

    private func takeHandler(_ subscription: Int, _ facts: FactTree, _ fact: Int) {
        guard case .delivery(_, let value) = facts[fact].role else { return }
        handlers[subscription].deliveries &+= 1
        let known = handlers[subscription]
        if facts[fact].hasChildren, !known.hasActed || known.isRelay || known.emitsOnce {
            let acts = facts.acts(of: fact)
            if !acts.isEmpty { handlers[subscription].hasActed = true }
            let target = topology.targets[subscription]
            if acts != [.write(node: target, value)] { handlers[subscription].isRelay = false }
            if acts.count != 1 || !acts[0].isEmission(of: target) { handlers[subscription].emitsOnce = false }
        } else if !facts[fact].hasChildren {
            handlers[subscription].isRelay = false
            handlers[subscription].emitsOnce = false
        }
        guard facts[fact].endTicks != nil else { return }
        handlers[subscription].timedRefreshes &+= 1
        handlers[subscription].ticks &+= facts[fact].ticks
    }

    private func takeResult(_ inputs: InputValues, _ result: RecordedValue) {
        if let former = results.updateValue(result, forKey: inputs), former.isEqual(to: result) == false {
            fickle[inputs.combiner] = true
        }
        if results.count > Self.mostResults { results = [:] }
    }
}

extension RecordedTurn.Fact {
    var hasChildren: Bool { firstChild >= 0 }
}

// Reads facts from the graph: the heights of combiners, and which handlers can be reached.
extension RecordedProgram {
    /// The values of a combiner's inputs; nil if there are too many to compare.
    func inputValues(_ combiner: Int, _ value: (Int) -> RecordedValue) -> InputValues? {
        guard let open = inputs.open(combiner) else { return nil }
        return InputValues(combiner, open.map { value(topology.sources[Int($0)]) })
    }

    /// The most combiners on any path to this node.
    func height(_ node: Int) -> Int { heights[node] }

    /// Whether the node reaches a live handler, or another node that shows or does something.
    func isObserved(_ node: Int) -> Bool { sight.isObserved(node) { lives[$0] == .alive } }

    /// Whether the owner of the subscription's target, or of the subscription, was released before a turn.
    func isOwnerReleased(_ subscription: Int) -> Bool {
        topology.owners(ofSubscription: subscription).contains(where: releasedObjects.contains)
    }

    /// The first fact of a turn that says that such an owner was released; nil if there is none.
    func ownerRelease(_ subscription: Int, in turn: RecordedTurn) -> Int? {
        if turn.releases.isEmpty { return nil }
        let owners = topology.owners(ofSubscription: subscription)
        return turn.releases.first { owners.contains($0.object) }?.fact
    }
}

extension Topology {
    /// The owners of the subscription and of its target.
    fileprivate func owners(ofSubscription place: Int) -> [UInt32] {
        let definition = subscriptions[place]
        return [definition.owner, definition.target.flatMap { definitions.nodes[$0]?.owner }].compactMap(\.self)
    }

    /// Whether a subscription feeds a combiner with the value of one of its inputs.
    func isCombinerInput(_ place: Int, _ kinds: [NodeKind?]) -> Bool {
        guard subscriptions[place].isInternal, targets[place] >= 0, kinds[targets[place]] == .combiner else {
            return false
        }
        // A signal bound to a combiner writes to it; only nodes that hold a value are inputs.
        switch kinds[sources[place]] {
        case .observable, .combiner, .array: return true
        default: return false
        }
    }
}
