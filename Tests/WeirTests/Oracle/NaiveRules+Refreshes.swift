import WeirTrace

@testable import WeirAnalysis

extension NaiveRules {
    /// `unhandled-failure`.
    mutating func judgeFailures() {
        for (position, event) in events.enumerated()
        where event.kind == .subscriptionEnded && event.reason == SubscriptionEndReason.failedUnhandled.rawValue {
            guard let subscription = naive.definitions.subscriptions[event.subject] else { continue }
            let failure = events[..<position].lastIndex { $0.kind == .failed && $0.subject == subscription.source }
            count(
                .unhandledFailure, failure ?? position, node: subscription.source,
                subscription: subscription.id)
            guard let request = failure.flatMap(failedRequest) else { continue }
            change(.unhandledFailure, subscription.source, subscription.id) { $0.request = request }
        }
    }

    /// The flatMap that the first failure on the path to this one ended through a request, while an input lived.
    private func failedRequest(behind failure: Int) -> UInt32? {
        var (path, next): ([Int], Int?) = ([], failure)
        while let position = next, events[position].kind == .failed {
            path.append(position)
            next = naive.position(of: events[position].cause)
            if let hop = next, events[hop].kind == .hopBegan { next = naive.position(of: events[hop].cause) }
        }
        for position in path.reversed() where kind(events[position].subject) == .flatMap {
            guard let cause = naive.position(of: events[position].cause),
                let delivery = opened[cause]?.deliveries.last(where: { $0.position < position }),
                let through = naive.definitions.subscriptions[delivery.subscription],
                through.target == events[position].subject, isRequest(through)
            else { continue }
            let inputs = naive.definitions.subscriptions.values.filter {
                $0.isInternal && $0.target == through.target && !isRequest($0)
            }
            if inputs.contains(where: { lives($0.id, at: position) }) { return through.target }
        }
        return nil
    }

    /// `repeated-value`, `burst`, `zombie-refresh` and `slow-refresh`.
    mutating func judgeRefreshes() {
        for subscription in Set(refreshes.map(\.subscription)) {
            let own = refreshes.filter { $0.subscription == subscription }
            let node = naive.definitions.subscriptions[subscription]?.source ?? 0
            judgeRepetitions(own, node)
            judgeBursts(own, node)
            for refresh in own where isOwnerReleased(refresh) { countRedundant(.zombieRefresh, refresh, node) }
            // The slowness of a refresh is known at its end: the first is the one that ended first.
            let slow = own.filter { $0.duration ?? 0 > frameTicks }.sorted { $0.end! < $1.end! }
            for refresh in slow {
                let duration = refresh.duration!
                count(.slowRefresh, refresh.position, node: node, subscription: subscription)
                let excess = duration - frameTicks
                change(.slowRefresh, node, subscription) {
                    // The one that ended first.
                    $0.first = slow[0].position
                    $0.wastedTicks += excess
                }
            }
        }
    }

    private mutating func countRedundant(_ rule: RedundancyRule, _ refresh: NaiveRefresh, _ node: UInt32) {
        count(rule, refresh.position, node: node, subscription: refresh.subscription)
        waste(rule, refresh, node: node, subscription: refresh.subscription)
    }

    private func value(_ refresh: NaiveRefresh) -> TraceValue { events[refresh.emission].value }

    /// Whether its subscribers want every value.
    private func isEvent(_ refresh: NaiveRefresh, _ node: UInt32) -> Bool {
        emittedNodes.contains(node) || value(refresh) == .void
    }

    /// Whether an equal value changes what the subscriber shows.
    private func mayRepeat(_ node: UInt32) -> Bool { [.channel, .changes].contains(kind(node)) }

    private mutating func judgeRepetitions(_ own: [NaiveRefresh], _ node: UInt32) {
        for (former, latter) in zip(own, own.dropFirst()) where !isEvent(latter, node) && !mayRepeat(node) {
            switch NaiveEquality(value(former), value(latter)) {
            case .equal:
                if isMoment(latter, after: former, node) { continue }
                countRedundant(.repeatedValue, latter, node)
                if isInLoop(latter.position) { change(.repeatedValue, node, latter.subscription) { $0.inLoop += 1 } }
            case .different: break
            case .notKnown(let reason): limitation(.repeatedValue, node, reason)
            }
        }
    }

    /// Whether a condition becomes true again: a filter has held back another value since the refresh before.
    private func isMoment(_ refresh: NaiveRefresh, after former: NaiveRefresh, _ node: UInt32) -> Bool {
        guard case .bool = value(refresh), let filter = filter(before: node) else { return false }
        return events[former.position..<refresh.position].contains {
            $0.kind == .suppressed && $0.suppressionReason == .filtered && $0.subject == filter
        }
    }

    func filter(before node: UInt32) -> UInt32? {
        guard kind(node)?.passesEventsOn == true else { return nil }
        if kind(node) == .filter || kind(node) == .compactMap { return node }
        let sources = Set(
            naive.definitions.subscriptions.values.filter { $0.target == node && $0.isInternal }.map(\.source))
        return sources.count == 1 ? filter(before: sources.first!) : nil
    }

