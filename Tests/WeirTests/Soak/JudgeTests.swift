import Testing
import Weir
import WeirSoak

extension Everything {
    /// The judge finds each kind of violation of the contract, and nothing in correct histories.
    @Suite struct JudgeTests {
        typealias Listener = SoakProgram.Listener
        typealias Event = History.Event

        @Test func `A subscriber that two threads call at once`() {
            var history = JudgedHistory([.state], [Listener(.node(0))], held: [8])
            history.write(0, 7) { history in
                history.call(0, 7) { history in
                    history.write(0, 8, thread: 2) { $0.call(0, 8, thread: 2) }
                }
            }
            #expect(history.broken == [.overlappingCalls])
        }

        @Test func `A handler may be called inside itself for what it writes or emits`() {
            var state = JudgedHistory([.state], [Listener(.node(0))], held: [8])
            state.write(0, 7) { $0.call(0, 7) { $0.write(0, 8) { $0.call(0, 8) } } }
            #expect(state.broken == [])

            var event = JudgedHistory([.emitter], [Listener(.node(0))], held: [nil])
            event.emit(0, 7) { $0.call(0, 7) { $0.emit(0, 8) { $0.call(0, 8) } } }
            #expect(event.broken == [])

            var queued = JudgedHistory([.emitter], [Listener(.node(0))], held: [nil])
            queued.emit(0, 7) { history in
                history.call(0, 7) { $0.emit(0, 8) }
                history.call(0, 8)
            }
            #expect(queued.broken == [])
        }

        @Test(arguments: 0...2) func `A disposed subscriber hears one value more at most`(count: Int) {
            var history = JudgedHistory([.emitter], [Listener(.node(0)), Listener(.node(0))], held: [nil])
            history.dispose(1, thread: 2)
            for value in 0..<count {
                history.emit(0, value) {
                    $0.call(0, value); $0.call(1, value)
                }
            }
            #expect(history.broken == (count > 1 ? [.calledAfterDispose] : []))
        }

        @Test func `A subscriber that disposes itself hears nothing more`() {
            var history = JudgedHistory([.emitter], [Listener(.node(0)), Listener(.node(0))], held: [nil])
            history.emit(0, 7) { history in
                history.call(0, 7)
                history.call(1, 7) { $0.dispose(1, thread: 1) }
            }
            #expect(history.broken == [])
            history.emit(0, 8) { history in
                history.call(0, 8)
                history.call(1, 8)
            }
            #expect(history.broken == [.calledAfterDispose])
        }

        @Test func `Nothing comes after the end`() {
            var history = JudgedHistory([.emitter], [Listener(.node(0)), Listener(.node(0), [.take(1)])], held: [nil])
            history.emit(0, 7) { history in
                history.call(0, 7)
                history.call(1, 7)
                history.events.append(Event(.ended, 1, thread: 1))
            }
            #expect(history.broken == [])
            history.emit(0, 8) { history in
                history.call(0, 8)
                history.call(1, 8)
            }
            #expect(history.broken.isSuperset(of: [.calledAfterEnd, .wrongCount]))
        }

        // MARK: Events

        /// An emitter of three events; a witness hears `first`, another subscriber `second`.
        private func events(
            _ first: [Int], _ second: [Int], _ operators: [SoakProgram.Operator] = [], isEarly: Bool = true
        ) -> Set<Violation.Rule> {
            var history = JudgedHistory(
                [.emitter], [Listener(.node(0)), Listener(.node(0), operators, isEarly: isEarly)], held: [nil])
            if !isEarly { history.subscribe(1, thread: 2) }
            // All are emitted at the same time, so their order is undetermined.
            for value in [1, 2, 4] { history.events.append(Event(.emitBegan, 0, thread: value, value)) }
            for value in first { history.call(0, value, thread: 1) }
            for value in second { history.call(1, value, thread: 1) }
            for value in [1, 2, 4] { history.events.append(Event(.emitEnded, 0, thread: value, value)) }
            return history.broken
        }

        @Test func `Events that are lost, repeated or in another order`() {
            #expect(events([1, 2, 4], [1, 2, 4]) == [])
            #expect(events([4, 2, 1], [4, 2, 1]) == [])
            #expect(events([1, 2, 4], [1, 4, 2]) == [.eventOrder])
            #expect(events([1, 2, 4], [1, 4]) == [.lostEvent])
            #expect(events([1, 2], [1, 2]) == [.lostEvent])
            #expect(events([1, 2, 4], [1, 2, 2, 4]) == [.lostEvent])
            #expect(events([1, 2, 4], [1, 4], isEarly: false) == [.lostEvent])
        }

