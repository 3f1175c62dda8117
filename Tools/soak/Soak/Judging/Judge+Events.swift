/// Events of emitters: none is lost, and all arrive in the order of their emission.
extension Judge {
    mutating func judgeEvents() {
        for node in program.nodes.indices where program.nodes[node] == .emitter { judgeWitness(of: node) }
        for index in program.listeners.indices where reading.listeners[index].isSubscribed { judgeEvents(of: index) }
    }

    /// The witness's order is the order of emission, unless it contradicts the order that threads observed.
    private mutating func judgeWitness(of node: Int) {
        guard let order = order(of: node) else { return }
        let emissions = reading.nodes[node].emissions
        let completion = reading.nodes[node].completion
        let missing = emissions.filter { $0.ended < completion?.began ?? .max && !order.contains($0.value) }
        let late = emissions.filter { $0.began > completion?.ended ?? .max && order.contains($0.value) }
        if !late.isEmpty { report(.calledAfterEnd, "n\(node) delivered \(late.map(\.value))") }
        if !missing.isEmpty { report(.lostEvent, "n\(node) never delivered \(missing.map(\.value))") }
        if Set(order).count != order.count { report(.lostEvent, "n\(node) delivered an event twice: \(order)") }
        let place = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        for later in emissions {
            guard let mine = place[later.value] else { continue }
            for earlier in emissions where earlier.ended < later.began {
                guard let other = place[earlier.value], other > mine else { continue }
                return report(.eventOrder, "n\(node) delivered \(later.value) before \(earlier.value), emitted earlier")
            }
        }
        for (index, listener) in program.listeners.enumerated() where hearsAsEmitted(listener, node) {
            for call in reading.listeners[index].calls {
                guard let other = place[call.a] else { continue }
                for later in emissions where later.began > call.began {
                    guard let mine = place[later.value], mine < other else { continue }
                    return report(
                        .eventOrder, "n\(node) delivered \(later.value) before \(call.a), heard before it was emitted")
                }
            }
        }
    }

    private func hearsAsEmitted(_ listener: SoakProgram.Listener, _ node: Int) -> Bool {
        listener.source == .node(node) && !listener.operators.contains(.scan) && !listener.operators.contains(.buffer)
    }

    /// The events of an emitter, in the order of emission.
    private func order(of node: Int) -> [Int]? {
        guard program.nodes[node] == .emitter, let witness = witness(of: node) else { return nil }
        return reading.listeners[witness].heard
    }

    private mutating func judgeEvents(of index: Int) {
        let listener = program.listeners[index]
        let heard = reading.listeners[index].calls
        switch listener.source {
        case .node(let node), .shared(let node), .replayed(let node):
            guard let order = order(of: node) else { return }
            let latest = latestStart(index, node, order)
            for start in 0...latest where matches(index, heard.map(\.a), listener.apply(order[start...])) { return }
            reportEvents(index, heard.map(\.a), listener.apply(order[latest...]))
        case .doubled(let strategy, let node):
            guard let order = order(of: node) else { return }
            let latest = latestStart(index, node, order)
            // A handler's own emissions come between the two values of the current event, or replace the second.
            if strategy != .concat {
                guard listener.operators.isEmpty else { return }
                let known = Set(order)
                let firsts = heard.map(\.a).filter(known.contains)
                for start in 0...latest where matches(index, firsts, Array(order[start...])) { return }
                return reportEvents(index, firsts, Array(order[latest...]))
            }
            func doubled(_ values: ArraySlice<Int>) -> [Int] {
                listener.apply(values.flatMap { [$0, SoakProgram.double(of: $0)] }[...])
            }
            for start in 0...latest where matches(index, heard.map(\.a), doubled(order[start...])) { return }
            reportEvents(index, heard.map(\.a), doubled(order[latest...]))
        case .merge(let a, let b):
            for (side, node) in [a, b].enumerated() {
                guard let order = order(of: node) else { continue }
                let mine = heard.filter { $0.b == side }.map(\.a)
                let latest = latestStart(index, node, order)
                let isFound = (0...latest).contains { matches(index, mine, Array(order[$0...])) }
                if !isFound { reportEvents(index, mine, Array(order[latest...])) }
            }
        case .zip(let a, let b): judgePairs(index, a, b, heard)
        case .combineLatest(let a, let b): judgeLatest(index, a, b, heard)
        case .withLatest(let a, let b): judgeWithLatest(index, a, b, heard)
        case .switching(_, let other):
            guard let order = order(of: other) else { return }
            let places = heard.compactMap { order.firstIndex(of: $0.a) }
            if places.count != heard.count { report(.unknownValue, "s\(index) heard \(heard.map(\.a)) of \(order)") }
            if zip(places, places.dropFirst()).contains(where: { $0 >= $1 }) {
                report(.eventOrder, "s\(index) heard \(heard.map(\.a)) of \(order)")
            }
        case .current, .initial: return
        }
    }

    /// The first event that must be received, as an index into the order.
    private func latestStart(_ index: Int, _ node: Int, _ order: [Int]) -> Int {
        guard let subscribed = connected(index) else { return order.count }
        let began = Dictionary(reading.nodes[node].emissions.map { ($0.value, $0.began) }) { first, _ in first }
        return order.firstIndex { (began[$0] ?? 0) > subscribed } ?? order.count
    }

    /// When a listener had subscribed and its shared source was connected. Another thread may have been about to connect
    /// it, and nobody waits for a thread that runs foreign code.
    func connected(_ index: Int) -> Int? {
        let source = program.listeners[index].source
        guard let subscribed = reading.listeners[index].subscribeEnded else { return nil }
        switch source {
        case .shared, .replayed: break
        default: return subscribed
        }
        var connected = subscribed
        for other in program.listeners.indices where program.listeners[other].source == source {
            guard let began = reading.listeners[other].subscribeBegan, began < subscribed else { continue }
            guard let ended = reading.listeners[other].subscribeEnded else { return nil }
            connected = max(connected, ended)
        }
        return connected
    }

