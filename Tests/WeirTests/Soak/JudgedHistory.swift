import WeirSoak

/// A handmade history for the judge.
struct JudgedHistory {
    typealias Event = History.Event

    var program = SoakProgram()
    var events: [Event] = []
    var held: [Int?] = []

    init(
        _ nodes: [SoakProgram.Node], _ listeners: [SoakProgram.Listener], held: [Int?],
        threads: [[SoakProgram.Action]] = [[], []]
    ) {
        program.nodes = nodes
        program.listeners = listeners
        program.threads = threads
        self.held = held
        for listener in listeners.indices where listeners[listener].isEarly { subscribe(listener, thread: 0) }
    }

    mutating func subscribe(_ listener: Int, thread: Int) {
        events += [Event(.subscribeBegan, listener, thread: thread), Event(.subscribeEnded, listener, thread: thread)]
    }

    mutating func dispose(_ listener: Int, thread: Int) {
        events += [Event(.disposeBegan, listener, thread: thread), Event(.disposeEnded, listener, thread: thread)]
    }

    /// A listener hears a value; `body` happens in its handler.
    mutating func call(
        _ listener: Int, _ a: Int, _ b: Int = 0, thread: Int = 1, _ body: (inout JudgedHistory) -> Void = { _ in }
    ) {
        events.append(Event(.callBegan, listener, thread: thread, a, b))
        body(&self)
        events.append(Event(.callEnded, listener, thread: thread, a, b))
    }

    mutating func write(
        _ node: Int, _ value: Int, thread: Int = 1, _ body: (inout JudgedHistory) -> Void = { _ in }
    ) {
        events.append(Event(.writeBegan, node, thread: thread, value))
        body(&self)
        events.append(Event(.writeEnded, node, thread: thread, value))
    }

    mutating func emit(
        _ node: Int, _ value: Int, thread: Int = 1, _ body: (inout JudgedHistory) -> Void = { _ in }
    ) {
        events.append(Event(.emitBegan, node, thread: thread, value))
        body(&self)
        events.append(Event(.emitEnded, node, thread: thread, value))
    }

    mutating func batch(thread: Int = 1, _ body: (inout JudgedHistory) -> Void) {
        events.append(Event(.batchBegan, 0, thread: thread))
        body(&self)
        events.append(Event(.batchEnded, 0, thread: thread))
    }

    mutating func read(_ node: Int, _ value: Int, thread: Int) {
        events += [Event(.readBegan, node, thread: thread), Event(.readEnded, node, thread: thread, value)]
    }

    mutating func evaluate(_ node: Int, _ inputs: [Int]) -> Int {
        let result = program.combined(node, inputs)
        events.append(
            Event(.evaluated, node, thread: 1, result, inputs[0], inputs.count > 1 ? inputs[1] : 0))
        return result
    }

    var broken: Set<Violation.Rule> {
        Set(Judge.violations(of: program, in: Outcome(events: events, held: held)).map(\.rule))
    }
}

extension SoakProgram.Listener {
    init(_ source: SoakProgram.Source, _ operators: [SoakProgram.Operator] = [], isEarly: Bool = true) {
        self.init(source: source, isEarly: isEarly)
        self.operators = operators
    }
}