        @Test func `A later subscriber hears everything from some event on, and what was emitted after it subscribed`()
        {
            #expect(events([1, 2, 4], [1, 2, 4], isEarly: false) == [])
            var history = JudgedHistory(
                [.emitter], [Listener(.node(0)), Listener(.node(0), isEarly: false)], held: [nil])
            history.emit(0, 1) { $0.call(0, 1) }
            history.subscribe(1, thread: 2)
            history.emit(0, 2) { $0.call(0, 2) }
            #expect(history.broken == [.lostEvent])
            history.events.removeLast(1)
            history.call(1, 2)
            #expect(history.broken == [])
        }

        @Test func `What operators make of events`() {
            #expect(events([1, 2, 4], [1, 2, 4], [.filter]) == [])
            #expect(events([1, 2, 4], [2, 4], [.skip(1)]) == [])
            #expect(events([1, 2, 4], [1, 2, 4], [.skip(1)]) == [.lostEvent])
            #expect(events([1, 2, 4], [mixed(mixed(0, 1), 2)], [.buffer]) == [])
            let sums = [mixed(0, 1), mixed(mixed(0, 1), 2), mixed(mixed(mixed(0, 1), 2), 4)]
            #expect(events([1, 2, 4], sums, [.scan]) == [])
            #expect(events([2, 1, 4], sums, [.scan]) == [.lostEvent])
            #expect(events([1, 2, 4], [1], [.take(2)]).contains(.lostEvent))
        }

        @Test func `Events are emitted in the order that threads saw`() {
            var history = JudgedHistory([.emitter], [Listener(.node(0))], held: [nil])
            history.emit(0, 1, thread: 1)
            history.emit(0, 2, thread: 2)
            var reversed = history
            history.call(0, 1)
            history.call(0, 2)
            #expect(history.broken == [])
            reversed.call(0, 2)
            reversed.call(0, 1)
            #expect(reversed.broken == [.eventOrder])
        }

        @Test func `Pairs of events`() {
            func broken(_ source: SoakProgram.Source, _ pairs: [(Int, Int)]) -> Set<Violation.Rule> {
                var history = JudgedHistory(
                    [.emitter, .emitter], [Listener(.node(0)), Listener(.node(1)), Listener(source)], held: [nil, nil])
                for (node, value) in [(0, 1), (1, 10), (0, 2), (1, 20)] {
                    history.emit(node, value) { $0.call(node, value) }
                }
                for (a, b) in pairs { history.call(2, a, b) }
                return history.broken
            }
            #expect(broken(.zip(0, 1), [(1, 10), (2, 20)]) == [])
            #expect(broken(.zip(0, 1), [(1, 10)]) == [.lostEvent])
            #expect(broken(.zip(0, 1), [(1, 20), (2, 10)]) == [.lostEvent])
            #expect(broken(.combineLatest(0, 1), [(1, 10), (2, 10), (2, 20)]) == [])
            #expect(broken(.combineLatest(0, 1), [(1, 10), (2, 10)]) == [.lostEvent])
            #expect(broken(.combineLatest(0, 1), [(1, 10), (2, 20)]) == [.lostEvent])
            #expect(broken(.combineLatest(0, 1), [(1, 10), (2, 10), (1, 10), (2, 10), (2, 20)]) == [.eventOrder])
            #expect(broken(.withLatest(0, from: 1), [(1, 10), (2, 10)]) == [])
            #expect(broken(.withLatest(0, from: 1), [(2, 20)]) == [])
            #expect(broken(.withLatest(0, from: 1), []) == [])
            #expect(broken(.withLatest(0, from: 1), [(1, 10)]) == [.lostEvent])
            #expect(broken(.withLatest(0, from: 1), [(1, 20), (2, 10)]) == [.eventOrder])
            #expect(broken(.withLatest(0, from: 1), [(2, 10), (1, 10)]) == [.eventOrder])
            #expect(broken(.withLatest(0, from: 1), [(1, 30), (2, 10)]) == [.unknownValue])
            #expect(broken(.merge(0, 1), [(1, 0), (10, 1), (2, 0), (20, 1)]) == [])
            #expect(broken(.merge(0, 1), [(1, 0), (10, 1), (20, 1)]) == [.lostEvent])
        }

