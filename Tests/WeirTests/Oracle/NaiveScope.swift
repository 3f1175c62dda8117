import WeirTrace

@testable import WeirAnalysis

/// All consequences of one stimulus, including those by hops, found event by event from the frames around each.
struct NaiveScope {
    /// Positions, in order.
    let members: [Int]
    private let isMember: Set<Int>
    private let naive: NaiveInterpreter
    /// The position at which the stimulus begins.
    let beginning: Int

    init(_ naive: NaiveInterpreter, from beginning: Int) {
        var members = [beginning]
        var isMember: Set<Int> = [beginning]
        for position in naive.events.indices.dropFirst(beginning + 1) {
            let event = naive.events[position]
            let around = (naive.frames[event.id.thread] ?? []).filter {
                $0.opening < position && position <= $0.closing
            }
            // Events in a hop follow the hop's own cause, regardless of the frames around the hop.
            let decisive = around.last { $0.opening == beginning || naive.events[$0.opening].kind == .hopBegan }
            let cause = event.kind == .hopBegan ? naive.position(of: event.cause) : decisive?.opening
            guard let cause, isMember.contains(cause) else { continue }
            members.append(position)
            isMember.insert(position)
        }
        (self.naive, self.members, self.isMember, self.beginning) = (naive, members, isMember, beginning)
    }

    func contains(_ id: EventID) -> Bool { naive.position(of: id).map(isMember.contains) ?? false }

    /// The positions at which a node emitted new values.
    func emissions(of node: UInt32) -> [Int] {
        members.filter { naive.events[$0].isNewValue && naive.events[$0].subject == node }
    }

    /// The nodes that emitted new values, as `WhyNot` lists them.
    var reached: [WhyNot.Reached] {
        var order: [UInt32] = []
        for event in members.map({ naive.events[$0] }) where event.isNewValue && !order.contains(event.subject) {
            order.append(event.subject)
        }
        return order.map { node in
            let emissions = emissions(of: node).map { naive.events[$0] }
            let refreshes = members.filter {
                naive.deliversValue($0) && naive.isTerminal(naive.events[$0].subject)
                    && naive.definitions.subscriptions[naive.events[$0].subject]?.source == node
            }
            let (first, last) = (emissions[0], emissions[emissions.count - 1])
            let isHeard = members.contains { position in
                guard naive.deliversValue(position), naive.events[position].cause == last.id else { return false }
                let subscription = naive.definitions.subscriptions[naive.events[position].subject]
                return subscription?.isInternal == false || subscription?.target != nil
            }
            let isOver = naive.events.contains { $0.kind == .deliveryEnded && $0.cause == last.id }
            let next = naive.events.drop { $0.id != last.id }.dropFirst()
                .first { $0.kind == .emitted && !$0.isReplayed && $0.subject == node }
            return WhyNot.Reached(
                node: node, emissions: UInt64(emissions.count), refreshes: UInt64(refreshes.count), first: first.id,
                last: last.id, value: last.value, hasChangedBefore: hasChanged(node, before: first.id), next: next?.id,
                hadNoSubscriber: !last.delivers || isOver && !isHeard)
        }
    }
}

extension NaiveScope {
    /// Whether a node emitted between the beginning of the scope and its first emission in it.
    fileprivate func hasChanged(_ node: UInt32, before first: EventID) -> Bool {
        naive.events[beginning...].prefix { $0.id != first }
            .contains { $0.kind == .emitted && !$0.isReplayed && $0.subject == node }
    }
}

extension NaiveInterpreter {
    /// Whether a hop runs while the stimulus that begins at a position is open.
    func hasHop(inside stimulus: Int) -> Bool {
        let own = frames[events[stimulus].id.thread] ?? []
        guard let frame = own.first(where: { $0.opening == stimulus }) else { return false }
        return own.contains {
            events[$0.opening].kind == .hopBegan && $0.opening > stimulus && $0.opening < frame.closing
        }
    }

    /// Whether a handler of this subscription, or its target's function, wrote to a node at any time, at once or later.
    func hasWritten(_ subscription: UInt32, to node: UInt32) -> Bool {
        let isComputed =
            (definitions.nodes[node]?.technique == .observation || definitions.nodes[node]?.kind == .combiner)
            && !subscriptions(feeding: node).isEmpty
        let isLater = !isComputed && laterWrites[subscription]?.contains(node) == true
        guard isLater || writes[subscription]?.contains(node) == true else { return false }
        switch definitions.nodes[node]?.kind {
        case .observable, .emitter, .combiner, .command, .channel, .array, .foreign, nil: break
        // An operator or cold source emits the values that it receives.
        default: return false
        }
        return isTerminal(subscription) || definitions.subscriptions[subscription]?.target != node
    }

    /// Whether values may reach `node` through a subscription, directly or by its handler.
    func feeds(_ subscription: TraceSubscription, _ node: UInt32) -> Bool {
        subscription.target == node || hasWritten(subscription.id, to: node)
    }
}

extension TraceEvent {
    var isNewValue: Bool { kind == .emitted && !isReplayed }
}
