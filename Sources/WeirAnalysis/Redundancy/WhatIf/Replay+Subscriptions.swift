import WeirTrace

// Who listens, and ends.
extension Replay {
    func isAlive(_ subscription: Int) -> Bool { lives[subscription] ?? (program.lives[subscription] == .alive) }

    func listeners(_ node: Int) -> [Int] { listeners[node] ?? program.listeners[node] }

    func begin(_ subscription: Int) {
        let node = program.topology.sources[subscription]
        lives[subscription] = true
        state.passed[subscription] = nil
        if program.isHot(node) { listeners[node] = listeners(node).filter { $0 != subscription } + [subscription] }
        guard program.kinds[node] == .source else { return }
        if plan.shared.contains(node), join(subscription, node) { return }
        figures.sourceRuns += 1
    }

    func end(_ subscription: Int, _ reason: UInt8) {
        let node = program.topology.sources[subscription]
        lives[subscription] = false
        if program.isHot(node) { listeners[node] = listeners(node).filter { $0 != subscription } }
        if plan.shared.contains(node) { leave(subscription, node) }
    }

    func end(_ node: Int, _ deliveries: [Int], _ source: RecordedTurn) throws(Stop) {
        for delivery in deliveries {
            if case .endDelivery(let subscription) = source.facts[delivery].role, plan.shared.contains(node),
                !finish(subscription, node), !source.onlyEnds(delivery)
            {
                throw Stop(reason: .sharedRun, node: node)
            }
            try perform(source.facts[delivery].children, source, target: nil)
        }
    }
}

extension RecordedTurn {
    /// Whether nothing happens in it but that subscriptions end.
    func onlyEnds(_ fact: Int) -> Bool {
        facts[fact].children.allSatisfy { child in
            switch facts[child].role {
            case .nothing, .ended, .structure: true
            case .ending, .endDelivery: onlyEnds(child)
            default: false
            }
        }
    }
}