        @Test func `Signals that flatMap makes of events`() {
            func broken(_ heard: [Int]) -> Set<Violation.Rule> {
                var history = JudgedHistory(
                    [.emitter], [Listener(.node(0)), Listener(.doubled(.concat, 0))], held: [nil])
                for value in [1, 2] { history.emit(0, value) { $0.call(0, value) } }
                for value in heard { history.call(1, value) }
                return history.broken
            }
            #expect(broken([1, 1_000_001, 2, 1_000_002]) == [])
            #expect(broken([1, 2, 1_000_001, 1_000_002]) == [.eventOrder])
            #expect(broken([1, 1_000_001, 2]) == [.lostEvent])
        }

        @Test func `The end of an emitter`() {
            func broken(_ heard: [Int], ends: Int, after late: [Int] = []) -> Set<Violation.Rule> {
                var history = JudgedHistory([.emitter], [Listener(.node(0))], held: [nil])
                for value in [1, 2] { history.emit(0, value) }
                for value in heard { history.call(0, value) }
                history.events.append(Event(.completeBegan, 0, thread: 1))
                for _ in 0..<ends { history.events.append(Event(.ended, 0, thread: 1)) }
                history.events.append(Event(.completeEnded, 0, thread: 1))
                history.emit(0, 4)
                for value in late { history.call(0, value) }
                return history.broken
            }
            #expect(broken([1, 2], ends: 1) == [])
            #expect(broken([1], ends: 1) == [.lostEvent])
            #expect(broken([1, 2], ends: 0) == [.lostEvent])
            #expect(broken([1, 2], ends: 2) == [.calledAfterEnd])
            #expect(broken([1, 2], ends: 1, after: [4]) == [.calledAfterEnd])
        }

        @Test func `An end inside a handler that another thread runs`() {
            var history = JudgedHistory([.emitter], [Listener(.node(0))], held: [nil])
            history.emit(0, 1) { history in
                history.call(0, 1) { history in
                    history.events += [
                        Event(.completeBegan, 0, thread: 2), Event(.ended, 0, thread: 2),
                        Event(.completeEnded, 0, thread: 2),
                    ]
                }
            }
            #expect(history.broken == [.overlappingCalls])
        }

        // MARK: States

        /// Two threads write 7 and 8 at the same time.
        private func states(_ first: [Int], _ second: [Int], held: Int) -> Set<Violation.Rule> {
            var history = JudgedHistory([.state], [Listener(.node(0)), Listener(.node(0))], held: [held])
            history.events += [Event(.writeBegan, 0, thread: 1, 7), Event(.writeBegan, 0, thread: 2, 8)]
            for value in first { history.call(0, value) }
            for value in second { history.call(1, value) }
            history.events += [Event(.writeEnded, 0, thread: 1, 7), Event(.writeEnded, 0, thread: 2, 8)]
            return history.broken
        }

        @Test func `Values in the order of their storage, of which some may be skipped`() {
            #expect(states([7, 8], [7, 8], held: 8) == [])
            #expect(states([7, 8], [8], held: 8) == [])
            #expect(states([8], [8], held: 8) == [])
            #expect(states([7, 8], [8, 7], held: 8).contains(.stateOrder))
            #expect(states([7], [8], held: 8) == [.staleSubscriber])
            #expect(states([8, 7], [8, 7], held: 8).isSuperset(of: [.stateOrder, .staleSubscriber]))
            #expect(states([7, 9, 8], [8], held: 8).contains(.unknownValue))
            #expect(states([], [8], held: 8) == [.staleSubscriber])
        }

        @Test func `What is read, and what is written later`() {
            var history = JudgedHistory([.state], [Listener(.node(0))], held: [8])
            history.write(0, 7)
            history.read(0, 7, thread: 2)
            history.write(0, 8) { $0.call(0, 8) }
            #expect(history.broken == [])
            history.read(0, 7, thread: 2)
            #expect(history.broken == [.stateOrder])
        }

        @Test func `A subscriber with the current value hears something`() {
            var history = JudgedHistory([.state], [Listener(.current(0), isEarly: false)], held: [1])
            history.subscribe(0, thread: 1)
            #expect(history.broken == [.staleSubscriber])
            history.events.removeLast()
            history.call(0, 1)
            history.events.append(Event(.subscribeEnded, 0, thread: 1))
            #expect(history.broken == [])
        }

        @Test func `A value that returns to the one before is no change`() {
            var history = JudgedHistory([.small], [Listener(.node(0))], held: [0])
            history.batch { history in
                history.write(0, 1)
                history.write(0, 0)
            }
            #expect(history.broken == [])
            history.call(0, 2)
            #expect(history.broken == [.staleSubscriber])
        }

