import CWeir
import Dispatch
import Weir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A running program: its nodes, its subscriptions, and its history.
final class ProgramRun<Value: SoakValue>: Sendable {
    private let program: SoakProgram
    private let history: History
    private let nodes: [LiveNode<Value>]
    private let shared: [Signal<Value>?]
    private let replayed: [Signal<Value>?]
    private let bindings: [Disposable]
    private let schedulers: [any Scheduler]
    private let subscriptions: [LockedBox<Disposable?>]
    private let calls: [RelaxedCounter]

    init(_ program: SoakProgram, _ history: History, schedulers: [any Scheduler]) {
        self.program = program
        self.history = history
        self.schedulers = schedulers
        var nodes: [LiveNode<Value>] = []
        for (index, node) in program.nodes.enumerated() {
            switch node {
            case .state, .small, .mirror, .bound:
                nodes.append(.state(Observable(Value(program.initialValue(of: index)))))
            case .emitter: nodes.append(.emitter(Emitter()))
            case .late: nodes.append(.late(LockedBox(nil)))
            case .combiner(let strategy, let inputs):
                let sources = inputs.compactMap { nodes[$0].observable }
                nodes.append(
                    .state(Self.combiner(index, of: sources, strategy, in: program, history)))
            }
        }
        var bindings: [Disposable] = []
        for (index, node) in program.nodes.enumerated() {
            guard let target = nodes[index].writable else { continue }
            switch node {
            case .bound(let source):
                if let source = nodes[source].observable { bindings.append(source.bind(to: target)) }
            case .mirror(let source):
                guard let source = nodes[source].writable else { continue }
                bindings.append(source.bind(to: target))
                bindings.append(target.bind(to: source))
            default: break
            }
        }
        self.nodes = nodes
        self.bindings = bindings
        shared = nodes.map { $0.signal?.share() }
        replayed = nodes.map { $0.signal?.replay(2) }
        subscriptions = program.listeners.map { _ in LockedBox(nil) }
        calls = program.listeners.map { _ in RelaxedCounter() }
    }

    private static func combiner(
        _ index: Int, of inputs: [ReadOnlyObservable<Value>], _ strategy: CombineStrategy, in program: SoakProgram,
        _ history: History
    ) -> ReadOnlyObservable<Value> {
        if inputs.count == 1 {
            return Observable.combine(inputs[0], strategy: strategy) { a in
                let result = program.combined(index, [a.number])
                history.add(.evaluated, index, result, a.number)
                Pacer.pause(.handler)
                return Value(result)
            }
        }
        return Observable.combine(inputs[0], inputs[1], strategy: strategy) { a, b in
            let result = program.combined(index, [a.number, b.number])
            history.add(.evaluated, index, result, a.number, b.number)
            Pacer.pause(.handler)
            return Value(result)
        }
    }

    /// The values of the nodes; nil for emitters and for nodes that were never made.
    var held: [Int?] { nodes.map { $0.observable?.value.number } }

    func subscribeEarly() {
        for (index, listener) in program.listeners.enumerated() where listener.isEarly { subscribe(index) }
    }

    func runThread(_ thread: Int) {
        for action in program.threads[thread] {
            perform(action)
            pause(.action)
        }
    }

    // MARK: Actions

    private func perform(_ action: SoakProgram.Action) {
        switch action {
        case .write(let node, let value):
            guard let observable = nodes[node].writable else { return }
            history.add(.writeBegan, node, value)
            observable.value = Value(value)
            history.add(.writeEnded, node, value)
        case .emit(let node, let value):
            guard case .emitter(let emitter) = nodes[node] else { return }
            history.add(.emitBegan, node, value)
            emitter.emit(Value(value))
            history.add(.emitEnded, node, value)
        case .complete(let node): end(node) { $0.complete() }
        case .fail(let node): end(node) { $0.fail(ProgramFailure()) }
        case .read(let node):
            guard let observable = nodes[node].observable else { return }
            history.add(.readBegan, node)
            let value = observable.value.number
            history.add(.readEnded, node, value)
        case .batch(let actions):
            history.add(.batchBegan, 0)
            batch {
                for action in actions {
                    perform(action)
                    pause(.handler)
                }
            }
            history.add(.batchEnded, 0)
        case .subscribe(let listener): subscribe(listener)
        case .dispose(let listener):
            guard let subscription = subscriptions[listener].exchange(nil) else { return }
            history.add(.disposeBegan, listener)
            subscription.dispose()
            history.add(.disposeEnded, listener)
        case .make(let node): make(node)
        }
    }

    private func end(_ node: Int, _ end: (Emitter<Value>) -> Void) {
        guard case .emitter(let emitter) = nodes[node] else { return }
        history.add(.completeBegan, node)
        end(emitter)
        history.add(.completeEnded, node)
    }

    private func make(_ node: Int) {
        guard case .late(let inputs) = program.nodes[node], case .late(let place) = nodes[node] else { return }
        let sources = inputs.compactMap { nodes[$0].observable }
        guard sources.count == inputs.count else { return }
        _ = place.exchange(Self.combiner(node, of: sources, .every, in: program, history))
    }

    // MARK: Listeners