    private mutating func judgeBursts(_ own: [NaiveRefresh], _ node: UInt32) {
        let screens = screens(of: own)
        if givingEvents.contains(node) || followingCommands.contains(node) { return }
        // Those that another write followed in the same screen.
        var followed: Set<Int> = []
        for (place, refresh) in own.enumerated() where value(refresh) != .void {
            if isFirstRun(refresh, node) { continue }
            // The first value for a new subscriber does not count.
            if emissions(around: refresh.position).contains(where: { isFirstValue($0.opening) }) { continue }
            guard place + 1 < own.count, case let next = own[place + 1] else { continue }
            if turn(next.position) == turn(refresh.position), !isOfAnotherWrite(next, than: refresh) { continue }
            if elapsed(from: refresh, to: next) > frameTicks { continue }
            if options.rules.contains(.repeatedValue), isRepetition(next, of: refresh, node),
                !isMoment(next, after: refresh, node)
            {
                continue
            }
            guard screens[place + 1] == screens[place] else { continue }
            followed.insert(place)
            if place > 0, !followed.contains(place - 1), returnsLater(next, to: value(own[place - 1]), after: refresh) {
                continue
            }
            if place == 0, let initial = initialValue(node, of: refresh.subscription),
                returnsLater(next, to: initial, after: refresh)
            {
                continue
            }
            countRedundant(.burst, refresh, node)
            let isOfLoop = isInLoop(refresh.position) || isInLoop(next.position)
            let returns = returns(to: node, next)
            change(.burst, node, refresh.subscription) {
                if isOfLoop { $0.inLoop += 1 }
                if returns { $0.returned += 1 }
            }
        }
    }

    /// Whether a body shows its first value; the subscription's beginning is recorded.
    func isFirstRun(_ refresh: NaiveRefresh, _ node: UInt32) -> Bool {
        refreshes.first { $0.subscription == refresh.subscription }?.position == refresh.position
            && naive.definitions.nodes[node]?.technique == .render
            && events[..<refresh.position].contains {
                $0.kind == .subscriptionStarted && $0.subject == refresh.subscription
            }
    }

    /// Whether a refresh in a hop shows again what was shown before the last one, which is in no frame that contains both.
    private func returnsLater(_ next: NaiveRefresh, to former: TraceValue, after refresh: NaiveRefresh) -> Bool {
        around[next.position].contains { events[$0.opening].kind == .hopBegan }
            && around[next.position].first?.opening != around[refresh.position].first?.opening
            && NaiveEquality(former, value(next)) == .equal
    }

    /// The value that a node was made with, if it had emitted nothing when a subscription to it began.
    private func initialValue(_ node: UInt32, of subscription: UInt32) -> TraceValue? {
        let start = events.firstIndex { $0.kind == .subscriptionStarted && $0.subject == subscription }
        let emission = events.firstIndex { $0.kind == .emitted && !$0.isReplayed && $0.subject == node }
        guard let start, kind(node)?.isHot ?? true, emission.map({ $0 > start }) ?? true else { return nil }
        return naive.definitions.nodes[node]?.value
    }

    /// Whether the last emission of a node that is over caused a refresh, through hops.
    func returns(to node: UInt32, _ refresh: NaiveRefresh) -> Bool {
        let kinds: [EventKind] = [.emitted, .completed, .failed]
        let ended = naive.frames.values.joined().filter {
            kinds.contains(events[$0.opening].kind) && events[$0.opening].subject == node
                && $0.closing < refresh.position
        }
        guard let last = ended.max(by: { $0.closing < $1.closing }) else { return false }
        var hop = around[refresh.position].last { events[$0.opening].kind == .hopBegan }
        for _ in 0..<8 {
            guard let cause = hop.flatMap({ naive.position(of: events[$0.opening].cause) }) else { return false }
            if cause == last.opening || around[cause].contains(where: { $0.opening == last.opening }) { return true }
            let outer = around[cause].first { events[$0.opening].kind != .stimulusBegan }
            hop = outer.flatMap { events[$0.opening].kind == .hopBegan ? $0 : nil }
        }
        return false
    }

    /// The ticks from one refresh to the next one, without the handler time inside one outermost frame.
    private func elapsed(from former: NaiveRefresh, to next: NaiveRefresh) -> UInt64 {
        let ticks = events[next.position].ticks - events[former.position].ticks
        guard events[former.position].id.thread == events[next.position].id.thread,
            around[former.position].first?.opening == around[next.position].first?.opening
        else { return ticks }
        let between = refreshes.filter { refresh in
            refresh.end.map { $0 > former.position && $0 <= next.position } == true
                && events[refresh.position].id.thread == events[next.position].id.thread
        }
        return ticks - min(ticks, between.reduce(0) { $0 + $1.handlerTicks })
    }

    private func isRepetition(_ next: NaiveRefresh, of former: NaiveRefresh, _ node: UInt32) -> Bool {
        !isEvent(next, node) && !mayRepeat(node) && NaiveEquality(value(former), value(next)) == .equal
    }

