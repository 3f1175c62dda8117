import Testing
import Weir

extension Everything {
    /// Operators with several sources, compared with naive models on random timelines.
    @MainActor @Suite struct SeveralSourcesOracleTests {
        struct Failure: Error { let source: Int }

        enum Event: Equatable {
            case next(Int), completed, failed, released
        }

        struct Step {
            var source: Int
            var event: Event
        }

        /// A random run: the events of some emitters, and the step at which the subscription is disposed.
        struct Run: CustomTestStringConvertible {
            var steps: [Step]
            var disposal: Int?
            /// Whether the subscription's `Disposable` was dropped, so that an emitter can be released.
            var isDropped: Bool

            init(sources: Int, values: ClosedRange<Int> = 1...9, releases: Bool = true, seed: UInt64) {
                var random = SeededGenerator(seed: seed)
                isDropped = releases && Bool.random(using: &random)
                var open = Array(0..<sources)
                steps = []
                for number in 0..<Int.random(in: 0...20, using: &random) {
                    guard let source = open.randomElement(using: &random) else { break }
                    let event: Event =
                        switch Int.random(in: 0..<40, using: &random) {
                        case 0..<4: .completed
                        case 4: .failed
                        case 5 where isDropped: .released
                        default: .next(values.count < 5 ? values.randomElement(using: &random) ?? 1 : number)
                        }
                    if case .next = event {} else { open.removeAll { $0 == source } }
                    steps.append(Step(source: source, event: event))
                }
                if !isDropped, Int.random(in: 0..<4, using: &random) == 0 {
                    disposal = Int.random(in: 0...steps.count, using: &random)
                }
            }

            var testDescription: String { "\(steps.map { "\($0.source)\($0.event)" }), disposed: \(disposal ?? -1)" }
        }

        /// The steps so far.
        struct Past {
            var steps: ArraySlice<Step>

            /// The values of a source with their times.
            func values(_ source: Int) -> [(time: Int, value: Int)] {
                steps.indices.compactMap {
                    guard steps[$0].source == source, case .next(let value) = steps[$0].event else { return nil }
                    return ($0, value)
                }
            }

            func end(_ source: Int) -> (time: Int, event: Event)? {
                steps.indices.lazy.map { ($0, steps[$0]) }
                    .first {
                        guard $0.1.source == source else { return false }
                        if case .next = $0.1.event { return false } else { return true }
                    }.map { ($0.0, $0.1.event) }
            }

            func hasFailed(_ source: Int) -> Bool { end(source)?.event == .failed }

            /// The end of an operator that ends with the last of `sources`.
            func endOfAll(_ sources: [Int]) -> Event? {
                let ends = sources.compactMap { end($0)?.event }
                if ends.contains(.failed) { return .failed }
                guard ends.count == sources.count else { return nil }
                return ends.contains(.released) ? .released : .completed
            }
        }

        /// The values and the end of an operator after the steps so far.
        typealias Model = (Past) -> (values: [String], end: Event?)

        func expected(_ run: Run, _ model: Model) -> [String] {
            let last = run.disposal ?? run.steps.count
            for count in 0...last {
                let (values, end) = model(Past(steps: run.steps[..<count]))
                switch end {
                case .completed: return values + ["|"]
                case .failed: return values + ["#"]
                case .released: return values
                case .next, nil: if count == last { return values }
                }
            }
            return []
        }

        func actual(_ run: Run, sources: Int, _ make: ([Emitter<Int>]) -> Signal<String>) -> [String] {
            var heard: [String] = []
            var emitters: [Emitter<Int>?] = (0..<sources).map { _ in Emitter<Int>() }
            var token: Disposable? = make(emitters.compactMap { $0 }).subscribeEvents {
                switch $0 {
                case .next(let value): heard.append(value)
                case .completed: heard.append("|")
                case .failed: heard.append("#")
                }
            }
            if run.isDropped { token = nil }
            for (time, step) in run.steps.enumerated() {
                if time == run.disposal { token?.dispose() }
                switch step.event {
                case .next(let value): emitters[step.source]?.emit(value)
                case .completed: emitters[step.source]?.complete()
                case .failed: emitters[step.source]?.fail(Failure(source: step.source))
                case .released: emitters[step.source] = nil
                }
            }
            withExtendedLifetime(token) {}
            return heard
        }

        func check(
            sources: Int, values: ClosedRange<Int> = 1...9, releases: Bool = true, _ model: Model,
            _ make: ([Emitter<Int>]) -> Signal<String>, line: Int = #line, column: Int = #column
        ) {
            var lengths: Set<Int> = []
            for seed in 0..<600 as Range<UInt64> {
                let run = Run(sources: sources, values: values, releases: releases, seed: seed)
                let expected = expected(run, model)
                let actual = actual(run, sources: sources, make)
                lengths.insert(expected.count)
                let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: column)
                #expect(actual == expected, "seed \(seed): \(run.testDescription)", sourceLocation: place)
                if actual != expected { return }
            }
            #expect(lengths.count > 2, "the timelines are all alike")
        }

