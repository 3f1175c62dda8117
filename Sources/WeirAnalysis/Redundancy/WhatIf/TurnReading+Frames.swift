import WeirTrace

// Reads the contents of emissions, ends and batches.
extension TurnReading {
    mutating func readDeliveries(_ fact: Int, _ given: RecordedValue, _ around: Surroundings) -> Contents {
        var contents = Contents()
        for delivery in facts.children(of: fact) {
            contents.duration &+= readDelivery(delivery, given, around).duration
        }
        return contents
    }

    private mutating func readDelivery(_ fact: Int, _ given: RecordedValue, _ around: Surroundings) -> Contents {
        let event = facts[fact].event
        if event.isSettling {
            facts[fact].role = .settling
            return read(facts.children(of: fact), Surroundings(isSettling: true, holding: around.holding))
        }
        guard let place = program.topology.place(ofSubscription: event.subject) else {
            turn.isIncomplete = true
            return Contents()
        }
        facts[fact].role = .delivery(subscription: place, given)
        note(fact, place, given)
        if !program.isWithoutMemory(place) { turn.memories.append(given, to: place) }
        let target = program.topology.targets[place]
        let inside = Surroundings(
            target: target < 0 ? nil : target, handler: program.isInternal[place] ? nil : place, holding: around.holding
        )
        var contents = read(facts.children(of: fact), inside)
        facts[fact].hasStructure = contents.hasStructure
        if program.isInternal[place] { return Contents(duration: contents.duration) }
        turn.figures.refreshes += 1
        if let end = facts[fact].endTicks, end >= event.ticks {
            let duration = end - event.ticks
            facts[fact].ticks = duration - min(duration, contents.duration)
            turn.figures.handlerTicks &+= Int64(clamping: facts[fact].ticks)
            contents.duration = duration
        }
        return Contents(duration: contents.duration)
    }

    /// Adds a delivery of a value to the flow through its subscription.
    private func note(_ fact: Int, _ subscription: Int, _ given: RecordedValue) {
        guard let place = program.flow(subscription) else {
            program.setFlow(turn.flows.count, of: subscription)
            turn.flows.append(
                RecordedTurn.Flow(
                    subscription: subscription, received: 1, last: given, first: Int32(fact), end: Int32(fact)))
            return
        }
        facts[Int(turn.flows[place].end)].nextDelivery = Int32(fact)
        turn.flows[place].end = Int32(fact)
        turn.flows[place].received += 1
        turn.flows[place].last = given
    }

    mutating func readEnding(_ fact: Int, _ event: RecordedEvent, _ around: Surroundings) -> Contents {
        guard let node = program.topology.place(ofNode: event.subject) else { return Contents(hasStructure: true) }
        facts[fact].role = .ending(node: node)
        var contents = Contents(hasStructure: true)
        for delivery in facts.children(of: fact) {
            let event = facts[delivery].event
            let place = program.topology.place(ofSubscription: event.subject)
            facts[delivery].role =
                event.isSettling ? .settling : place.map { .endDelivery(subscription: $0) } ?? .nothing
            let inside = Surroundings(isSettling: event.isSettling, holding: around.holding)
            contents.duration &+= read(facts.children(of: delivery), inside).duration
        }
        return contents
    }

    mutating func readBatch(_ fact: Int, _ around: Surroundings) -> Contents {
        facts[fact].role = .batch
        let batch = BatchReading()
        countHeld(in: fact, batch)
        findGiven(in: fact, batch)
        let inside = Surroundings(
            target: around.target, handler: around.handler, isSettling: around.isSettling, batch: batch, holding: batch,
            settlesHere: true)
        return read(facts.children(of: fact), inside)
    }

    /// Finds the values that the batch emitted at its end, or the nodes that ended with their initial value.
    private func findGiven(in fact: Int, _ batch: BatchReading) {
        for child in facts.children(of: fact) {
            let event = facts[child].event
            guard event.kind == .emitted, !event.isReplayed, let node = program.topology.place(ofNode: event.subject),
                batch.pending[node] != nil, batch.given[node] == nil
            else { continue }
            batch.given[node] = event.value
        }
        for child in facts.children(of: fact) {
            let event = facts[child].event
            guard event.suppressionReason == .equal, let node = program.topology.place(ofNode: event.subject),
                batch.pending[node] != nil, batch.given[node] == nil
            else { continue }
            batch.given[node] = value(node)
        }
    }

    /// Counts the writes to each node inside the batch.
    private func countHeld(in fact: Int, _ batch: BatchReading) {
        for child in facts.children(of: fact) where facts[child].event.kind != .batchBegan {
            let event = facts[child].event
            if event.suppressionReason == .batched, let node = program.topology.place(ofNode: event.subject) {
                batch.pending[node, default: 0] += 1
            }
            countHeld(in: child, batch)
        }
    }
}
