import WeirTrace

@testable import WeirAnalysis

extension NaiveFindings {
    func remedy(_ finding: NaiveFinding) -> NaiveRemedy? {
        let (nodes, subscriptions) = (finding.nodes, finding.subscriptions)
        return switch finding.rule {
        case .repeatedValue: NaiveRemedy(kind: .removeDuplicates, subscriptions: subscriptions)
        case .glitch: glitchRemedy(finding)
        case .burst: burstRemedy(finding)
        case .unobserved: NaiveRemedy(kind: .makeLater, nodes: nodes)
        case .noopEvaluation: noopRemedy(finding)
        case .resubscribedSource: NaiveRemedy(kind: wantsReplay(finding) ? .replay : .share, nodes: nodes)
        case .feedback: loopRemedy(finding)
        case .zombieRefresh: NaiveRemedy(kind: .dispose, subscriptions: subscriptions)
        case .crossThread: NaiveRemedy(kind: .deliver, nodes: nodes)
        case .slowRefresh: NaiveRemedy(kind: .lightenHandler, subscriptions: subscriptions)
        case .unhandledFailure: failureRemedy(finding)
        case .repeatedSubscription: NaiveRemedy(kind: .subscribeOnce, subscriptions: subscriptions)
        case .staleResponse: staleRemedy(finding)
        case .cancelledRequest: nil
        case .repeatedRequest: requestRemedy(finding)
        case .repeatedSource:
            NaiveRemedy(kind: .makeOnce, nodes: nodes.union(nodes.compactMap { rules.repeatedSources[$0] }))
        }
    }

    // MARK: Evaluations

    /// The subscription through which an evaluation came.
    private func input(_ position: Int) -> UInt32 { rules.naive.places[position].subscription ?? 0 }

    private func noopRemedy(_ finding: NaiveFinding) -> NaiveRemedy? {
        let counted = counted(finding).map(\.position)
        let node = finding.first.node
        let isComputed = definitions.nodes[node]?.technique == .weir
        let sources = Set(rules.naive.subscriptions(feeding: node).filter(\.isInternal).map(\.source))
        if isComputed, [.combiner, .combineLatest].contains(rules.kind(node)), sources.count > 1,
            counted.allSatisfy(couldWait)
        {
            return NaiveRemedy(kind: .settled, nodes: finding.nodes)
        }
        let firsts = finding.subjects.map { input(rules.tallies[$0]!.first!) }.filter { $0 != 0 }
        let first = input(rules.tallies[finding.first]!.first!)
        if isComputed {
            guard sources.count > 1,
                let type = definitions.subscriptions[first].flatMap({ definitions.nodes[$0.source]?.valueType }),
                hasParts(type)
            else { return nil }
        }
        return NaiveRemedy(kind: .narrowInput, subscriptions: Set(firsts))
    }

    /// Whether an evaluation was not the first in its turn, nor while the turn settled, nor inside an emission of the same node.
    private func couldWait(_ position: Int) -> Bool {
        let node = events[position].subject
        guard rules.naive.places[position].subscription != 0, rules.loop(at: position) == nil else { return false }
        return events[..<position].indices.contains { earlier in
            events[earlier].subject == node && rules.isEvaluation(earlier)
                && rules.turn(earlier) == rules.turn(position)
        }
    }

    private func hasParts(_ type: String) -> Bool {
        var type = Substring(type)
        while type.hasSuffix("?") { type = type.dropLast() }
        while type.hasPrefix("Optional<") { type = type.dropFirst(9).dropLast() }
        return !["Bool", "String", "Int", "Double", "()"].contains(type)
    }

    // MARK: Loops

    private func loopRemedy(_ finding: NaiveFinding) -> NaiveRemedy? {
        func isHandler(_ id: UInt32) -> Bool { definitions.subscriptions[id]?.isInternal == false }
        func isOwn(_ id: UInt32) -> Bool {
            definitions.subscriptions[id].map { finding.nodes.contains($0.source) } == true
        }
        let loops = finding.subjects.map { (node: $0.node, path: firstLoop(of: $0)) }
        var cuts = Set(loops.compactMap { $0.path.last(where: isHandler) ?? $0.path.last })
        let areOwn = loops.allSatisfy { loop in
            loop.path.last.map { definitions.subscriptions[$0]?.source == loop.node } == true
        }
        if areOwn { cuts.formUnion(finding.subjects.flatMap { rules.tallies[$0]!.handlers }.filter(isOwn)) }
        return NaiveRemedy(kind: .cutLoop, subscriptions: cuts)
    }

    // MARK: Sources and failures

    private func wantsReplay(_ finding: NaiveFinding) -> Bool {
        counted(finding).contains { _, position in
            let own = events[position].subject
            let others = rules.naive.subscriptions(to: definitions.subscriptions[own]!.source).map(\.id)
            let hadValue = others.contains { other in
                other != own && rules.isRunning(other, at: position)
                    && events[..<position].indices.contains {
                        events[$0].subject == other && rules.naive.deliversValue($0)
                    }
            }
            return hadValue && hadValueAtOnce(own, position)
        }
    }

    /// Whether the first value of a subscription came directly after its beginning, or in an emission replayed since then.
    private func hadValueAtOnce(_ subscription: UInt32, _ beginning: Int) -> Bool {
        let delivery = events.indices.first {
            $0 > beginning && events[$0].subject == subscription && rules.naive.deliversValue($0)
        }
        guard let delivery, let emission = rules.emissions(around: delivery).last?.opening else { return false }
        if rules.emissions(around: delivery).contains(where: { $0.opening > beginning && events[$0.opening].isReplayed }
        ) {
            return true
        }
        let thread = events[beginning].id.thread
        return emission > beginning
            && events[beginning...emission].dropFirst().dropLast().allSatisfy {
                $0.id.thread != thread || [.subscriptionStarted, .nodeCreated].contains($0.kind)
            }
    }

    private func failureRemedy(_ finding: NaiveFinding) -> NaiveRemedy {
        let requests = finding.subjects.map { rules.tallies[$0]!.request }
        if rules.kind(finding.first.node) != .execution, rules.tallies[finding.first]!.request != 0 {
            return NaiveRemedy(kind: .catchInRequest, nodes: Set(requests).subtracting([0]))
        }
        return NaiveRemedy(kind: .handleFailure, subscriptions: finding.subscriptions)
    }

    private func staleRemedy(_ finding: NaiveFinding) -> NaiveRemedy {
        let flatMaps = counted(finding).map { answeringFlatMap($0.position) }
        let known = Set(flatMaps.compactMap(\.self))
        if known.count == 1, !flatMaps.contains(nil) { return NaiveRemedy(kind: .latestRequest, nodes: known) }
        return NaiveRemedy(kind: .dropStale, subscriptions: finding.subscriptions)
    }

    /// Before the flatMap, and before the `onEvent` directly before it.
    private func requestRemedy(_ finding: NaiveFinding) -> NaiveRemedy {
        var inputs = Set(counted(finding).map { events[$0.position].subject })
        while true {
            let further = inputs.compactMap { definitions.subscriptions[$0]?.source }
                .filter { rules.kind($0) == .onEvent }.flatMap { rules.naive.subscriptions(feeding: $0).map(\.id) }
            let all = inputs.union(further)
            if all == inputs { break }
            inputs = all
        }
        return NaiveRemedy(kind: .removeDuplicateRequests, subscriptions: inputs)
    }
}
