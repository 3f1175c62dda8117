import WeirTrace

@testable import WeirAnalysis

extension NaiveInterpreter {
    /// The value of a node that keeps one, before the event at a position; nil also if it is unknown.
    func heldValue(at position: Int) -> TraceValue? {
        switch events[position].kind {
        case .emitted, .completed, .failed, .suppressed, .nodeCreated, .nodeReleased, .hopBegan: break
        default: return nil
        }
        let keepers: Set<NodeKind> = [.observable, .combiner, .channel, .array, .binding]
        guard let node = definitions.nodes[events[position].subject], let kind = node.kind, keepers.contains(kind)
        else { return nil }
        let value = self.node(node.id, at: position).value
        let unknown: [TraceValue] = [.notRecorded, .withheld, .opaque, .void]
        return unknown.contains(value) ? nil : value
    }

    /// The direct cause of the event at a position.
    func causeStep(at position: Int) -> (way: CauseStep.Way, inputs: [CauseStep.Input], mainCause: EventID?) {
        let way = way(at: position)
        let event = events[position]
        guard event.kind == .emitted || event.kind == .suppressed else { return (way, [], way.cause) }
        let inputs = inputs(of: event.subject, way, at: position)
        let carried = carriedWrite(at: position).map { events[$0].id }
        return (way, inputs.map(\.input), carried ?? mainCause(of: event, way, inputs))
    }

    private func way(at position: Int) -> CauseStep.Way {
        guard let cause = places[position].cause else { return .root }
        if events[position].kind == .hopBegan { return .scheduled(by: cause) }
        switch places[position].subscription {
        case nil: return .within(cause)
        case 0: return .settling(of: cause)
        case let subscription?: return .delivery(of: cause, through: subscription)
        }
    }

    /// The inputs, each with the position of its last change: what a combiner reads was emitted then, any other input delivered.
    private func inputs(of node: UInt32, _ way: CauseStep.Way, at position: Int) -> [(
        input: CauseStep.Input, last: Int
    )] {
        if hasRuns(node), events[position].isReplayed { return [] }
        let previous = events[..<position].lastIndex { $0.kind == .emitted && !$0.isReplayed && $0.subject == node }
        if let passed = passed(at: position) { return [(passed, -1)] }
        if isWritten(node) { return written(way, at: position) }
        let isZip = definitions.nodes[node]?.kind == .zip
        if definitions.nodes[node]?.kind == .flatMap, let signal = inputBehind(position) {
            return opened(signal, way, after: previous, at: position)
        }
        switch runInputs(at: position) {
        case .all:
            let all = subscriptions(feeding: node)
            return isZip ? row(all, way, at: position) : inputs(all, of: node, way, after: previous, at: position)
        case .some(let some, let output):
            let origin = events[..<position].indices.last { events[$0].subject == output && deliversValue($0) }
            return isZip && some.count > 1
                ? row(some, way, at: position) : inputs(some, of: node, way, after: origin, at: position)
        case .unknown:
            let trigger: UInt32? = if case .delivery(_, let id) = way { id } else { nil }
            let all = subscriptions(feeding: node)
            var sources = Set(all.filter { $0.id == trigger }.map(\.source))
            return all.flatMap { edge in
                if edge.id == trigger { return inputs([edge], of: node, way, after: nil, at: position) }
                if subscribesLate(node) { return [] }
                return sources.insert(edge.source).inserted ? [(unknown(edge, .unknown), -1)] : []
            }
        }
    }

    private func isWritten(_ node: UInt32) -> Bool {
        let written: [NodeKind?] = [.observable, .emitter, .channel, .array, .binding]
        return written.contains(definitions.nodes[node]?.kind) && definitions.nodes[node]?.technique != .observation
    }

    /// The value of the input of a `deliver` or `delay` for which the hop around an event was scheduled.
    private func passed(at position: Int) -> CauseStep.Input? {
        let (event, place) = (events[position], places[position])
        guard event.kind == .emitted, !event.isReplayed, place.hop != nil, let hop = place.cause.map(self.event),
            [.deliver, .delay].contains(definitions.nodes[event.subject]?.kind), hop.subject == event.subject,
            let input = inputBehind(position), let emission = hop.cause
        else { return nil }
        return changed(input, emission)
    }

    private func changed(_ edge: TraceSubscription, _ emission: EventID) -> CauseStep.Input {
        var input = unknown(edge, .changed)
        (input.emission, input.value) = (emission, event(emission).value)
        return input
    }

    /// The inputs of a node that is written: the one whose delivery wrote the value, and the others.
    private func written(_ way: CauseStep.Way, at position: Int) -> [(input: CauseStep.Input, last: Int)] {
        let trigger: UInt32? = if case .delivery(_, let id) = way { id } else { nil }
        let writer = writer(at: position)
        return subscriptions(feeding: events[position].subject).flatMap { edge in
            if edge.id != trigger, let writer, writer.input.id == edge.id {
                return [(changed(edge, writer.emission), position)]
            }
            return inputs([edge], of: events[position].subject, way, after: position, at: position)
        }
    }

