import WeirTrace

@testable import WeirAnalysis

/// The remedies for several writes of one turn: batches, combiners, pauses.
extension NaiveFindings {
    private func isOfWeir(_ node: UInt32) -> Bool { definitions.nodes[node]?.technique == .weir }
    private func isComputed(_ node: UInt32) -> Bool { [.combiner, .combineLatest].contains(rules.kind(node)) }

    // MARK: Glitches

    func glitchRemedy(_ finding: NaiveFinding) -> NaiveRemedy? {
        let node = finding.first.node
        if rules.kind(node) == .channel { return nil }
        if isComputed(node) { return waits(node) ? nil : NaiveRemedy(kind: .settled, nodes: finding.nodes) }
        let joined = counted(finding).compactMap { _, emission in
            rules.superseding[emission].flatMap { handler(joining: emission, $0) }
        }
        if isOfWeir(node), joined.count * 2 > counted(finding).count {
            return NaiveRemedy(kind: .batchHandler, subscriptions: Set(joined).subtracting([0]))
        }
        return NaiveRemedy(kind: .computeOnce, nodes: finding.nodes)
    }

    /// The subscription whose handler made both emissions, so that a batch around its work joins them; 0 for a hop.
    private func handler(joining former: Int, _ latter: Int) -> UInt32? {
        let frames = rules.around[former] + [rules.opened[former]].compactMap(\.self)
        guard
            let common = frames.last(where: { frame in rules.around[latter].contains { $0.opening == frame.opening } })
        else { return nil }
        let inside = [former, latter].map { rules.emissions(around: $0).filter { $0.opening > common.opening } }
        guard inside.contains(where: \.isEmpty) else { return nil }
        let events = [inside[1].first, inside[0].last].compactMap(\.self)
        guard events.contains(where: { isEvent(self.events[$0.opening].subject) }) else { return nil }
        if self.events[common.opening].kind == .hopBegan { return 0 }
        let deliveries = [former, latter].map { position in common.deliveries.last { $0.position < position } }
        guard self.events[common.opening].kind == .emitted, let delivery = deliveries[0],
            delivery.position == deliveries[1]?.position, delivery.subscription != 0
        else { return nil }
        return delivery.subscription
    }

    private func isEvent(_ node: UInt32) -> Bool {
        rules.kind(node) == .emitter || definitions.nodes[node]?.technique == .callback
    }

    // MARK: Bursts

    func burstRemedy(_ finding: NaiveFinding) -> NaiveRemedy? {
        let pairs = counted(finding).map { counted in
            let refresh = refresh(at: counted.position)!
            return (node: counted.subject.node, refresh: refresh, next: next(after: refresh)!)
        }
        let half = { (count: Int) in count * 2 > pairs.count }
        let subscriptions = finding.subscriptions
        if half(pairs.count { rules.returns(to: $0.node, $0.next) }) {
            return NaiveRemedy(kind: .cutLaterLoop, subscriptions: subscriptions)
        }
        if half(pairs.count { areHandled($0.refresh, $0.next, $0.node) }) {
            return NaiveRemedy(kind: .computeOnce, subscriptions: subscriptions)
        }
        let joined = Dictionary(grouping: pairs) { $0.refresh.subscription }.values.flatMap { pairs in
            let writers = Set(pairs.flatMap { [writer(of: $0.refresh.position), writer(of: $0.next.position)] })
            let lastWriters = Set(pairs.map { writer(of: $0.next.position) })
            let isOfCommand = lastWriters.count == 1 && lastWriters.first!.flatMap(rules.kind) == .command
            return pairs.filter { !isOfCommand && isJoined($0.refresh, $0.next, $0.node, writers) }
        }
        let later = pairs.filter { isFollowedLater($0.refresh.position) }
        let now = joined.filter { !isFollowedLater($0.refresh.position) }
        if !joined.isEmpty,
            joined.count * 2 >= pairs.count || !half(later.count) && now.count * 2 >= pairs.count - later.count
        {
            return NaiveRemedy(kind: .batch, subscriptions: subscriptions)
        }
        // A throttle emits its last value at the completion.
        let last = Dictionary(grouping: pairs) { $0.refresh.subscription }.values.map {
            $0.max { $0.next.position < $1.next.position }!
        }
        if half(last.count { completes(after: $0.next, $0.node) }) { return nil }
        return NaiveRemedy(kind: .throttle, subscriptions: subscriptions)
    }

