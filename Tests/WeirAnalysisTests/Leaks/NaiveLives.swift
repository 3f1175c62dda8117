@testable import WeirAnalysis
@testable import WeirTrace

/// The rules on lives, computed from all events at once: slow and stateless.
struct NaiveLives {
    let events: [TraceEvent]
    let definitions: TraceDefinitions
    let isClosed: Bool

    /// The number of events before each checkpoint.
    var checkpoints: [Int] { events.indices.filter { events[$0].kind == .checkpoint } }

    func isAlive(node id: UInt32, before end: Int) -> Bool {
        let subscriptions = definitions.subscriptions.values.filter { $0.source == id || $0.target == id }.map(\.id)
        let isMentioned = events[..<end].contains { event in
            switch event.kind {
            case .emitted, .suppressed, .completed, .failed, .nodeCreated: event.subject == id
            case .deliveryBegan, .deliveryNext, .subscriptionStarted:
                // The subscription's first mention is one of its nodes, unless it had ended before.
                subscriptions.contains(event.subject) && isFirstMention(of: event.subject, at: event)
            default: false
            }
        }
        let first = events[..<end].firstIndex { $0.kind == .nodeReleased && $0.subject == id }
        return isMentioned && first == nil
    }

    private func isFirstMention(of subscription: UInt32, at event: TraceEvent) -> Bool {
        let kinds: [EventKind] = [.deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded]
        let known = definitions.subscriptions[subscription]
        return events.first { other in
            if other.kind == .nodeReleased { return other.subject == known?.source || other.subject == known?.target }
            return kinds.contains(other.kind) && other.subject == subscription
        }?.id == event.id
    }

    func isAlive(subscription id: UInt32, before end: Int) -> Bool {
        let past = events[..<end].filter { $0.subject == id }
        let kinds: [EventKind] = [.deliveryBegan, .deliveryNext, .subscriptionStarted]
        let ends = [definitions.subscriptions[id]?.source, definitions.subscriptions[id]?.target].compactMap(\.self)
        let isCutOff = events[..<end].contains { $0.kind == .nodeReleased && ends.contains($0.subject) }
        return past.contains { kinds.contains($0.kind) } && !past.contains { $0.kind == .subscriptionEnded }
            && !isCutOff
    }

    func isAlive(object id: UInt32, before end: Int) -> Bool {
        let past = events[..<end].filter { $0.subject == id }
        return past.contains { $0.kind == .objectTracked || $0.kind == .objectExpected }
            && !past.contains { $0.kind == .objectReleased }
    }

    func isGone(object id: UInt32, before end: Int) -> Bool {
        events[..<end].contains { $0.kind == .objectReleased && $0.subject == id }
    }

    func aliveCount(before end: Int) -> Int {
        definitions.nodes.keys.count { isAlive(node: $0, before: end) }
            + definitions.subscriptions.keys.count { isAlive(subscription: $0, before: end) }
            + definitions.objects.keys.count { isAlive(object: $0, before: end) }
    }

    /// For each object, the number of events before the first deadline that it missed.
    func missed(before end: Int) -> [UInt32: Int] {
        var missed: [UInt32: Int] = [:]
        for (place, event) in events[..<end].enumerated() where event.kind == .objectExpected {
            let next = checkpoints.first { $0 > place && $0 < end }
            guard let deadline = next ?? (isClosed && end == events.count ? end : nil) else { continue }
            guard isAlive(object: event.subject, before: deadline) else { continue }
            missed[event.subject] = min(missed[event.subject] ?? .max, deadline)
        }
        return missed
    }

    /// The number of values that a subscription delivered between two events.
    func deliveries(of id: UInt32, from start: Int, to end: Int) -> UInt64 {
        guard start < end else { return 0 }
        let kinds: [EventKind] = [.deliveryBegan, .deliveryNext]
        return UInt64(events[start..<end].count { kinds.contains($0.kind) && $0.subject == id && !$0.deliversEnd })
    }

    /// The lines that grew, as (name, first, last) with the line's text.
    func growths() -> Set<String> {
        var found: Set<String> = []
        for name in Set(events.filter { $0.kind == .checkpoint }.map(\.text)) {
            let places = checkpoints.filter { events[$0].text == name }
            guard places.count >= 3 else { continue }
            for (line, isAlive) in lines {
                let counts = places.map { place in isAlive.count { $0(place) } }
                guard zip(counts, counts.dropFirst()).allSatisfy({ $0 < $1 }) else { continue }
                found.insert("\(name): \(line) \(counts[0]) to \(counts[counts.count - 1])")
            }
        }
        return found
    }

    /// For each line of the program, whether each object from it is alive.
    private var lines: [String: [(Int) -> Bool]] {
        var lines: [String: [(Int) -> Bool]] = [:]
        for node in definitions.nodes.values {
            lines["\(LineGrowth.Line.nodes(rawKind: node.rawKind, node.site))", default: []].append {
                isAlive(node: node.id, before: $0)
            }
        }
        for subscription in definitions.subscriptions.values where !subscription.isInternal {
            lines["\(LineGrowth.Line.subscriptions(subscription.site))", default: []].append {
                isAlive(subscription: subscription.id, before: $0)
            }
        }
        for object in definitions.objects.values {
            lines["\(LineGrowth.Line.objects(type: object.type, label: object.label))", default: []].append {
                isAlive(object: object.id, before: $0)
            }
        }
        return lines
    }
}