    /// The input and the emission that wrote what an event of a node says: they scheduled the hop, or wrote in the batch that ends.
    private func writer(at position: Int) -> (input: TraceSubscription, emission: EventID)? {
        let (event, place) = (events[position], places[position])
        if event.isReplayed { return nil }
        let hop = place.hop == nil ? nil : place.cause.map(self.event)
        if let emission = hop?.cause, let input = inputBehind(position) { return (input, emission) }
        guard let held = carriedWrite(at: position), let input = inputBehind(held), let emission = places[held].cause,
            places[held].subscription == input.id
        else { return nil }
        return (input, emission)
    }

    /// The position of the write that a batch held back, and whose value an event gives.
    private func carriedWrite(at position: Int) -> Int? {
        let (event, place) = (events[position], places[position])
        guard event.isNewValue || event.suppressionReason == .equal, isWritten(event.subject) else { return nil }
        let words = events[..<position].indices.filter {
            events[$0].subject == event.subject && (events[$0].kind == .suppressed || events[$0].isNewValue)
        }
        guard let held = words.last(where: { events[$0].isNewValue || events[$0].suppressionReason == .batched }),
            !events[held].isNewValue
        else { return nil }
        if event.kind == .suppressed, held != words.last { return nil }
        if let batch = batchEnding(around: position) { return isEarlier(batch, held) ? held : nil }
        let hop = place.hop == nil ? nil : place.cause.map(self.event)
        guard let hop, hop.subject == event.subject, held == words.last else { return nil }
        return hop.cause.map { isEarlier($0, held) } == true ? held : nil
    }

    private func isEarlier(_ id: EventID, _ position: Int) -> Bool {
        id.thread == events[position].id.thread && id.sequence < events[position].id.sequence
    }

    /// The inputs of a flatMap that emits a value of a signal: the value during whose delivery it subscribed to the signal, if that
    /// was recorded, and the value of the signal.
    private func opened(_ signal: TraceSubscription, _ way: CauseStep.Way, after previous: Int?, at position: Int) -> [(
        input: CauseStep.Input, last: Int
    )] {
        let node = events[position].subject
        var origin = previous
        if case .some(_, let output) = runInputs(at: position) {
            origin = lastDelivery(through: output, before: position)
        } else if case .unknown = runInputs(at: position) {
            origin = nil
        }
        let row = inputs([signal], of: node, way, after: origin, at: position)
        guard let opening = subscription(signal.id, at: position).opening,
            let outer = definitions.subscriptions[opening.input]
        else { return row }
        if let last = lastDelivery(through: outer.id, before: position), places[last].cause == opening.emission,
            !opening.hadWaited
        {
            return inputs([outer], of: node, way, after: origin, at: position) + row
        }
        var input = unknown(outer, .opened)
        (input.emission, input.value) = (opening.emission, event(opening.emission).value)
        return [(input, -1)] + row
    }

    private func lastDelivery(through subscription: UInt32?, before position: Int) -> Int? {
        events[..<position].indices.last { events[$0].subject == subscription && deliversValue($0) }
    }

    private func unknown(_ edge: TraceSubscription, _ role: CauseStep.Input.Role) -> CauseStep.Input {
        CauseStep.Input(
            subscription: edge.id, source: edge.source, role: role, value: .notRecorded, emission: nil,
            isTiming: edge.isTiming)
    }

    /// The inputs of a zip.
    private func row(_ edges: [TraceSubscription], _ way: CauseStep.Way, at position: Int) -> [(
        input: CauseStep.Input, last: Int
    )] {
        guard let node = edges.first?.target else { return [] }
        let trigger: UInt32? = if case .delivery(_, let id) = way { id } else { nil }
        let queues = waiting(in: edges, at: position)
        let isEmission = events[position].kind == .emitted
        return edges.flatMap { edge -> [(input: CauseStep.Input, last: Int)] in
            if edge.id == trigger { return inputs([edge], of: node, way, after: nil, at: position) }
            let hasWaitingTrigger = edges.contains { $0.id == trigger }
            if !isEmission, events[position].suppressionReason == .waiting, edges.count == 2, hasWaitingTrigger {
                return [(unknown(edge, .missing), -1)]
            }
            guard let queue = queues[edge.id] else { return [(unknown(edge, .unknown), -1)] }
            guard let first = queue.first, let emission = places[first].cause else {
                return [(unknown(edge, isEmission ? .unknown : .missing), -1)]
            }
            var input = unknown(edge, isEmission ? .paired : .waiting)
            (input.emission, input.value) = (emission, event(emission).value)
            return [(input, first)]
        }
    }