    /// Whether a batch joins two refreshes.
    private func isJoined(_ refresh: NaiveRefresh, _ next: NaiveRefresh, _ node: UInt32, _ writers: Set<UInt32?>)
        -> Bool
    {
        guard hasPlaceForBatch(refresh.position, next.position),
            let former = writer(of: refresh.position), let latter = writer(of: next.position)
        else { return false }
        var state: UInt32?
        switch origin(node) {
        case .state(let node): state = node
        case .joined(let node) where rules.kind(node) == .combineLatest && joinsStates(node): state = node
        case .joined:
            guard writers.count == 1, case .state(former) = origin(former) else { return false }
        case .events: return false
        }
        if former == latter || rules.kind(latter) == .emitter { return true }
        return state.map { isComputed($0) || !isOfWeir($0) } ?? false
    }

    private func joinsStates(_ node: UInt32) -> Bool {
        rules.naive.subscriptions(feeding: node).filter(\.isInternal).allSatisfy {
            if case .state = origin($0.source) { true } else { false }
        }
    }

    private func hasPlaceForBatch(_ former: Int, _ latter: Int) -> Bool {
        guard events[former].id.thread == events[latter].id.thread else { return false }
        let common = rules.around[former].filter { frame in
            rules.around[latter].contains { $0.opening == frame.opening }
        }
        let place = common.last { frame in
            switch events[frame.opening].kind {
            case .stimulusBegan, .hopBegan: return true
            case .emitted:
                let deliveries = [former, latter].map { position in frame.deliveries.last { $0.position < position } }
                return deliveries[0]?.position == deliveries[1]?.position
                    && deliveries[0].map { rules.naive.isTerminal($0.subscription) } == true
            default: return false
            }
        }
        if place == nil, rules.turn(former) != rules.turn(latter) { return false }
        return !(rules.around[former] + rules.around[latter]).contains {
            events[$0.opening].kind == .batchBegan && $0.opening > place?.opening ?? -1
        }
    }

    private enum Origin {
        case events
        case state(UInt32)
        case joined(UInt32)
    }

    /// The origins of the values of a node, through operators with one input.
    private func origin(_ id: UInt32) -> Origin {
        var node = id
        for _ in 0..<1000 {
            guard let kind = rules.kind(node), isOfWeir(node) else { return .state(node) }
            if kind == .emitter || kind == .source { return .events }
            if rules.isHot(node), ![.share, .replay, .execution].contains(kind) { return .state(node) }
            if kind == .scan { return .joined(node) }
            let sources = Set(rules.naive.subscriptions(feeding: node).filter(\.isInternal).map(\.source))
            if sources.count > 1 { return .joined(node) }
            guard let source = sources.first else { return .state(node) }
            node = source
        }
        return .state(node)
    }

    /// Whether two refreshes are of writes to different nodes whose handlers write one observable.
    private func areHandled(_ refresh: NaiveRefresh, _ next: NaiveRefresh, _ node: UInt32) -> Bool {
        guard case .state(let state) = origin(node), rules.kind(state) == .observable, isOfWeir(state),
            hasPlaceForBatch(refresh.position, next.position)
        else { return false }
        let writers = [refresh, next].map { writer(of: $0.position) }
        return writers[0] != writers[1] && writers[1].flatMap(rules.kind) != .emitter
    }

    /// Whether the source completes within a frame after a refresh.
    private func completes(after next: NaiveRefresh, _ node: UInt32) -> Bool {
        events.contains {
            $0.kind == .completed && $0.subject == node && $0.ticks >= events[next.position].ticks
                && $0.ticks - events[next.position].ticks <= rules.frameTicks
        }
    }
}
