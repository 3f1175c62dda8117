import Weir

/// Makes a random program.
struct ProgramGenerator {
    private var random: SeededRandom
    private var program = SoakProgram()
    private var lastValue = 100
    private let mostActions: Int
    /// The nodes that threads may write to and emit from.
    private var writable: [Int] = []
    private var laterListeners: [Int] = []
    private var lateNodes: [Int] = []

    private init(seed: UInt64, mostActions: Int) {
        random = SeededRandom(seed: seed)
        self.mostActions = mostActions
    }

    /// - Parameter mostActions: the largest number of actions per thread.
    static func make(seed: UInt64, mostActions: Int) -> SoakProgram {
        var generator = ProgramGenerator(seed: seed, mostActions: mostActions)
        generator.make()
        return generator.program
    }

    private mutating func make() {
        program.usesText = random.happens(30)
        for _ in 0..<(1 + random.below(3)) { addNode(random.element(of: [.state, .state, .emitter, .small])) }
        for _ in 0..<random.below(5) { addDerivedNode() }
        // First, one listener for each node that hears everything; the other listeners are compared with it.
        for node in program.nodes.indices where !isLate(node) {
            program.listeners.append(SoakProgram.Listener(source: .node(node)))
        }
        for _ in 0..<(1 + random.below(5)) { addListener() }
        let count = random.element(of: [2, 2, 2, 3, 3, 4, 5, 8])
        for _ in 0..<count {
            let actions = 1 + random.below(count > 4 ? max(1, mostActions / 2) : mostActions)
            program.threads.append((0..<actions).map { _ in action(inHandler: false) })
        }
        if random.happens(20), let emitter = emitterToEnd {
            insert([random.happens(50) && !isDoubled(emitter) ? .fail(emitter) : .complete(emitter)])
        }
        for listener in laterListeners { insert([.subscribe(listener)]) }
        for node in lateNodes {
            insert([.make(node), .subscribe(program.listeners.count)])
            program.listeners.append(SoakProgram.Listener(source: .initial(node), isEarly: false))
        }
    }

    private func isLate(_ node: Int) -> Bool {
        if case .late = program.nodes[node] { return true }
        return false
    }

    /// An emitter whose end affects only listeners of this single source that have no gathering operators.
    private var emitterToEnd: Int? {
        program.nodes.indices.first { node in
            program.nodes[node] == .emitter
                && program.listeners.allSatisfy { !$0.source.combines(node) && !$0.operators.contains(.buffer) }
        }
    }

    /// Whether a failure drops values that `flatMap` made of its events.
    private func isDoubled(_ node: Int) -> Bool {
        program.listeners.contains { if case .doubled(_, node) = $0.source { true } else { false } }
    }

    /// Inserts actions at a random position of a thread or a handler.
    private mutating func insert(_ actions: [SoakProgram.Action]) {
        if random.happens(25) {
            let listener = random.below(program.listeners.count)
            guard program.listeners[listener].isEarly else { return insert(actions) }
            program.listeners[listener].reactions.append(SoakProgram.Reaction(call: random.below(2), actions: actions))
        } else {
            let thread = random.below(program.threads.count)
            program.threads[thread].insert(contentsOf: actions, at: random.below(program.threads[thread].count + 1))
        }
    }

    // MARK: Nodes

    private mutating func addNode(_ node: SoakProgram.Node) {
        switch node {
        case .state, .small, .emitter, .mirror: writable.append(program.nodes.count)
        case .late: lateNodes.append(program.nodes.count)
        case .combiner, .bound: break
        }
        program.nodes.append(node)
    }

    private mutating func addDerivedNode() {
        let states = program.nodes.indices.filter { program.nodes[$0] != .emitter && !isLate($0) }
        let plain = states.filter { program.nodes[$0] == .state }
        guard !states.isEmpty else { return addNode(.state) }
        switch random.below(12) {
        case 0...6:
            let strategy = random.element(of: [CombineStrategy.every, .every, .settled, .settled, .all, .first])
            // The rules of these two strategies ask whether an input has ever changed.
            let inputs = strategy == .all || strategy == .first ? plain : states
            guard !inputs.isEmpty else { return addNode(.state) }
            addNode(.combiner(strategy, (0..<(1 + random.below(2))).map { _ in random.element(of: inputs) }.unique))
        case 7, 8: addNode(.late((0..<(1 + random.below(2))).map { _ in random.element(of: states) }.unique))
        case 9, 10: addNode(.bound(to: random.element(of: states)))
        default:
            guard let source = plain.last, !program.nodes.contains(.mirror(of: source)) else { return addNode(.state) }
            // Values of both can return, so its numbers are no longer unique.
            program.nodes[source] = .small
            addNode(.mirror(of: source))
        }
    }