    private func subscribe(_ index: Int) {
        let listener = program.listeners[index]
        let operators = listener.operators
        func signal(_ node: Int) -> Signal<Value>? { nodes[node].signal }
        func current(_ node: Int) -> Signal<Value>? { nodes[node].observable?.current ?? nodes[node].signal }
        history.add(.subscribeBegan, index)
        var subscription: Disposable?
        switch listener.source {
        case .node(let node): subscription = signal(node).map { listen(index, applied(operators, to: $0)) }
        case .current(let node): subscription = current(node).map { listen(index, applied(operators, to: $0)) }
        case .shared(let node): subscription = shared[node].map { listen(index, applied(operators, to: $0)) }
        case .replayed(let node): subscription = replayed[node].map { listen(index, applied(operators, to: $0)) }
        case .initial(let node):
            subscription = nodes[node].observable?.subscribe(initial: true) { [self] in called(index, $0.number, 0) }
        case .merge(let a, let b):
            if let a = current(a)?.map({ ($0, 0) }), let b = current(b)?.map({ ($0, 1) }) {
                subscription = listen(index, passed(operators, to: a.merge(b))) { ($0.0.number, $0.1) }
            }
        case .zip(let a, let b):
            if let a = signal(a), let b = signal(b) {
                subscription = listen(index, passed(operators, to: a.zip(b))) { ($0.0.number, $0.1.number) }
            }
        case .combineLatest(let a, let b):
            if let a = current(a), let b = current(b) {
                subscription = listen(index, passed(operators, to: a.combineLatest(b))) { ($0.0.number, $0.1.number) }
            }
        case .withLatest(let a, let b):
            if let a = signal(a), let b = signal(b) {
                let pairs = a.withLatest(from: b)
                subscription = listen(index, passed(operators, to: pairs)) { ($0.0.number, $0.1.number) }
            }
        case .doubled(let strategy, let node):
            let doubled = signal(node)?.flatMap(strategy) { value in
                Signal([value, Value(SoakProgram.double(of: value.number))])
            }
            subscription = doubled.map { listen(index, passed(operators, to: $0)) }
        case .switching(let node, let other):
            if let node = signal(node), let other = signal(other) {
                subscription = listen(index, passed(operators, to: node.flatMap(.latest) { _ in other }))
            }
        }
        _ = subscriptions[index].exchange(subscription)
        history.add(.subscribeEnded, index, subscription == nil ? 1 : 0)
    }

    private func applied(_ operators: [SoakProgram.Operator], to signal: Signal<Value>) -> Signal<Value> {
        operators.reduce(signal) { signal, one in
            switch one {
            case .map: signal.map { $0 }
            case .filter: signal.filter { SoakProgram.passes($0.number) }
            case .removeDuplicates: signal.removeDuplicates()
            case .scan: signal.scan(Value(0)) { Value(mixed($0.number, $1.number)) }
            case .buffer: signal.buffer(count: 2).map { Value($0.map(\.number).reduce(0, mixed)) }
            case .skip(let count): signal.skip(count)
            case .take, .deliver: passed([one], to: signal)
            }
        }
    }

    private func passed<Element: Sendable>(
        _ operators: [SoakProgram.Operator], to signal: Signal<Element>
    ) -> Signal<Element> {
        operators.reduce(signal) { signal, one in
            switch one {
            case .take(let count): signal.take(count)
            case .deliver(let queue): delivered(signal, on: schedulers[queue])
            default: signal
            }
        }
    }

    private func delivered<Element: Sendable>(_ signal: Signal<Element>, on scheduler: some Scheduler) -> Signal<
        Element
    > {
        signal.deliver(on: scheduler)
    }

    private func listen(_ index: Int, _ signal: Signal<Value>) -> Disposable {
        listen(index, signal) { ($0.number, 0) }
    }

    private func listen<Element>(
        _ index: Int, _ signal: Signal<Element>, _ numbers: @escaping @Sendable (Element) -> (Int, Int)
    ) -> Disposable {
        signal.subscribeEvents { [self] event in
            switch event {
            case .next(let value):
                let (a, b) = numbers(value)
                called(index, a, b)
            case .completed, .failed:
                history.add(.ended, index)
                pause(.handler)
            }
        }
    }

    private func called(_ listener: Int, _ a: Int, _ b: Int) {
        history.add(.callBegan, listener, a, b)
        let number = calls[listener].next()
        pause(.handler)
        for reaction in program.listeners[listener].reactions where reaction.call == number {
            for action in reaction.actions { perform(action) }
        }
        pause(.handler)
        history.add(.callEnded, listener, a, b)
    }

    /// Lets other threads run, sometimes.
    private func pause(_ point: Pacer.Point) {
        if Pacer.isPacing { Pacer.pause(point) } else if history.count & 7 == 0 { sched_yield() }
    }
}

private struct ProgramFailure: Error {}

extension SoakProgram {
    /// The second of the two values that `flatMap` makes of one.
    static func double(of value: Int) -> Int { value + 1_000_000 }

    /// Whether a filter lets a value through.
    static func passes(_ value: Int) -> Bool { value % 3 != 0 }
}
