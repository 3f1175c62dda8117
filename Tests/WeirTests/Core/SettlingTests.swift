import Foundation
import Testing
import WeirTestSupport
import WeirTrace

@testable import Weir

extension Everything {
    @MainActor @Suite struct SettlingTests {
        @Test func `A settled combiner evaluates once a turn, after all of its inputs`() {
            let source = Observable(1)
            let left = Observable.combine(source) { $0 + 1 }
            let right = Observable.combine(source) { $0 * 10 }
            nonisolated(unsafe) var runs = 0
            let joined = Observable.combine(left, right, strategy: .settled) { left, right in
                runs += 1
                return "\(left),\(right)"
            }
            var seen: [String] = []
            joined.subscribe { seen.append($0) }
            runs = 0
            source.value = 2
            #expect(seen == ["3,20"])
            #expect(runs == 1)
            source.value = 2
            #expect(runs == 1)
        }

        @Test func `A run loop inside of a handler settles`() throws {
            let output = try BuiltProgram("WeirDialogProgram").output()
            #expect(
                output == """
                    in the dialog: ["2"]
                    in the dialog: ["2", "3"]
                    after it: ["2", "3"]

                    """)
        }

        @Test func `Where every update is answered, the same diamond has a glitch`() {
            let source = Observable(1)
            let left = Observable.combine(source) { $0 + 1 }
            let right = Observable.combine(source) { $0 * 10 }
            let joined = Observable.combine(left, right) { "\($0),\($1)" }
            var seen: [String] = []
            joined.subscribe { seen.append($0) }
            source.value = 2
            #expect(seen == ["3,10", "3,20"])
        }

        @Test func `A batch is one turn: one evaluation for many writes`() {
            let first = Observable(1), second = Observable(2)
            let sum = Observable.combine(first, second, strategy: .settled) { $0 + $1 }
            var firsts: [Int] = [], sums: [Int] = []
            first.subscribe { firsts.append($0) }
            sum.subscribe { sums.append($0) }
            batch {
                first.value = 10
                second.value = 20
                first.value = 30
                #expect(first.value == 30)
                #expect(sum.value == 3)
                batch { second.value = 40 }
                #expect(sums.isEmpty)
            }
            #expect(firsts == [30])
            #expect(sums == [70])
        }

        @Test func `A batch that leaves a value as it was delivers nothing`() {
            let number = Observable(1)
            var seen: [Int] = []
            number.subscribe { seen.append($0) }
            batch {
                number.value = 2
                number.value = 1
            }
            #expect(seen.isEmpty)
        }

        @Test func `A subscriber that has received a batch's value does not receive it again at the end`() {
            let (source, other) = (Observable(0), Observable(0))
            var (early, now, doubled, later): ([Int], [Int], [Int], [Int]) = ([], [], [], [])
            source.subscribe { early.append($0) }
            batch {
                source.value = 1
                source.subscribe(initial: true) { now.append($0) }
                source.current.map { $0 * 2 }.subscribe { doubled.append($0) }
            }
            #expect(early == [1] && now == [1] && doubled == [2])
            batch {
                source.value = 2
                source.current.subscribe { later.append($0) }
                source.value = 3
            }
            #expect(early == [1, 3] && now == [1, 3] && later == [2, 3])
            batch {
                source.value = 4
                source.current.subscribe { later.append($0) }
                source.value = 3
            }
            #expect(now == [1, 3, 3] && later == [2, 3, 4, 3, 3])
            var sum: Combiner<Int>?
            var last = 0
            batch {
                source.value = 5
                source.current.subscribe { _ in }
                sum = .combine(source, other) { $0 + $1 }
                sum?.subscribe { last = $0 }
            }
            #expect(sum?.value == 5 && last == 5)
        }

