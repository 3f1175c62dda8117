import WeirTrace

// What emissions, ends and batches hold.
extension TurnReading {
    mutating func readDeliveries(_ fact: Int, _ given: RecordedValue, _ around: Surroundings) -> Contents {
        var contents = Contents()
        for delivery in turn.facts[fact].children {
            contents.duration &+= readDelivery(delivery, given, around).duration
        }
        return contents
    }

    private mutating func readDelivery(_ fact: Int, _ given: RecordedValue, _ around: Surroundings) -> Contents {
        let event = turn.facts[fact].event
        if event.isSettling {
            turn.facts[fact].role = .settling
            return read(turn.facts[fact].children, Surroundings(isSettling: true, holding: around.holding))
        }
        guard let place = program.topology.place(ofSubscription: event.subject) else {
            turn.isIncomplete = true
            return Contents()
        }
        turn.facts[fact].role = .delivery(subscription: place, given)
        turn.deliveries[RecordedTurn.DeliveryKey(subscription: place, value: given), default: []].append(fact)
        turn.received[place, default: 0] += 1
        turn.lastDelivered[place] = given
        if !program.isWithoutMemory(place) { turn.sequences[place, default: []].append(given) }
        let target = program.topology.targets[place]
        let inside = Surroundings(target: target < 0 ? nil : target, holding: around.holding)
        var contents = read(turn.facts[fact].children, inside)
        turn.facts[fact].hasStructure = contents.hasStructure
        if program.topology.subscriptions[place].isInternal { return Contents(duration: contents.duration) }
        turn.figures.refreshes += 1
        if let end = turn.facts[fact].endTicks, end >= event.ticks {
            let duration = end - event.ticks
            turn.facts[fact].ticks = duration - min(duration, contents.duration)
            turn.figures.handlerTicks &+= Int64(clamping: turn.facts[fact].ticks)
            contents.duration = duration
        }
        return Contents(duration: contents.duration)
    }

    mutating func readEnding(_ fact: Int, _ event: TraceEvent, _ around: Surroundings) -> Contents {
        guard let node = program.topology.place(ofNode: event.subject) else { return Contents(hasStructure: true) }
        turn.facts[fact].role = .ending(node: node)
        var contents = Contents(hasStructure: true)
        for delivery in turn.facts[fact].children {
            let event = turn.facts[delivery].event
            let place = program.topology.place(ofSubscription: event.subject)
            turn.facts[delivery].role =
                event.isSettling ? .settling : place.map { .endDelivery(subscription: $0) } ?? .nothing
            let inside = Surroundings(isSettling: event.isSettling, holding: around.holding)
            contents.duration &+= read(turn.facts[delivery].children, inside).duration
        }
        return contents
    }

    mutating func readBatch(_ fact: Int, _ around: Surroundings) -> Contents {
        turn.facts[fact].role = .batch
        let batch = BatchReading()
        countHeld(turn.facts[fact].children, batch)
        findGiven(turn.facts[fact].children, batch)
        let inside = Surroundings(
            target: around.target, isSettling: around.isSettling, batch: batch, holding: batch, settlesHere: true)
        return read(turn.facts[fact].children, inside)
    }

    /// What the batch gave out at its end, or that it ended as it began.
    private func findGiven(_ facts: [Int], _ batch: BatchReading) {
        let held = facts.map { turn.facts[$0].event }.compactMap { event in
            program.topology.place(ofNode: event.subject).map { (event, $0) }
        }.filter { batch.pending[$0.1] != nil }
        for (event, node) in held where event.kind == .emitted && !event.isReplayed && batch.given[node] == nil {
            batch.given[node] = RecordedValue(event.value, origin: event.id)
        }
        for (event, node) in held where event.suppressionReason == .equal && batch.given[node] == nil {
            batch.given[node] = value(node)
        }
    }

    /// How often each node was written inside of the batch.
    private func countHeld(_ facts: [Int], _ batch: BatchReading) {
        for fact in facts where turn.facts[fact].event.kind != .batchBegan {
            let event = turn.facts[fact].event
            if event.suppressionReason == .batched, let node = program.topology.place(ofNode: event.subject) {
                batch.pending[node, default: 0] += 1
            }
            countHeld(turn.facts[fact].children, batch)
        }
    }
}
