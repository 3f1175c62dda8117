import WeirTrace

extension RecordedProgram {
    /// Takes subscriptions as alive that were made before the recording, and of which these turns are the first to tell.
    func learn(_ turns: [RecordedTurn]) {
        let begun = Set(turns.flatMap(\.facts).map(\.event).filter { $0.kind == .subscriptionStarted }.map(\.subject))
        for turn in turns { learn(turn, begun) }
    }

    private func learn(_ turn: RecordedTurn, _ begun: Set<UInt32>) {
        for fact in turn.facts where fact.event.kind == .emitted {
            var former: Int?
            for child in fact.children {
                guard let place = topology.place(ofSubscription: turn.facts[child].event.subject) else { continue }
                if lives[place] == .unmentioned, !begun.contains(topology.subscriptions[place].id) {
                    lives[place] = .alive
                    forgetShape()
                    let node = topology.sources[place]
                    let index = former.flatMap { listeners[node].firstIndex(of: $0) }.map { $0 + 1 } ?? 0
                    if isHot(node) { listeners[node].insert(place, at: index) }
                }
                former = place
            }
        }
    }

    /// Goes on to the end of the turn, as it was recorded.
    func take(_ turn: RecordedTurn) {
        for (node, value) in turn.endValues { values[node] = value }
        for life in turn.lives { take(life.subscription, begins: life.begins) }
        for (place, value) in turn.lastDelivered { lastDelivered[place] = value }
        releasedObjects.formUnion(turn.releasedObjects)
        expectedObjects.formUnion(turn.expectedObjects)
        if turn.endsExpectations { endExpectations() }
        for (key, facts) in turn.deliveries {
            for fact in facts { takeHandler(key, turn, fact) }
        }
        fickle.formUnion(turn.fickle)
        for (node, table) in turn.results { takeResults(node, table) }
    }

    /// Takes an event of a turn that is not kept.
    func take(_ event: TraceEvent) {
        switch event.kind {
        case .emitted where !event.isReplayed:
            if let node = topology.place(ofNode: event.subject) {
                values[node] = RecordedValue(event.value, origin: event.id)
            }
        case .nodeCreated:
            if let node = topology.place(ofNode: event.subject) { values[node] = definedValue(node) }
        case .subscriptionStarted, .subscriptionEnded:
            if let place = topology.place(ofSubscription: event.subject) {
                take(place, begins: event.kind == .subscriptionStarted)
            }
        case .deliveryBegan, .deliveryNext:
            if let place = topology.place(ofSubscription: event.subject) {
                lastDelivered[place] = .hidden(origin: event.id)
                // What it did is not known.
                handlers[place].hasActed = true
                handlers[place].isRelay = false
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
        let origin = EventID(thread: 0, sequence: UInt64(id))
        return RecordedValue(topology.definitions.nodes[id]?.value ?? .notRecorded, origin: origin)
    }

    private func take(_ place: Int, begins: Bool) {
        let node = topology.sources[place]
        if isHot(node) {
            listeners[node].removeAll { $0 == place }
            if begins { listeners[node].append(place) }
        }
        lives[place] = begins ? .alive : .ended
        if begins {
            beginnings[place] = UInt64(beginnings.count) + 1
            lastDelivered[place] = nil
        }
        forgetShape()
    }

    private func takeHandler(_ key: RecordedTurn.DeliveryKey, _ turn: RecordedTurn, _ fact: Int) {
        let acts = turn.acts(of: fact)
        handlers[key.subscription].deliveries &+= 1
        if !acts.isEmpty { handlers[key.subscription].hasActed = true }
        let target = topology.targets[key.subscription]
        if acts != [.write(node: target, key.value)] { handlers[key.subscription].isRelay = false }
        guard turn.facts[fact].endTicks != nil else { return }
        handlers[key.subscription].timedRefreshes &+= 1
        handlers[key.subscription].ticks &+= turn.facts[fact].ticks
    }

    private func takeResults(_ node: Int, _ table: [[RecordedValue]: RecordedValue]) {
        for (inputs, result) in table {
            let former = results[node, default: [:]].updateValue(result, forKey: inputs)
            if let former {
                if former.isEqual(to: result) == false { fickle.insert(node) }
            } else {
                resultCount += 1
            }
        }
        if resultCount > Self.mostResults { (results, resultCount) = ([:], 0) }
    }
}

extension RecordedTurn {
    /// What was done in a delivery, one thing after the other.
    func acts(of fact: Int) -> [FactRole] {
        facts[fact].children.flatMap { child -> [FactRole] in
            switch facts[child].role {
            case .nothing, .mark, .stopped, .waiting, .result: []
            case .batch, .stimulus, .hop: [facts[child].role] + acts(of: child)
            case let role: [role]
            }
        }
    }
}