        @Test func `A batch that throws delivers what was written before`() {
            struct Stop: Error {}
            let number = Observable(1)
            var seen: [Int] = []
            number.subscribe { seen.append($0) }
            #expect(throws: Stop.self) {
                try batch {
                    number.value = 2
                    throw Stop()
                }
            }
            #expect(seen == [2])
            number.value = 3
            #expect(seen == [2, 3])
        }

        @Test func `A batch inside of a delivery delivers at its own end; what waits to settle waits for the turn's`() {
            let trigger = Emitter<Void>()
            let first = Observable(0), second = Observable(0)
            let sum = Observable.combine(first, second, strategy: .settled) { $0 + $1 }
            var log: [String] = []
            first.subscribe { log.append("first \($0)") }
            sum.subscribe { log.append("sum \($0)") }
            trigger.subscribe {
                batch {
                    first.value = 1
                    second.value = 2
                    log.append("in batch")
                }
                log.append("after batch")
            }
            trigger.subscribe { log.append("last subscriber") }
            trigger.emit()
            #expect(log == ["in batch", "first 1", "after batch", "last subscriber", "sum 3"])
        }

        @Test func `A command enabled by a settled combiner is settled with it`() {
            let (name, password) = (Observable(""), Observable(""))
            let isValid = Observable.combine(name, password, strategy: .settled) { !$0.isEmpty && !$1.isEmpty }
            let login = Command<Void, Int>(enabledIf: isValid) { .empty() }
            let hint = Observable.combine(name, login.isEnabled, strategy: .settled) { "\($0) \($1)" }
            let hints = Locked<[String]>([])
            hint.subscribe { hint in hints.change { $0.append(hint) } }
            password.value = "p"
            name.value = "a"
            name.value = ""
            #expect(hints.value == ["a true", " false"])
        }

        @Test func `A handler that writes makes a settled combiner evaluate again, and its value is right`() {
            let source = Observable(1), echo = Observable(0)
            let low = Observable.combine(source, echo, strategy: .settled) { $0 * 100 + $1 }
            let high = Observable.combine(low, strategy: .settled) { $0 + 1 }
            high.subscribe { echo.value = min($0, 5) }
            source.value = 2
            #expect(echo.value == 5)
            #expect(low.value == 205)
            #expect(high.value == 206)
        }

        @Test func `A settled feedback loop ends where nothing changes any more`() {
            let source = Observable(1)
            let low = Combiner(0, strategy: .settled), high = Combiner(0, strategy: .settled)
            low.combine(source, high) { min($0 + $1, 50) }
            high.combine(low) { $0 }
            source.value = 3
            #expect(low.value == 50)
            #expect(high.value == 50)
        }

        @Test func `A loop that keeps changing is given up, and the trace says so`() throws {
            var values = 0
            let recording = try record {
                let source = Observable(1)
                let low = Combiner(0, strategy: .settled), high = Combiner(0, strategy: .settled)
                low.combine(source, high) { $0 + $1 }
                high.combine(low) { $0 }
                source.value = 2
                values = low.value
                let before = values
                // The next turn starts afresh.
                source.value = 3
                #expect(low.value > before)
            }
            #expect(values >= 900)
            #expect(recording.events.contains { $0.suppressionReason == .unsettled })
        }

        @Test func `The trace shows what waits, and the settling inside of the turn`() throws {
            final class Model {
                let source = Observable(1)
                lazy var left = Observable.combine(source) { $0 + 1 }
                lazy var right = Observable.combine(source) { $0 * 10 }
                lazy var joined = Observable.combine(left, right, strategy: .settled) { $0 + $1 }
            }
            let recording = try record {
                let model = Model()
                _ = model.joined
                Trace.adopt(model)
                model.joined.subscribe { _ in }
                model.source.value = 2
            }
            let start = recording.story.firstIndex { $0.contains("source = 2") } ?? 0
            #expect(
                recording.story[start...].prefix(16).joined(separator: "\n") == """
                    Model.source = 2
                      to Model.left
                      Model.left = 3
                        to Model.joined
                        Model.joined suppressed: waiting
                        done
                      then Model.right
                      Model.right = 20
                        to Model.joined
                        Model.joined suppressed: waiting
                        done
                      then settling
                      Model.joined = 23
                        to closure
                        done
                      done
                    """)
        }

        @Test func `Combiners that go while they wait do no harm`() {
            let source = Observable(1)
            var left: Combiner<Int>? = Observable.combine(source, strategy: .settled) { $0 + 1 }
            weak let weakLeft = left
            var seen: [Int] = []
            let right = Observable.combine(source, strategy: .settled) { $0 * 2 }
            right.subscribe { seen.append($0) }
            source.subscribe { _ in left = nil }
            source.value = 2
            #expect(weakLeft == nil)
            #expect(left == nil)
            #expect(seen == [4])
        }

        @Test(.timeLimit(.minutes(15))) nonisolated func `Each thread settles its own turns`() {
            let sources = (0..<4).map { _ in Observable(0) }
            let sum = Observable.combine(sources[0], sources[1], sources[2], sources[3], strategy: .settled) {
                $0 + $1 + $2 + $3
            }
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                for number in 1...2000 {
                    batch {
                        sources[index].value = number
                        sources[index].value = number + 1
                    }
                }
            }
            sources[0].value = 0
            #expect(sum.value == 3 * 2001)
        }

        @Test(arguments: Repeats.seeds(200))
        func `On random graphs settled combiners run at most once a turn and end as a recomputation does`(seed: UInt64)
        {
            var random = SeededGenerator(seed: seed)
            let graph = RandomGraph(&random, hasWritingHandlers: false)
            for _ in 0..<30 {
                graph.turn(&random)
                let (values, expected) = (graph.nodes.map(\.value), graph.recomputed)
                #expect(values == expected)
                let runs = zip(graph.runs, graph.isSettled).filter { $1 }.map { $0.0 }
                #expect(runs.allSatisfy { $0 <= 1 }, "\(runs)")
            }
        }

        @Test(arguments: Repeats.seeds(200))
        func `Handlers that write, which the graph cannot know, leave it as a recomputation does`(seed: UInt64) {
            var random = SeededGenerator(seed: 1000 + seed)
            let graph = RandomGraph(&random, hasWritingHandlers: true)
            for _ in 0..<30 {
                graph.turn(&random)
                let (values, expected) = (graph.nodes.map(\.value), graph.recomputed)
                #expect(values == expected)
            }
        }
    }
}

