/// Guarantees for a single thread: depth-first delivery, and no glitch.
extension Judge {
    /// A handler writes to the observable that calls it: when the write returns, all other subscribers have heard that value.
    mutating func judgeDepth() {
        for node in program.nodes.indices where program.nodes[node] == .state {
            let writes = reading.nodes[node].writes
            let witnesses = program.listeners.indices.filter { isWitness($0, of: node) }
            for write in writes {
                guard let outer = write.inside.first(where: { delivers(node, to: $0.listener) }) else { continue }
                // A batch that began inside the delivery delivers the value when it ends.
                if write.batches > outer.batches { continue }
                let begin = reading.listeners[outer.listener].calls[outer.call].began
                // Another thread that writes at the same time may do the delivery.
                let isAlone = writes.allSatisfy {
                    $0.thread == write.thread || $0.delivered < begin || $0.began > write.ended
                }
                guard isAlone else { continue }
                for witness in witnesses {
                    let isHeard = reading.listeners[witness].calls.contains {
                        $0.began > write.began && $0.began < write.ended
                    }
                    if !isHeard {
                        report(.notDepthFirst, "s\(witness) heard \(write.value) of n\(node) too late, or never")
                    }
                }
            }
        }
    }

    private func delivers(_ node: Int, to index: Int) -> Bool {
        let listener = program.listeners[index]
        guard listener.source == .node(node) else { return false }
        return listener.operators.allSatisfy { if case .deliver = $0 { false } else { true } }
    }

    /// If one thread drives a settled combiner, its subscribers hear only values with which turns ended, in order.
    mutating func judgeTurns() {
        for node in program.nodes.indices {
            guard case .combiner(.settled, _) = program.nodes[node], let thread = driver(of: node) else { continue }
            let values = valuesAtEnds(of: thread, node)
            for index in program.listeners.indices where program.listeners[index].source == .node(node) {
                var rest = values[...]
                for value in reading.listeners[index].heard {
                    guard let found = rest.firstIndex(of: value) else {
                        report(.glitch, "s\(index) heard \(value) of n\(node); turns ended with \(values)")
                        break
                    }
                    rest = rest[(found + 1)...]
                }
            }
        }
    }

    /// The only thread that writes the node's sources, if no handler writes one and no other thread subscribes. A thread
    /// that gives a new subscriber its first value also delivers for that observable, in turns of its own.
    private func driver(of node: Int) -> Int? {
        guard let sources = plainSources(of: node) else { return nil }
        func writes(_ actions: [SoakProgram.Action]) -> Bool {
            actions.contains { action in
                switch action {
                case .write(let node, _): sources.contains(node)
                case .batch(let inner): writes(inner)
                default: false
                }
            }
        }
        if program.listeners.contains(where: { $0.reactions.contains { writes($0.actions) } }) { return nil }
        let drivers = program.threads.indices.filter { writes(program.threads[$0]) }
        guard drivers.count == 1 else { return nil }
        let others = program.threads.indices.filter { $0 != drivers[0] }
        return others.contains { subscribes(program.threads[$0]) } ? nil : drivers[0]
    }

    private func subscribes(_ actions: [SoakProgram.Action]) -> Bool {
        actions.contains { action in
            switch action {
            case .subscribe, .make: true
            case .batch(let inner): subscribes(inner)
            default: false
            }
        }
    }

    /// The observables that a node depends on; nil if it also depends on something that keeps more than their values.
    private func plainSources(of node: Int) -> Set<Int>? {
        switch program.nodes[node] {
        case .state, .small:
            // A mirrored node is written by its mirror, too.
            return program.nodes.contains(.mirror(of: node)) ? nil : [node]
        case .bound(let source): return plainSources(of: source)
        case .combiner(let strategy, let inputs):
            guard strategy == .every || strategy == .settled else { return nil }
            var all: Set<Int> = []
            for input in inputs {
                guard let sources = plainSources(of: input) else { return nil }
                all.formUnion(sources)
            }
            return all
        case .late, .mirror, .emitter: return nil
        }
    }

    private func valuesAtEnds(of thread: Int, _ node: Int) -> [Int] {
        var written: [Int: Int] = [:]
        func value(_ node: Int) -> Int {
            switch program.nodes[node] {
            case .bound(let source): value(source)
            case .combiner(_, let inputs): program.combined(node, inputs.map(value))
            default: written[node] ?? program.initialValue(of: node)
            }
        }
        func write(_ action: SoakProgram.Action) {
            switch action {
            case .write(let node, let value): written[node] = value
            case .batch(let inner): inner.forEach(write)
            default: break
            }
        }
        var values: [Int] = []
        for action in program.threads[thread] {
            write(action)
            values.append(value(node))
        }
        return values
    }
}