        @Test func `A combiner is its function of its inputs`() {
            let nodes: [SoakProgram.Node] = [.state, .state, .combiner(.every, [0, 1])]
            var history = JudgedHistory(nodes, [Listener(.node(2))], held: [7, 8, nil])
            let (first, stale) = (history.evaluate(2, [7, 2]), history.evaluate(2, [7, 8]))
            history.write(0, 7, thread: 1)
            history.write(1, 8, thread: 2)
            var kept = history
            kept.held[2] = stale
            kept.call(0, first)
            kept.call(0, stale)
            #expect(kept.broken == [])
            history.held[2] = first
            history.call(0, first)
            #expect(history.broken == [.staleCombiner])
            // Its inputs went from (7, 2) to (7, 8), and back.
            kept.call(0, first)
            #expect(kept.broken.isSuperset(of: [.stateOrder, .staleSubscriber]))
        }

        @Test func `Strategies that wait for inputs`() {
            func broken(_ strategy: CombineStrategy, _ inputs: [Int], holds arguments: [Int]) -> Set<Violation.Rule> {
                var history = JudgedHistory(
                    [.state, .state, .combiner(strategy, [0, 1])], [], held: [inputs[0], inputs[1], nil])
                history.held[2] = history.evaluate(2, arguments)
                return history.broken
            }
            #expect(broken(.all, [1, 8], holds: [1, 2]) == [])
            #expect(broken(.all, [7, 8], holds: [7, 8]) == [])
            #expect(broken(.all, [7, 8], holds: [1, 2]) == [.staleCombiner])
            #expect(broken(.all, [1, 8], holds: [1, 8]) == [.staleCombiner])
            #expect(broken(.first, [7, 8], holds: [1, 8]) == [])
            #expect(broken(.first, [1, 2], holds: [1, 8]) == [.staleCombiner])
            #expect(broken(.first, [7, 8], holds: [1, 2]) == [.staleCombiner])
        }

        @Test func `A bound observable holds what its source holds`() {
            #expect(JudgedHistory([.state, .bound(to: 0)], [], held: [7, 7]).broken == [])
            #expect(JudgedHistory([.state, .bound(to: 0)], [], held: [7, 1]).broken == [.staleBinding])
            #expect(JudgedHistory([.small, .mirror(of: 0)], [], held: [1, 2]).broken == [.staleBinding])
        }

        @Test func `A write in a handler is delivered at once`() {
            func broken(_ body: (inout JudgedHistory) -> Void) -> Set<Violation.Rule> {
                var history = JudgedHistory([.state], [Listener(.node(0)), Listener(.node(0))], held: [8])
                history.write(0, 7) { history in
                    history.call(0, 7) { $0.write(0, 8, body) }
                }
                history.call(0, 8)
                history.call(1, 8)
                return history.broken
            }
            #expect(
                broken { history in
                    history.call(0, 8)
                    history.call(1, 8)
                } == [])
            #expect(broken { $0.call(0, 8) } == [.notDepthFirst])
            #expect(broken { _ in } == [.notDepthFirst])
        }

        @Test func `A settled combiner shows values at the ends of turns only`() {
            let nodes: [SoakProgram.Node] = [
                .state, .bound(to: 0), .combiner(.every, [0]), .combiner(.settled, [1, 2]),
            ]
            func value(of number: Int) -> [Int] { [number, SoakProgram.combined(nodes, 2, [number])] }
            func broken(_ shown: [[Int]]) -> Set<Violation.Rule> {
                var history = JudgedHistory(
                    nodes, [Listener(.node(3))], held: [8, 8, SoakProgram.combined(nodes, 2, [8]), nil],
                    threads: [[.batch([.write(0, 6), .write(0, 7)]), .write(0, 8)], []])
                for inputs in shown {
                    _ = history.evaluate(2, [inputs[0]])
                    let result = history.evaluate(3, inputs)
                    history.held[3] = result
                    history.call(0, result)
                }
                return history.broken
            }
            #expect(broken([value(of: 7), value(of: 8)]) == [])
            #expect(broken([value(of: 8)]) == [])
            #expect(broken([value(of: 6), value(of: 8)]) == [.glitch])
            #expect(broken([[8, value(of: 7)[1]], value(of: 8)]).contains(.glitch))
        }
    }
}

extension SoakProgram {
    fileprivate static func combined(_ nodes: [Node], _ node: Int, _ inputs: [Int]) -> Int {
        SoakProgram().combined(node, inputs)
    }
}
