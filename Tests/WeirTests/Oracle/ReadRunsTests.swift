import Synchronization
import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

extension OracleTests {
    /// Each value of an operator is new, and the program remembers what was read for it.
    @Test func `the inputs of a run of an operator are the values that it has read`() async throws {
        var (compared, unknown, paired, several) = (0, 0, 0, 0)
        for seed in Repeats.seeds(60) {
            let (program, reads) = try await RecorderTurn.take {
                let flow = RunningFlow(seed: seed)
                let program = try RandomProgram(seed: seed, values: .scalars, clock: VirtualClock()) { flow.run() }
                return (program, flow.reads.withLock { $0 })
            }
            let timeline = try Timeline(program.reader)
            let emissions = program.events.filter { $0.kind == .emitted && !$0.isReplayed }
            let steps = timeline.causeSteps(of: emissions.map(\.id))
            for event in emissions {
                guard case .signed(let value) = event.value, let read = reads[Int(value)]?[event.subject.kind(program)],
                    let step = steps[event.id]?.step
                else { continue }
                compared += 1
                paired += step.inputs.count { $0.role == .paired }
                if timeline.topology.place(ofNode: event.subject).map({ timeline.topology.outputs[$0].count > 1 })
                    == true
                {
                    several += 1
                }
                // Some inputs of runs that began before the recording are not told apart.
                let division = timeline.topology.place(ofNode: event.subject).map(timeline.topology.runs.division)
                let isHidden = division == .unknown || step.inputs.contains { $0.role == .unknown }
                if isHidden { unknown += 1 }
                // An input that delivered only before the recording is not in the trace.
                let isOlder = seed % 3 == 0
                let found = step.inputs.filter { $0.role != .unknown }.map(\.value)
                let expected = read.map { TraceValue.signed(Int64($0)) }
                let isRight =
                    found.allSatisfy(expected.contains) && (isHidden || isOlder || found.count == expected.count)
                if !isRight {
                    let kind = event.subject.kind(program)
                    Issue.record("seed \(seed), \(event.id), \(kind ?? .source): \(step.inputs), but \(read)")
                    break
                }
            }
        }
        #expect(
            compared > Repeats.count(2000) && paired > Repeats.count(100) && several > Repeats.count(500)
                && unknown > Repeats.count(5),
            "\(compared) were compared, \(several) of nodes with several runs; \(paired) were paired, \(unknown) unknown"
        )
    }
}

extension UInt32 {
    fileprivate func kind(_ program: RandomProgram) -> NodeKind? { program.definitions.nodes[self]?.kind }
}

/// Operators with one subscriber or several, some of them older than the recording, on one thread.
private final class RunningFlow: Sendable {
    /// The inputs read, by the value computed from them and the kind of the operator.
    let reads = Mutex<[Int: [NodeKind?: [Int]]]>([:])
    private let last = Mutex(0)
    private let random: Mutex<SeededGenerator>
    private let emitters = (0..<3).map { _ in Emitter<Int>() }
    private let signals = Mutex<[Signal<Int>]>([])
    private let subscriptions = Mutex<[Disposable]>([])
    private let scheduler = ManualScheduler()
    private let nested = Mutex(0)

    init(seed: UInt64) {
        random = Mutex(SeededGenerator(seed: seed &* 91 &+ 17))
        signals.withLock { $0 = emitters }
        // Every third program begins before the recording.
        if seed % 3 == 0 { for _ in 0..<12 { act() } }
    }

    func run() {
        for _ in 0..<4 { make() }
        for _ in 0..<number(20...50) { act() }
        for disposable in subscriptions.withLock({ $0 }) { disposable.dispose() }
    }

    private func act() {
        switch number(0...15) {
        case 0: make()
        case 1, 2: subscribe()
        case 3: if number(0...2) == 0, let old = subscriptions.withLock({ $0.randomElement() }) { old.dispose() }
        case 4: scheduler.advance(by: UInt64(number(1...60)))
        default: emit()
        }
    }

    private func emit() {
        guard nested.withLock({ $0 }) < 2 else { return }
        nested.withLock { $0 += 1 }
        emitters[number(0...2)].emit(new(.emitter, []))
        nested.withLock { $0 -= 1 }
    }

    private func make() {
        guard signals.withLock({ $0.count }) < 12 else { return }
        let (a, b, c) = (signal(), signal(), signal())
        let made: Signal<Int> =
            switch number(0...9) {
            case 0, 1: a.map { [self] in new(.map, [$0]) }
            case 2, 3: a.zip(b) { [self] in new(.zip, [$0, $1]) }
            case 4: a.zip(b, c) { [self] in new(.zip, [$0, $1, $2]) }
            case 5: a.combineLatest(b) { [self] in new(.combineLatest, [$0, $1]) }
            case 6: a.withLatest(from: b) { [self] in new(.withLatest, [$0, $1]) }
            case 7: a.flatMap(.latest) { [self] outer in opened(by: outer, b) }
            // Merged signals add up: not behind each other.
            case 8:
                emitters[number(0...2)].flatMap(number(0...1) == 0 ? .merge : .concat) { [self] outer in
                    opened(by: outer, emitters[outer % 3]).take(1)
                }
            default:
                a.map { [self] in
                    let value = new(.map, [$0])
                    reads.withLock { $0[value]?[.debounce] = [value] }
                    return value
                }.debounce(.nanoseconds(20), on: scheduler)
            }
        signals.withLock { $0.append(made) }
        for _ in 0..<number(1...2) { subscribe(to: made) }
    }

    /// The signal of a flatMap, which records the value that began it.
    private func opened(by outer: Int, _ signal: Signal<Int>) -> Signal<Int> {
        signal.map { [self] in
            let value = new(.map, [$0])
            reads.withLock { $0[value]?[.flatMap] = [value, outer] }
            return value
        }
    }

    private func subscribe() { subscribe(to: signal()) }

    private func subscribe(to signal: Signal<Int>) {
        guard subscriptions.withLock({ $0.count }) < 12 else { return }
        let isActing = number(0...5) == 0
        let token = signal.subscribe { [self] _ in if isActing, number(0...1) == 0 { emit() } }
        subscriptions.withLock { $0.append(token) }
    }

    private func signal() -> Signal<Int> {
        let place = number(0...1_000_000)
        return signals.withLock { $0[place % $0.count] }
    }

    private func new(_ kind: NodeKind, _ read: [Int]) -> Int {
        let value = last.withLock {
            $0 += 1
            return $0
        }
        reads.withLock { $0[value] = [kind: read] }
        return value
    }

    private func number(_ range: ClosedRange<Int>) -> Int { random.withLock { Int.random(in: range, using: &$0) } }
}