    // MARK: Listeners

    private mutating func addListener() {
        let made = program.nodes.indices.filter { !isLate($0) }
        let emitters = made.filter { program.nodes[$0] == .emitter }
        let states = made.filter { program.nodes[$0] != .emitter }
        let isOfEvents = !emitters.isEmpty && (states.isEmpty || random.happens(50))
        var listener =
            isOfEvents
            ? eventListener(emitters) : stateListener(states)
        if random.happens(40) {
            listener.isEarly = false
            laterListeners.append(program.listeners.count)
        }
        let mine = program.listeners.count
        for _ in 0..<(random.happens(40) ? 1 + random.below(2) : 0) {
            var actions = [action(inHandler: true)]
            if random.happens(15) { actions.append(.dispose(mine)) }
            listener.reactions.append(SoakProgram.Reaction(call: random.below(3), actions: actions))
        }
        program.listeners.append(listener)
    }

    private mutating func eventListener(_ emitters: [Int]) -> SoakProgram.Listener {
        let node = random.element(of: emitters)
        let other = random.element(of: emitters)
        var choices: [SoakProgram.Source] = [
            .node(node), .node(node), .node(node), .shared(node), .replayed(node), .doubled(.merge, node),
            .doubled(.latest, node), .doubled(.concat, node),
        ]
        if other != node {
            choices += [
                .merge(node, other), .merge(node, other), .zip(node, other), .zip(node, other),
                .combineLatest(node, other), .combineLatest(node, other), .withLatest(node, from: other),
                .withLatest(node, from: other), .switching(node, to: other),
            ]
        }
        var listener = SoakProgram.Listener(source: random.element(of: choices))
        let operators: [SoakProgram.Operator]
        switch listener.source {
        case .node, .shared, .replayed:
            operators = [
                .map, .filter, .removeDuplicates, .scan, .buffer, .skip(1 + random.below(2)),
                .take(1 + random.below(4)), .deliver(random.below(SoakProgram.queues)),
            ]
        default: operators = [.take(1 + random.below(4)), .deliver(random.below(SoakProgram.queues))]
        }
        for _ in 0..<random.below(3) { listener.operators.append(random.element(of: operators)) }
        return listener
    }

    private mutating func stateListener(_ states: [Int]) -> SoakProgram.Listener {
        let node = random.element(of: states)
        let other = random.element(of: states)
        var choices: [SoakProgram.Source] = [
            .node(node), .current(node), .current(node), .initial(node), .shared(node),
        ]
        if other != node { choices += [.merge(node, other), .combineLatest(node, other)] }
        var listener = SoakProgram.Listener(source: random.element(of: choices))
        if case .initial = listener.source { return listener }
        let operators: [SoakProgram.Operator] = [
            .map, .removeDuplicates, .deliver(random.below(SoakProgram.queues)),
            .deliver(random.below(SoakProgram.queues)),
        ]
        for _ in 0..<random.below(3) { listener.operators.append(random.element(of: operators)) }
        if random.happens(15) { listener.operators.append(.take(1 + random.below(3))) }
        return listener
    }

    // MARK: Actions

    private mutating func action(inHandler: Bool) -> SoakProgram.Action {
        switch random.below(20) {
        case 0: .read(random.element(of: program.nodes.indices.filter { !isLate($0) }))
        case 1, 2:
            if inHandler && random.happens(70) {
                change()
            } else {
                .batch((0..<(1 + random.below(4))).map { _ in change() })
            }
        case 3 where !laterListeners.isEmpty: .dispose(random.element(of: laterListeners))
        default: change()
        }
    }

    private mutating func change() -> SoakProgram.Action {
        let node = random.element(of: writable)
        lastValue += 1
        switch program.nodes[node] {
        case .emitter: return .emit(node, lastValue)
        case .small, .mirror: return .write(node, random.below(3))
        default: return .write(node, lastValue)
        }
    }
}

extension SoakProgram {
    /// The random program of a seed.
    package static func random(seed: UInt64, mostActions: Int = 8) -> SoakProgram {
        ProgramGenerator.make(seed: seed, mostActions: mostActions)
    }
}

extension SoakProgram.Source {
    /// Whether it combines the events of `node` with others, or takes them after its end.
    fileprivate func combines(_ node: Int) -> Bool {
        switch self {
        case .merge(let a, let b), .zip(let a, let b), .combineLatest(let a, let b), .withLatest(let a, let b),
            .switching(let a, let b):
            a == node || b == node
        case .replayed(let source): source == node
        case .node, .current, .initial, .shared, .doubled: false
        }
    }
}

extension [Int] {
    /// The distinct numbers.
    fileprivate var unique: [Int] {
        reduce(into: []) { all, number in if !all.contains(number) { all.append(number) } }
    }
}
