import WeirTrace

@testable import WeirAnalysis

extension NaiveFindings {
    func severity(_ finding: NaiveFinding) -> Finding.Severity {
        switch finding.rule {
        case .repeatedValue: isNoteOfRepetitions(finding) ? .note : .warning
        case .burst: isNoteOfBursts(finding) ? .note : .warning
        case .glitch, .resubscribedSource, .slowRefresh, .repeatedRequest: .warning
        case .unobserved, .noopEvaluation, .staleResponse, .cancelledRequest, .repeatedSource: .note
        case .feedback: finding.subjects.contains { rules.tallies[$0]!.unsettled > 0 } ? .error : .warning
        case .zombieRefresh, .crossThread, .unhandledFailure: .error
        case .repeatedSubscription: finding.subscriptions.contains(where: isOfView) ? .warning : .note
        }
    }

    /// Whether a subscription has an owner or target.
    private func isOfView(_ id: UInt32) -> Bool {
        guard let subscription = definitions.subscriptions[id] else { return false }
        return subscription.owner != nil || rules.targetView(subscription) != nil
    }

    private func isNoteOfRepetitions(_ finding: NaiveFinding) -> Bool {
        let counted = counted(finding)
        if counted.allSatisfy({ isOfEventOrAnswer($0.subject.node, $0.position) }) { return true }
        if counted.allSatisfy({ hasHeldBack($0.subject, before: $0.position) }) { return true }
        guard definitions.nodes[finding.first.node]?.technique == .render else { return false }
        let runs = rules.refreshes.count { finding.subscriptions.contains($0.subscription) }
        return finding.count < 60 || finding.count * 2 < runs
    }

    private func isOfEventOrAnswer(_ node: UInt32, _ position: Int) -> Bool {
        rules.givingEvents.contains(node) || isAnswer(node) || rules.followsEvent(position)
    }

    /// Whether a node emits values of cold sources and flatMaps, directly or through the operators that `burst` allows for events.
    private func isAnswer(_ node: UInt32, _ seen: Set<UInt32> = []) -> Bool {
        if [.source, .flatMap].contains(rules.kind(node)) { return true }
        guard rules.passingEventsOn(node), !seen.contains(node) else { return false }
        let sources = Set(rules.naive.subscriptions(feeding: node).map(\.source))
        return !sources.isEmpty
            && sources.allSatisfy { rules.givingEvents.contains($0) || isAnswer($0, seen.union([node])) }
    }

    /// Whether the nearest filter has held back another value since the refresh before.
    private func hasHeldBack(_ subject: Subject, before position: Int) -> Bool {
        guard let filter = rules.filter(before: subject.node) else { return false }
        let former = rules.refreshes.last { $0.subscription == subject.subscription && $0.position < position }
        return events[(former?.position ?? 0)..<position].contains {
            $0.kind == .suppressed && $0.suppressionReason == .filtered && $0.subject == filter
        }
    }

    private func isNoteOfBursts(_ finding: NaiveFinding) -> Bool {
        if let technique = definitions.nodes[finding.first.node]?.technique,
            [.asyncSequence, .callback].contains(technique)
        {
            return true
        }
        return UInt64(counted(finding).count { isFollowedLater($0.position) }) * 2 > finding.count
    }

    /// Whether the next refresh is of another turn and of later work.
    func isFollowedLater(_ position: Int) -> Bool {
        guard let refresh = refresh(at: position), let next = next(after: refresh),
            rules.turn(next.position) != rules.turn(position)
        else { return false }
        let around = rules.around[next.position].map { events[$0.opening].kind }
        let hasBegun = events[..<next.position].contains { $0.kind == .stimulusBegan }
        guard around.contains(.hopBegan) || !around.contains(.stimulusBegan) && hasBegun else { return false }
        guard let former = rules.stimulus(of: refresh), let latter = rules.stimulus(of: next) else { return true }
        return former == latter
    }
}
