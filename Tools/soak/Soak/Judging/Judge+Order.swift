/// The partial order in which values were stored, as the history proves it; a contradiction is a cycle.
///
/// Of two values of a node, one was stored earlier in three cases: its write ended before the other began, somebody heard
/// or read it before the other write, or a subscriber heard them in this order. A combiner's value was computed from one
/// value of each input, so the order of its values also orders those.
struct StorageOrder {
    private var edges: [Int: Set<Int>] = [:]

    mutating func add(_ earlier: Int, before later: Int) {
        if earlier != later { edges[earlier, default: []].insert(later) }
    }

    /// Values that would each precede the next, and the last the first; nil if there are none.
    func contradiction() -> [Int]? {
        var done: Set<Int> = []
        for start in edges.keys.sorted() {
            var path: [Int] = []
            if let cycle = search(start, &path, &done) { return cycle }
        }
        return nil
    }

    private func search(_ value: Int, _ path: inout [Int], _ done: inout Set<Int>) -> [Int]? {
        if let start = path.firstIndex(of: value) { return Array(path[start...]) }
        if !done.insert(value).inserted { return nil }
        path.append(value)
        defer { path.removeLast() }
        for next in (edges[value] ?? []).sorted() {
            if let cycle = search(next, &path, &done) { return cycle }
        }
        return nil
    }
}

extension Judge {
    mutating func judgeOrder() {
        var orders = program.nodes.map { _ in StorageOrder() }
        for node in program.nodes.indices where isOrdered(node) {
            let root = root(of: node)
            orders[root].addFacts(of: reading.nodes[node], initial: program.initialValue(of: root))
            if let held = held[node] {
                for write in reading.nodes[node].writes { orders[root].add(write.value, before: held) }
            }
        }
        for index in program.listeners.indices {
            let calls = reading.listeners[index].calls
            switch program.listeners[index].source {
            case .node(let node), .shared(let node), .replayed(let node), .current(let node), .initial(let node):
                add(calls.map { ($0.a, $0.began) }, of: node, to: &orders)
            case .merge(let a, let b):
                add(calls.filter { $0.b == 0 }.map { ($0.a, $0.began) }, of: a, to: &orders)
                add(calls.filter { $0.b == 1 }.map { ($0.a, $0.began) }, of: b, to: &orders)
            case .combineLatest(let a, let b):
                add(calls.map { ($0.a, $0.began) }, of: a, to: &orders)
                add(calls.map { ($0.b, $0.began) }, of: b, to: &orders)
            case .zip, .withLatest, .doubled, .switching: continue
            }
        }
        for node in program.nodes.indices {
            guard let cycle = orders[node].contradiction() else { continue }
            report(
                .stateOrder,
                "n\(node): each of \(cycle) would have been stored before the next, and the last before the first")
        }
    }

    /// Whether every value of the node was stored only once, so that the values show their order.
    func isOrdered(_ node: Int) -> Bool {
        switch program.nodes[node] {
        case .state: true
        case .small, .mirror, .emitter: false
        case .bound(let source): isOrdered(source)
        case .combiner(_, let inputs), .late(let inputs): inputs.allSatisfy(isOrdered)
        }
    }

    /// The node whose values a bound one repeats.
    private func root(of node: Int) -> Int {
        if case .bound(let source) = program.nodes[node] { return root(of: source) }
        return node
    }

    /// Values of `node` that a subscriber heard, and when.
    private mutating func add(_ heard: [(value: Int, time: Int)], of node: Int, to orders: inout [StorageOrder]) {
        guard isOrdered(node) else { return }
        let root = root(of: node)
        for (value, time) in heard {
            for write in reading.nodes[root].writes where write.began > time {
                orders[root].add(value, before: write.value)
            }
        }
        for (former, next) in zip(heard, heard.dropFirst()) {
            add(former.value, before: next.value, of: root, to: &orders)
        }
        if let last = heard.last, let held = held[node] { add(last.value, before: held, of: root, to: &orders) }
        if let unknown = heard.first(where: { !isKnown($0.value, of: root) }) {
            report(.unknownValue, "\(unknown.value) of n\(node)")
        }
    }

    private func add(_ earlier: Int, before later: Int, of node: Int, to orders: inout [StorageOrder]) {
        guard earlier != later else { return }
        let root = root(of: node)
        orders[root].add(earlier, before: later)
        guard let inputs = program.inputs(of: root) else { return }
        let (former, next) = (arguments(earlier, of: root), arguments(later, of: root))
        for (place, input) in inputs.enumerated() where place < former.count && place < next.count {
            add(former[place], before: next[place], of: input, to: &orders)
        }
    }

    private func arguments(_ value: Int, of node: Int) -> [Int] {
        if let known = reading.nodes[node].arguments[value] { return known }
        guard value == program.initialValue(of: node) else { return [] }
        return program.inputs(of: node)?.map(program.initialValue) ?? []
    }

    private func isKnown(_ value: Int, of node: Int) -> Bool {
        value == program.initialValue(of: node) || reading.nodes[node].arguments[value] != nil
            || reading.nodes[node].writes.contains { $0.value == value }
    }
}

extension StorageOrder {
    /// Adds the order that a node's writes and reads prove.
    fileprivate mutating func addFacts(of node: Reading.Node, initial: Int) {
        for write in node.writes {
            add(initial, before: write.value)
            for earlier in node.writes where earlier.ended < write.began { add(earlier.value, before: write.value) }
        }
        for read in node.reads {
            for write in node.writes {
                if write.ended < read.began { add(write.value, before: read.value) }
                if write.began > read.ended { add(read.value, before: write.value) }
            }
        }
    }
}

extension SoakProgram {
    func inputs(of node: Int) -> [Int]? {
        switch nodes[node] {
        case .combiner(_, let inputs), .late(let inputs): inputs
        default: nil
        }
    }
}