    /// Whether the received values are the expected ones; a part of them suffices if the subscription was disposed.
    private func matches(_ index: Int, _ heard: [Int], _ expected: [Int]) -> Bool {
        isLive(index) || endsByItself(index, heard, expected) ? heard == expected : expected.starts(with: heard)
    }

    /// Whether its `take` ended it after it received all that the `take` lets through.
    private func endsByItself(_ index: Int, _ heard: [Int], _ expected: [Int]) -> Bool {
        reading.listeners[index].disposeBegan == nil && program.listeners[index].source.isSingle
    }

    private mutating func reportEvents(_ index: Int, _ heard: [Int], _ expected: [Int]) {
        let isReordered = heard.sorted() == expected.sorted()
        report(isReordered ? .eventOrder : .lostEvent, "s\(index) heard \(heard), not \(expected)")
    }

    private mutating func judgePairs(_ index: Int, _ a: Int, _ b: Int, _ heard: [Reading.Call]) {
        guard let first = order(of: a), let second = order(of: b) else { return }
        let pairs = heard.map { [$0.a, $0.b] }
        let mustBeAll = isLive(index)
        for i in 0...latestStart(index, a, first) {
            for j in 0...latestStart(index, b, second) {
                let expected = zip(first[i...], second[j...]).map { [$0, $1] }
                if mustBeAll ? pairs == expected : expected.starts(with: pairs) { return }
            }
        }
        report(.lostEvent, "s\(index) heard the pairs \(pairs) of \(first) and \(second)")
    }

    /// The heard pairs as indices into the orders of both emitters, and a text that shows all; nil: one is not an event.
    private mutating func pairs(
        _ index: Int, _ heard: [Reading.Call], of first: [Int], _ second: [Int]
    ) -> (pairs: [(Int, Int)], text: String)? {
        let pairs = heard.compactMap { call -> (Int, Int)? in
            guard let i = first.firstIndex(of: call.a), let j = second.firstIndex(of: call.b) else { return nil }
            return (i, j)
        }
        let text = "s\(index) heard the pairs \(heard.map { [$0.a, $0.b] }) of \(first) and \(second)"
        guard pairs.count == heard.count else {
            report(.unknownValue, text)
            return nil
        }
        return (pairs, text)
    }

    /// From the first heard event on, each event of `a` is heard, with an event of `b` that is not older than the former one.
    private mutating func judgeWithLatest(_ index: Int, _ a: Int, _ b: Int, _ heard: [Reading.Call]) {
        guard let first = order(of: a), let second = order(of: b) else { return }
        guard let (pairs, text) = pairs(index, heard, of: first, second) else { return }
        for (former, next) in zip(pairs, pairs.dropFirst()) {
            if next.0 <= former.0 || next.1 < former.1 { return report(.eventOrder, text) }
            if next.0 != former.0 + 1 { return report(.lostEvent, text) }
        }
        guard isLive(index), let last = pairs.last else { return }
        if last.0 != first.count - 1 { report(.lostEvent, text) }
    }

    private mutating func judgeLatest(_ index: Int, _ a: Int, _ b: Int, _ heard: [Reading.Call]) {
        guard let first = order(of: a), let second = order(of: b) else { return }
        guard let (pairs, text) = pairs(index, heard, of: first, second) else { return }
        for (former, next) in zip(pairs, pairs.dropFirst()) {
            let steps = (next.0 - former.0, next.1 - former.1)
            if steps != (1, 0) && steps != (0, 1) {
                return report(steps.0 < 0 || steps.1 < 0 ? .eventOrder : .lostEvent, text)
            }
        }
        guard isFromBeginning(index) else { return }
        if let begin = pairs.first, begin.0 != 0 && begin.1 != 0 { return report(.lostEvent, text) }
        guard isLive(index), !first.isEmpty, !second.isEmpty else { return }
        if pairs.last?.0 != first.count - 1 || pairs.last?.1 != second.count - 1 { report(.lostEvent, text) }
    }
}

extension SoakProgram.Source {
    var nodes: [Int] {
        switch self {
        case .node(let node), .current(let node), .initial(let node), .shared(let node), .replayed(let node),
            .doubled(_, let node):
            [node]
        case .merge(let a, let b), .zip(let a, let b), .combineLatest(let a, let b), .withLatest(let a, let b),
            .switching(let a, let b):
            [a, b]
        }
    }

    var isSingle: Bool {
        switch self {
        case .node, .shared, .replayed, .doubled: true
        default: false
        }
    }
}

extension SoakProgram.Listener {
    /// Applies the operators to these values.
    func apply(_ values: ArraySlice<Int>) -> [Int] {
        var values = Array(values)
        // Whether an earlier `take` has ended the signal: then a buffer emits its contents.
        var isOver = false
        for one in operators {
            switch one {
            case .map, .deliver: break
            case .filter: values = values.filter(SoakProgram.passes)
            case .removeDuplicates:
                values = values.reduce(into: []) { kept, value in if kept.last != value { kept.append(value) } }
            case .scan:
                var sum = 0
                for index in values.indices {
                    sum = mixed(sum, values[index])
                    values[index] = sum
                }
            case .buffer:
                values = stride(from: 0, to: isOver ? values.count : values.count - 1, by: 2).map {
                    values[$0..<min($0 + 2, values.count)].reduce(0, mixed)
                }
            case .skip(let count): values = Array(values.dropFirst(count))
            case .take(let count):
                isOver = isOver || values.count >= count
                values = Array(values.prefix(count))
            }
        }
        return values
    }
}
