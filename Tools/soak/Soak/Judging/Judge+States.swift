import Weir

/// Compares the values that nodes hold when all is quiet with the values that were heard last.
extension Judge {
    mutating func judgeStates() {
        for index in program.listeners.indices where isLive(index) {
            let listener = program.listeners[index]
            let calls = reading.listeners[index].calls
            switch listener.source {
            case .node(let node), .shared(let node), .replayed(let node):
                judgeLast(index, node, calls.last?.a, hasCurrent: false)
            case .current(let node), .initial(let node): judgeLast(index, node, calls.last?.a, hasCurrent: true)
            case .merge(let a, let b):
                judgeLast(index, a, calls.last { $0.b == 0 }?.a, hasCurrent: true)
                judgeLast(index, b, calls.last { $0.b == 1 }?.a, hasCurrent: true)
            case .combineLatest(let a, let b):
                judgeLast(index, a, calls.last?.a, hasCurrent: true)
                judgeLast(index, b, calls.last?.b, hasCurrent: true)
            case .zip, .withLatest, .doubled, .switching: continue
            }
        }
    }

    private mutating func judgeLast(_ index: Int, _ node: Int, _ last: Int?, hasCurrent: Bool) {
        guard program.nodes[node] != .emitter, let held = held[node] else { return }
        if let last {
            if last != held { report(.staleSubscriber, "s\(index) heard \(last) of n\(node), which holds \(held)") }
        } else if hasCurrent {
            report(.staleSubscriber, "s\(index) heard nothing of n\(node), which holds \(held)")
        } else if isFromBeginning(index) {
            guard held != program.initialValue(of: node) else { return }
            report(.staleSubscriber, "s\(index) heard nothing of n\(node), which holds \(held)")
        } else if let subscribed = connected(index),
            program.nodes[node] == .state,
            reading.nodes[node].writes.contains(where: { $0.value == held && $0.began > subscribed })
        {
            report(.staleSubscriber, "s\(index) heard nothing of n\(node), which holds \(held), written later")
        }
    }

    mutating func judgeNodes() {
        for (index, node) in program.nodes.enumerated() {
            guard let value = held[index] else { continue }
            switch node {
            case .state, .small, .emitter: continue
            case .bound(let source), .mirror(let source):
                if held[source] != value {
                    report(.staleBinding, "n\(index) holds \(value), n\(source) \(text(held[source]))")
                }
            case .late(let inputs): judgeCombiner(index, .every, inputs, value)
            case .combiner(let strategy, let inputs): judgeCombiner(index, strategy, inputs, value)
            }
        }
    }

    private func text(_ value: Int?) -> String { value.map(String.init) ?? "nothing" }

    private mutating func judgeCombiner(_ index: Int, _ strategy: CombineStrategy, _ inputs: [Int], _ value: Int) {
        let values = inputs.compactMap { held[$0] }
        guard values.count == inputs.count else { return }
        let now = program.combined(index, values)
        let initial = program.initialValue(of: index)
        switch strategy {
        case .every, .settled:
            if value != now { report(.staleCombiner, "n\(index), of the values \(values)") }
        case .all, .first:
            // These strategies ask whether an input has changed. If an input's values can return, the final state does not show that.
            guard inputs.allSatisfy({ program.nodes[$0] == .state }) else { return }
            let changed = inputs.count { held[$0] != program.initialValue(of: $0) }
            if strategy == .all {
                let expected = changed == inputs.count ? now : initial
                if value != expected { report(.staleCombiner, "n\(index), of the values \(values)") }
            } else if changed == 0
                ? value != initial : value == initial || reading.nodes[index].arguments[value] == nil
            {
                report(.staleCombiner, "n\(index), of the values \(values)")
            }
        }
    }
}
