import Synchronization
import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

extension OracleTests {
    /// Each value of a combiner is new, and the program remembers what was read for it.
    @Test func `the inputs of a combiner are the values that it has read`() async throws {
        var (compared, changed, unchanged) = (0, 0, 0)
        for seed in Repeats.seeds(20) {
            let (program, reads) = try await RecorderTurn.take {
                let flow = ReadingFlow(seed: seed)
                let program = try RandomProgram(seed: seed, values: .scalars, clock: VirtualClock()) { flow.run() }
                return (program, flow.reads.withLock { $0 })
            }
            var state = TraceState(Topology(program.definitions), startTicks: program.reader.header.startTicks)
            var former: [UInt32: [Int]] = [:]
            for event in program.events {
                defer { state.take(event) }
                guard event.kind == .emitted, !event.isReplayed, case .signed(let value) = event.value,
                    let read = reads[Int(value)]
                else { continue }
                let inputs = CauseStep(event, before: state).inputs
                try #require(inputs.count == read.count)
                for (place, input) in inputs.enumerated() where input.role != .written {
                    compared += 1
                    let isNew = former[event.subject].map { $0[place] != read[place] } ?? (read[place] != 0)
                    if input.role == .changed { changed += 1 }
                    if input.role == .tookPart { unchanged += 1 }
                    let isRight = input.role == .triggered || (input.role == .changed) == isNew
                    guard input.value == .signed(Int64(read[place])), isRight else {
                        Issue.record("seed \(seed), \(event.id): \(input), but \(read), before \(former)")
                        return
                    }
                }
                former[event.subject] = read
            }
        }
        #expect(
            compared > Repeats.count(1000) && changed > Repeats.count(50) && unchanged > Repeats.count(250),
            "\(compared) were compared; \(changed) had changed, \(unchanged) had not")
    }
}

/// Combiners of observables and of each other, on one thread; batches, and handlers that write.
private final class ReadingFlow: Sendable {
    /// The inputs read, by the value computed from them.
    let reads = Mutex<[Int: [Int]]>([:])
    private let last = Mutex(0)
    private let random: Mutex<SeededGenerator>

    init(seed: UInt64) { random = Mutex(SeededGenerator(seed: seed &* 77 &+ 13)) }

    func run() {
        let sources = (0..<3).map { _ in Observable(0) }
        var nodes: [ReadOnlyObservable<Int>] = sources
        var disposables: [Disposable] = []
        var shuffler = random.withLock { $0 }
        for _ in 0..<number(2...6) {
            let strategy: CombineStrategy = number(0...2) == 0 ? .settled : .every
            let chosen = nodes.shuffled(using: &shuffler).prefix(number(1...3))
            let node = Combiner(0, strategy: strategy)
            switch (chosen[0], chosen.dropFirst().first, chosen.dropFirst(2).first) {
            case (let a, let b?, let c?): node.combine(a, b, c) { [self] in new([$0, $1, $2]) }
            case (let a, let b?, nil): node.combine(a, b) { [self] in new([$0, $1]) }
            default: node.combine(chosen[0]) { [self] in new([$0]) }
            }
            nodes.append(node)
            if number(0...2) == 0 {
                let target = sources[number(0...2)]
                let isOnce = Mutex(true)
                disposables.append(
                    node.subscribe { [self] _ in
                        let mayWrite = isOnce.withLock { once in
                            defer { once.toggle() }
                            return once
                        }
                        if mayWrite, nested.withLock({ $0 < 2 }) { write(target) }
                    })
            }
        }
        for _ in 0..<number(6...16) {
            switch number(0...3) {
            case 0: batch { for _ in 0..<number(1...4) { write(sources[number(0...2)]) } }
            case 1: Trace.stimulus("some") { for _ in 0..<number(1...3) { write(sources[number(0...2)]) } }
            default: write(sources[number(0...2)])
            }
        }
        for disposable in disposables { disposable.dispose() }
    }

    private let nested = Mutex(0)

    private func write(_ source: Observable<Int>) {
        nested.withLock { $0 += 1 }
        source.value = new(nil)
        nested.withLock { $0 -= 1 }
    }

    private func new(_ read: [Int]?) -> Int {
        let value = last.withLock {
            $0 += 1
            return $0
        }
        if let read { reads.withLock { $0[value] = read } }
        return value
    }

    private func number(_ range: ClosedRange<Int>) -> Int { random.withLock { Int.random(in: range, using: &$0) } }
}