    /// Whether the second of two refreshes of one turn is of a write of its own.
    private func isOfAnotherWrite(_ next: NaiveRefresh, than refresh: NaiveRefresh) -> Bool {
        guard next.emission != refresh.emission else { return false }
        if options.rules.contains(.glitch), superseding[refresh.emission] == next.emission { return false }
        return !emissions(around: next.position).contains { $0.opening == refresh.emission }
    }

    /// The nodes each of whose values is an event: emitters, and operators on nothing else that make no state.
    var allEventNodes: Set<UInt32> { nodes(from: { $0.kind == .emitter }) }

    /// The nodes that emit the state of a command: its `isExecuting` and `isEnabled`, and operators on them.
    var allCommandNodes: Set<UInt32> { nodes(from: isOfCommand, also: [.current, .replay]) }

    /// Whether a node is the state of a command, which one call made together with it.
    func isOfCommand(_ node: TraceNode) -> Bool {
        node.kind == .observable && node.site != nil
            && naive.definitions.nodes.values.contains { $0.kind == .command && $0.site == node.site }
    }

    /// Those that emit values of emitters, unchanged.
    var allEmittedNodes: Set<UInt32> {
        nodes(
            from: { $0.kind == .emitter },
            without: [.map, .compactMap, .flatMap, .zip, .withLatest, .buffer, .materialize, .dematerialize])
    }

    private static let states: [NodeKind] = [
        .scan, .reduce, .collect, .last, .combineLatest, .startWith, .replay, .execution, .current, .source, .changes,
        .foreign,
    ]

    /// Whether a node is an operator that makes events of events.
    func passingEventsOn(_ node: UInt32) -> Bool {
        guard let kind = kind(node) else { return false }
        return (!isHot(node) || kind == .share) && !Self.states.contains(kind)
    }

    /// The nodes whose values come from some only, through operators that pass events on, or are of further kinds.
    private func nodes(
        from origin: (TraceNode) -> Bool, without others: [NodeKind] = [], also further: [NodeKind] = []
    ) -> Set<UInt32> {
        let nodes = naive.definitions.nodes.values
        var found = Set(nodes.filter(origin).map(\.id))
        let inputs = Dictionary(grouping: naive.definitions.subscriptions.values.filter { $0.target != nil }) {
            $0.target!
        }
        while true {
            let next = nodes.filter { node in
                guard !found.contains(node.id), let kind = node.kind, let inputs = inputs[node.id] else { return false }
                return (passingEventsOn(node.id) && !others.contains(kind) || further.contains(kind))
                    && inputs.allSatisfy { found.contains($0.source) }
            }
            if next.isEmpty { return found }
            found.formUnion(next.map(\.id))
        }
    }

    /// The outermost frame around a refresh, if that is a stimulus or the call of a callback; the stimulus that it follows from, if
    /// it is a hop.
    func stimulus(of refresh: NaiveRefresh) -> Int? {
        guard let first = around[refresh.position].first?.opening else { return nil }
        if events[first].kind == .hopBegan { return stimulus(behind: first) }
        let isCall =
            events[first].kind == .emitted
            && naive.definitions.nodes[events[first].subject]?.technique == .callback
        return events[first].kind == .stimulusBegan || isCall ? first : nil
    }

    private func stimulus(behind hop: Int) -> Int? {
        guard let cause = naive.position(of: events[hop].cause), cause < hop,
            let first = around[cause].first?.opening ?? opened[cause]?.opening
        else { return nil }
        switch events[first].kind {
        case .stimulusBegan: return first
        case .hopBegan: return stimulus(behind: first)
        default: return nil
        }
    }

    /// Whether it is the first value for a new subscriber; false if a hop to a handler's actor delivers it.
    func isFirstValue(_ position: Int) -> Bool {
        guard events[position].isReplayed else { return false }
        let around = events[..<position].last { $0.id == events[position].cause }
        return around?.kind != .hopBegan || around?.subject != events[position].subject
    }

    /// The frame of the screen in which each refresh of one subscription falls.
    private func screens(of own: [NaiveRefresh]) -> [Int] {
        if hasFrameMarks { return own.map { screens[$0.position] } }
        var (opening, distance): (Int, UInt64) = (0, 0)
        return own.indices.map { place in
            let stimulus = stimulus(of: own[place])
            let isNew = place > 0 && stimulus != nil && stimulus != self.stimulus(of: own[place - 1])
            if place > 0 { distance += elapsed(from: own[place - 1], to: own[place]) }
            if distance > frameTicks || isNew { (opening, distance) = (place, 0) }
            return opening
        }
    }

    private func isOwnerReleased(_ refresh: NaiveRefresh) -> Bool {
        guard let subscription = naive.definitions.subscriptions[refresh.subscription] else { return false }
        let target = subscription.target.flatMap { naive.definitions.nodes[$0] }
        let owners = [subscription.owner, target?.owner].compactMap(\.self)
        let before = events[..<refresh.position]
        let checkpoint = before.lastIndex { $0.kind == .checkpoint } ?? 0
        return before.contains { $0.kind == .objectReleased && owners.contains($0.subject) }
            || before[..<checkpoint].contains { $0.kind == .objectExpected && owners.contains($0.subject) }
    }
}