/// Observables and, on top of them, combiners with one to four inputs each, of both strategies.
private final class RandomGraph {
    private var sources: [Observable<Int>] = []
    private(set) var nodes: [ReadOnlyObservable<Int>] = []
    private(set) var isSettled: [Bool] = []
    /// How often each node has run in this turn.
    private(set) var runs: [Int] = []
    private var inputs: [[Int]] = []
    private var factors: [Int] = []

    /// For each node that a handler of another node writes, that other node.
    private var written: [Int: Int] = [:]

    init(_ random: inout SeededGenerator, hasWritingHandlers: Bool) {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let source = Observable(Int.random(in: 0..<5, using: &random))
            sources.append(source)
            append(source, inputs: [], factor: 0, isSettled: false)
        }
        let settledShare = Double.random(in: 0.3...1, using: &random)
        for _ in 0..<Int.random(in: 1...25, using: &random) {
            if hasWritingHandlers, Int.random(in: 0..<4, using: &random) == 0 {
                appendWritten(by: Int.random(in: 0..<nodes.count, using: &random))
                continue
            }
            let count = Int.random(in: 1...4, using: &random)
            // Prefers near nodes, so that the graph is deep.
            let from = max(0, nodes.count - 8)
            let inputs = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? Int.random(in: from..<nodes.count, using: &random)
                    : Int.random(in: 0..<nodes.count, using: &random)
            }
            let isSettled = Double.random(in: 0..<1, using: &random) < settledShare
            let factor = Int.random(in: 1...6, using: &random)
            append(combine(inputs, factor, isSettled), inputs: inputs, factor: factor, isSettled: isSettled)
        }
        // Handlers must not change the result.
        for node in nodes where Bool.random(using: &random) { node.subscribe { _ in } }
    }

    private func append(_ node: ReadOnlyObservable<Int>, inputs: [Int], factor: Int, isSettled: Bool) {
        nodes.append(node)
        self.inputs.append(inputs)
        factors.append(factor)
        self.isSettled.append(isSettled)
        runs.append(0)
    }

    private func appendWritten(by writer: Int) {
        let node = Observable(nodes[writer].value)
        nodes[writer].subscribe { node.value = $0 }
        written[nodes.count] = writer
        append(node, inputs: [], factor: 0, isSettled: false)
    }

    private func combine(_ inputs: [Int], _ factor: Int, _ isSettled: Bool) -> ReadOnlyObservable<Int> {
        let index = nodes.count
        let all = inputs.map { nodes[$0] }
        let strategy: CombineStrategy = isSettled ? .settled : .every
        // Each graph is used by one thread.
        nonisolated(unsafe) let graph = self
        @Sendable func run(_ values: [Int]) -> Int {
            if graph.runs.indices.contains(index) { graph.runs[index] += 1 }
            return Self.compute(values, factor)
        }
        switch all.count {
        case 1: return .combine(all[0], strategy: strategy) { run([$0]) }
        case 2: return .combine(all[0], all[1], strategy: strategy) { run([$0, $1]) }
        case 3: return .combine(all[0], all[1], all[2], strategy: strategy) { run([$0, $1, $2]) }
        default: return .combine(all[0], all[1], all[2], all[3], strategy: strategy) { run([$0, $1, $2, $3]) }
        }
    }

    /// Only a few different results, so that many evaluations change nothing.
    private static func compute(_ values: [Int], _ factor: Int) -> Int {
        values.reduce(factor) { ($0 &* 7 &+ $1 &* factor) % 11 }
    }

    /// A single write, or a batch of several.
    func turn(_ random: inout SeededGenerator) {
        runs = runs.map { _ in 0 }
        if Bool.random(using: &random) {
            write(&random)
        } else {
            batch {
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        batch { write(&random) }
                    } else {
                        write(&random)
                    }
                }
            }
        }
    }

    private func write(_ random: inout SeededGenerator) {
        sources.randomElement(using: &random)?.value = Int.random(in: 0..<5, using: &random)
    }

    /// The value of each node if all were recomputed, inputs first.
    var recomputed: [Int] {
        var values: [Int] = []
        for index in nodes.indices {
            if let writer = written[index] {
                values.append(values[writer])
            } else if inputs[index].isEmpty {
                values.append(nodes[index].value)
            } else {
                values.append(Self.compute(inputs[index].map { values[$0] }, factors[index]))
            }
        }
        return values
    }
}