        @Test func `merge`() {
            check(sources: 3) { past in
                (
                    past.steps.compactMap {
                        if case .next(let value) = $0.event { "\($0.source):\(value)" } else { nil }
                    },
                    past.endOfAll([0, 1, 2])
                )
            } _: { sources in
                Signal<String>.merge(sources.enumerated().map { index, source in source.map { "\(index):\($0)" } })
            }
        }

        @Test func `concat`() {
            check(sources: 3) { past in
                var values: [String] = []
                var turn = -1
                for source in 0...2 {
                    values += past.values(source).filter { $0.time > turn }.map { "\(source):\($0.value)" }
                    guard let end = past.end(source) else { return (values, nil) }
                    if end.event != .completed { return (values, end.event) }
                    turn = max(turn, end.time)
                }
                return (values, .completed)
            } _: { sources in
                Signal<String>.concat(sources.enumerated().map { index, source in source.map { "\(index):\($0)" } })
            }
        }

        func zipped(_ count: Int) -> Model {
            { past in
                let columns = (0..<count).map { past.values($0).map(\.value) }
                let rows = columns.map(\.count).min() ?? 0
                let values = (0..<rows).map { row in columns.map { "\($0[row])" }.joined(separator: "-") }
                if (0..<count).contains(where: past.hasFailed) { return (values, .failed) }
                let exhausted = (0..<count).filter { columns[$0].count == rows && past.end($0) != nil }
                let first = exhausted.min { (past.end($0)?.time ?? 0) < (past.end($1)?.time ?? 0) }
                return (values, first.flatMap { past.end($0)?.event })
            }
        }

        @Test func `zip`() {
            check(sources: 2, zipped(2)) { $0[0].zip($0[1]) { "\($0)-\($1)" } }
            check(sources: 3, zipped(3)) { $0[0].zip($0[1], $0[2]).map { "\($0)-\($1)-\($2)" } }
            check(sources: 4, zipped(4)) {
                $0[0].zip($0[1], $0[2], $0[3]).map { "\($0)-\($1)-\($2)-\($3)" }
            }
        }

        func latest(_ count: Int) -> Model {
            { past in
                var values: [String] = []
                for time in past.steps.indices {
                    guard case .next = past.steps[time].event else { continue }
                    let until = Past(steps: past.steps[...time])
                    let row = (0..<count).compactMap { until.values($0).last?.value }
                    if row.count == count { values.append(row.map { "\($0)" }.joined(separator: "-")) }
                }
                if (0..<count).contains(where: past.hasFailed) { return (values, .failed) }
                let mute = (0..<count).first { past.end($0) != nil && past.values($0).isEmpty }
                return (values, mute.flatMap { past.end($0)?.event } ?? past.endOfAll(Array(0..<count)))
            }
        }

        @Test func `combineLatest`() {
            check(sources: 2, latest(2)) { $0[0].combineLatest($0[1]) { "\($0)-\($1)" } }
            check(sources: 3, latest(3)) { $0[0].combineLatest($0[1], $0[2]).map { "\($0)-\($1)-\($2)" } }
            check(sources: 4, latest(4)) {
                $0[0].combineLatest($0[1], $0[2], $0[3]).map { "\($0)-\($1)-\($2)-\($3)" }
            }
        }

        @Test func `zip and combineLatest of an array`() {
            func joined(_ rows: Signal<[Int]>) -> Signal<String> {
                rows.map { $0.map { "\($0)" }.joined(separator: "-") }
            }
            check(sources: 3, zipped(3)) { joined(Signal<Int>.zip($0)) }
            check(sources: 3, latest(3)) { joined(Signal<Int>.combineLatest($0)) }
        }

        @Test func `race`() {
            check(sources: 3) { past in
                guard let winner = past.steps.first(where: { $0.event != .released })?.source else {
                    return ([], past.steps.count == 3 ? .released : nil)
                }
                return (past.values(winner).map { "\(winner):\($0.value)" }, past.end(winner)?.event)
            } _: { sources in
                Signal<String>.race(sources.enumerated().map { index, source in source.map { "\(index):\($0)" } })
            }
        }