    private func inputs(
        _ edges: [TraceSubscription], of node: UInt32, _ way: CauseStep.Way, after origin: Int?, at position: Int
    ) -> [(input: CauseStep.Input, last: Int)] {
        let previous = events[..<position].lastIndex { $0.kind == .emitted && !$0.isReplayed && $0.subject == node }
        return edges.compactMap { edge in
            let delivery = events[..<position].indices.last { events[$0].subject == edge.id && deliversValue($0) }
            let isTrigger = if case .delivery(_, edge.id) = way { true } else { false }
            let life = life(ofSubscription: edge.id, at: position)
            let change = events[..<position].lastIndex {
                $0.kind == .emitted && !$0.isReplayed && $0.subject == edge.source
            }
            let keepers: Set<NodeKind?> = [.observable, .combiner, .channel, .array, .binding]
            let isRead =
                life == .alive && definitions.nodes[node]?.kind == .combiner
                && keepers.contains(definitions.nodes[edge.source]?.kind ?? nil)
            var last = isRead ? change : delivery
            if isRead, delivery == nil, let change {
                // Before the combiner was connected, it was computed from the value of that time.
                let start = events[..<position].lastIndex {
                    $0.kind == .subscriptionStarted && $0.subject == edge.id
                }
                if let start, start > change { last = nil }
            }
            var hasChanged = last.map { $0 > origin ?? -1 } ?? false
            let isCombiner = definitions.nodes[edge.source]?.kind == .combiner
            if isRead, !isCombiner, hasChanged, let last, let previous, let batch = batchEnding(around: last),
                events[previous].id.thread == batch.thread, events[previous].id.sequence > batch.sequence
            {
                // The end of the batch had stored the value before the previous emission.
                hasChanged = false
            }
            let end = events[..<position].last { $0.kind == .subscriptionEnded && $0.subject == edge.id }?.endReason
            let isKept =
                life == .ended && delivery != nil && (end == .completed || end == .sourceReleased)
                && [.withLatest, .combineLatest].contains(definitions.nodes[node]?.kind)
            guard isTrigger || life == .alive || life == .ended && hasChanged || isKept else { return nil }
            let lastWord = events[..<position].last {
                $0.subject == edge.source && ($0.kind == .suppressed || $0.kind == .emitted && !$0.isReplayed)
            }
            let readsHeld =
                definitions.nodes[node]?.kind == .combiner || definitions.nodes[node]?.technique == .observation
            if !isTrigger, readsHeld, let lastWord, lastWord.suppressionReason == .batched {
                let input = CauseStep.Input(
                    subscription: edge.id, source: edge.source, role: .written, value: .notRecorded,
                    emission: lastWord.id, isTiming: edge.isTiming)
                return (input, last ?? -1)
            }
            let isDelivered = delivery != nil && (isTrigger || !isRead)
            let input = CauseStep.Input(
                subscription: edge.id, source: edge.source,
                role: isTrigger ? .triggered : hasChanged ? .changed : .tookPart,
                value: isDelivered
                    ? event(places[delivery!].cause!).value : self.node(edge.source, at: position).value,
                emission: isDelivered ? places[delivery!].cause : change.map { events[$0].id },
                isTiming: edge.isTiming, isOver: isKept)
            return (input, last ?? -1)
        }
    }

    /// The direct cause; or the last of the changed inputs, if that cause did not reach the node through an input.
    private func mainCause(
        of event: TraceEvent, _ way: CauseStep.Way, _ inputs: [(input: CauseStep.Input, last: Int)]
    ) -> EventID? {
        switch way {
        case .delivery(let cause, let subscription):
            if definitions.subscriptions[subscription]?.target == event.subject { return cause }
        case .within(let cause):
            // Work that the node itself gave to a scheduler, or that another one did for the value of an input.
            let opener = self.event(cause)
            guard opener.kind == .hopBegan else { break }
            let behind = inputs.filter { $0.input.role == .changed }.compactMap(\.input.emission)
            if opener.subject == event.subject || opener.cause.map(behind.contains) == true { return cause }
        default: break
        }
        let changed = inputs.filter { $0.input.role == .changed }
        return changed.max { $0.last < $1.last }?.input.emission ?? way.cause
    }

    /// The positions of all causes of an event: main causes and changed inputs, and theirs.
    func allCauses(of position: Int) -> Set<Int> {
        var found: Set<Int> = [position]
        var open = [position]
        while let next = open.popLast() {
            let step = causeStep(at: next)
            let roles: [CauseStep.Input.Role] = [.triggered, .changed, .written, .paired, .opened]
            let changed = step.inputs.filter { roles.contains($0.role) }.compactMap(\.emission)
            for cause in [step.mainCause].compactMap(\.self) + changed {
                if let place = self.position(of: cause), found.insert(place).inserted { open.append(place) }
            }
        }
        return found
    }
}
