import Weir

extension SoakProgram: CustomStringConvertible {
    /// The program as lines to read.
    package var description: String {
        var lines = ["values: \(usesText ? "text" : "numbers")"]
        for (index, node) in nodes.enumerated() { lines.append("n\(index) = \(text(node))") }
        let actions = allActions
        for (index, listener) in listeners.enumerated() {
            // Shrinking leaves listeners that nothing subscribes.
            guard listener.isEarly || actions.contains(.subscribe(index)) else { continue }
            let operators = listener.operators.map { ".\(text($0))" }.joined()
            lines.append("s\(index) = \(text(listener.source))\(operators)\(listener.isEarly ? "" : ", later")")
            for reaction in listener.reactions {
                lines.append("    at call \(reaction.call): \(text(reaction.actions))")
            }
        }
        for (index, actions) in threads.enumerated() { lines.append("thread \(index): \(text(actions))") }
        return lines.joined(separator: "\n")
    }

    private func text(_ node: Node) -> String {
        switch node {
        case .state: "state"
        case .small: "state of few values"
        case .emitter: "emitter"
        case .combiner(let strategy, let inputs): "combine(\(list(inputs)), \(strategy))"
        case .late(let inputs): "combine(\(list(inputs))), later"
        case .bound(let source): "state, bound to n\(source)"
        case .mirror(let source): "state, bound to n\(source) and back"
        }
    }

    private func list(_ nodes: [Int]) -> String { nodes.map { "n\($0)" }.joined(separator: ", ") }

    private func text(_ source: Source) -> String {
        switch source {
        case .node(let node): "n\(node)"
        case .current(let node): "n\(node).current"
        case .initial(let node): "n\(node), initial: true"
        case .shared(let node): "n\(node).share()"
        case .replayed(let node): "n\(node).replay(2)"
        case .merge(let a, let b): "n\(a).merge(n\(b))"
        case .zip(let a, let b): "n\(a).zip(n\(b))"
        case .combineLatest(let a, let b): "n\(a).combineLatest(n\(b))"
        case .withLatest(let a, let b): "n\(a).withLatest(from: n\(b))"
        case .doubled(let strategy, let node): "n\(node).flatMap(.\(strategy)) { two values }"
        case .switching(let node, let other): "n\(node).flatMap(.latest) { n\(other) }"
        }
    }

    private func text(_ one: Operator) -> String {
        switch one {
        case .skip(let count): "skip(\(count))"
        case .take(let count): "take(\(count))"
        case .deliver(let queue): "deliver(on: queue \(queue))"
        default: "\(one)()"
        }
    }

    private func text(_ actions: [Action]) -> String {
        actions.map { action in
            switch action {
            case .write(let node, let value): "n\(node) = \(value)"
            case .emit(let node, let value): "n\(node).emit(\(value))"
            case .complete(let node): "n\(node).complete()"
            case .fail(let node): "n\(node).fail()"
            case .read(let node): "read n\(node)"
            case .batch(let inner): "batch { \(text(inner)) }"
            case .subscribe(let listener): "subscribe s\(listener)"
            case .dispose(let listener): "dispose s\(listener)"
            case .make(let node): "make n\(node)"
            }
        }.joined(separator: "; ")
    }
}