        @Test func `reduce, collect and last`() {
            func model(_ result: @escaping ([Int]) -> String?) -> Model {
                { past in
                    let values = past.values(0).map(\.value)
                    let end = past.end(0)?.event
                    return (end == .completed ? [result(values)].compactMap { $0 } : [], end)
                }
            }
            check(sources: 2, model { "\($0.reduce(0, +))" }) { $0[0].reduce(0, +).map { "\($0)" } }
            check(sources: 2, model { "\($0)" }) { $0[0].collect().map { "\($0)" } }
            check(sources: 2, model { $0.last.map { "\($0)" } }) { $0[0].last().map { "\($0)" } }
            check(sources: 2, model { "\($0.last ?? -1)" }) { $0[0].last(default: -1).map { "\($0)" } }
        }

        @Test func `withLatest`() {
            check(sources: 2) { past in
                let values = past.values(0).compactMap { value -> String? in
                    past.values(1).last { $0.time < value.time }.map { "\(value.value)-\($0.value)" }
                }
                return (values, past.hasFailed(1) ? .failed : past.end(0)?.event)
            } _: {
                $0[0].withLatest(from: $0[1]) { "\($0)-\($1)" }
            }
        }

        @Test func `takeUntil`() {
            check(sources: 2) { past in
                let end: Event? = past.values(1).isEmpty ? past.hasFailed(1) ? .failed : past.end(0)?.event : .completed
                return (past.values(0).map { "\($0.value)" }, end)
            } _: {
                $0[0].takeUntil($0[1]).map { "\($0)" }
            }
        }

        @Test func `skipUntil`() {
            check(sources: 2) { past in
                let opening = past.values(1).first?.time
                let values = past.values(0).filter { $0.time > opening ?? .max }.map { "\($0.value)" }
                return (values, opening == nil && past.hasFailed(1) ? .failed : past.end(0)?.event)
            } _: {
                $0[0].skipUntil($0[1]).map { "\($0)" }
            }
        }

        @Test func `sample(on:)`() {
            check(sources: 2) { past in
                let ticks = past.values(1).map(\.time)
                let values = ticks.indices.compactMap { number in
                    past.values(0).last { (number > 0 ? ticks[number - 1] : -1)..<ticks[number] ~= $0.time }?.value
                }
                return (values.map { "\($0)" }, past.hasFailed(1) ? .failed : past.end(0)?.event)
            } _: {
                $0[0].sample(on: $0[1]).map { "\($0)" }
            }
        }

        // MARK: flatMap: source 0 emits the numbers of the others

        /// The span in which one inner signal of source 0 is subscribed to.
        struct Span {
            var inner: Int
            var begin: Int
            var end: Int
        }

        /// The values inside the spans, as text.
        func heard(_ past: Past, _ spans: [Span]) -> [String] {
            past.steps.indices.flatMap { time -> [String] in
                guard case .next(let value) = past.steps[time].event else { return [] }
                let inner = past.steps[time].source
                return spans.filter { $0.inner == inner && $0.begin < time && time < $0.end }
                    .map { _ in "\(inner):\(value)" }
            }
        }

        func flattened(_ strategy: FlattenStrategy) -> Model {
            { past in
                let arrivals = past.values(0)
                var spans: [Span] = []
                for (number, arrival) in arrivals.enumerated() {
                    switch strategy {
                    case .merge: spans.append(Span(inner: arrival.value, begin: arrival.time, end: .max))
                    case .latest:
                        let next = number + 1 < arrivals.count ? arrivals[number + 1].time : .max
                        spans.append(Span(inner: arrival.value, begin: arrival.time, end: next))
                    case .concat:
                        var begin = arrival.time
                        if let former = spans.last {
                            guard let end = past.end(former.inner) else { break }
                            begin = max(begin, end.time, former.begin)
                        }
                        spans.append(Span(inner: arrival.value, begin: begin, end: .max))
                    case .first:
                        if let former = spans.last {
                            let end = past.end(former.inner).map { max($0.time, former.begin) }
                            guard let end, end < arrival.time else { continue }
                        }
                        spans.append(Span(inner: arrival.value, begin: arrival.time, end: .max))
                    }
                }
                let values = heard(past, spans)
                let hasInnerFailed = spans.contains { span in
                    past.hasFailed(span.inner) && max(span.begin, past.end(span.inner)?.time ?? 0) < span.end
                }
                if past.hasFailed(0) || hasInnerFailed { return (values, .failed) }
                let areOver = spans.allSatisfy { $0.end != .max || past.end($0.inner) != nil }
                let isOver = (strategy == .first || spans.count == arrivals.count) && areOver
                return (values, past.end(0) != nil && isOver ? .completed : nil)
            }
        }

        @Test(arguments: [FlattenStrategy.merge, .latest, .concat, .first])
        func `flatMap`(_ strategy: FlattenStrategy) {
            check(sources: 4, values: 1...3, releases: false, flattened(strategy)) { sources in
                sources[0].flatMap(strategy) { inner in sources[inner].map { "\(inner):\($0)" } }
            }
        }
    }
}
