import Dispatch
import Foundation
import Testing
import Weir
import WeirAnalysis
import WeirTesting
import WeirTrace

@testable import WeirHeap

/// A walk sees the core's raw pointers, each reference once. Otherwise their targets would be reported as held by something
/// unknown, or as garbage although they are alive.
extension Everything {
    @MainActor @Suite struct CoreWalkTests {
        private struct Refused: Error {}

        private struct Shredder: TextOutputStream {
            mutating func write(_ text: String) {}
        }

        /// Holds an active part of every operator and binding.
        @MainActor private final class Garden {
            let (number, other, flag) = (Observable(0), Observable(10), Observable(true))
            let (text, taps) = (Observable(""), Emitter<Int>())
            let time = VirtualScheduler()
            let queue = QueueScheduler(DispatchQueue(label: "garden"))
            var nodes: [AnyObject] = []
            var links: [Disposable] = []
            let bag = DisposeBag()

            func plant<Value>(_ signal: Signal<Value>) {
                nodes.append(signal)
                links.append(signal.subscribe { _ in })
                signal.subscribeEvents { _ in }.disposed(by: bag)
                links.append(signal.subscribe { [weak self] _ in _ = self?.links.count })
            }
        }

        /// A walk from the garden: the number of Weir's own objects, and those whose references it does not fully see.
        private func unseen(from garden: Garden, _ walker: HeapWalker) -> (count: Int, unseen: [String]) {
            let root = UInt(bitPattern: Unmanaged.passUnretained(garden).toOpaque())
            let (graph, _) = walker.walk(from: [root])
            var found = [Int](repeating: 0, count: graph.count)
            for target in graph.targets { found[Int(target)] += 1 }
            var (count, unseen): (Int, [String]) = (0, [])
            for place in 0..<graph.count
            where graph.traits[place].contains(.isInternal) && graph.strongCounts[place] < .max {
                count += 1
                let outside = Int(graph.strongCounts[place]) - found[place]
                let type = walker.typeName(of: graph.addresses[place])
                if outside != 0 { unseen.append("\(type): \(outside)") }
            }
            return (count, unseen)
        }

        private func expectAllSeen(
            _ garden: Garden, atLeast count: Int, _ walker: HeapWalker, _ place: SourceLocation = #_sourceLocation
        ) {
            let seen = unseen(from: garden, walker)
            #expect(seen.unseen == [], sourceLocation: place)
            #expect(seen.count >= count, sourceLocation: place)
        }

        @inline(never)
        private func plantSimple(_ garden: Garden) {
            let number = garden.number
            garden.plant(number)
            garden.plant(number.map { $0 + 1 })
            garden.plant(number.compactMap { $0 > 1 ? $0 : nil })
            garden.plant(number.filter { $0 > 1 })
            garden.plant(number.removeDuplicates())
            garden.plant(number.scan(0) { $0 + $1 })
            garden.plant(number.skip(1).take(9))
            garden.plant(number.reduce(0) { $0 + $1 })
            garden.plant(number.collect())
            garden.plant(number.last())
            garden.plant(number.print("garden", to: Shredder()))
            garden.plant(number.retry(if: { _ in true }))
            garden.plant(number.startWith(7))
            garden.plant(number.onEvent { _ in })
            garden.plant(number.materialize().dematerialize())
            garden.plant(number.buffer(count: 3))
            garden.plant(number.retry(2).catch { _ in .just(1) })
            garden.plant(number.disclosed())
            garden.plant(number.map { $0 * 2 }.filter { $0 > 0 }.map { -$0 }.share())
            garden.plant(number.map { $0 * 2 }.replay(2))
            garden.plant(Signal<Int>.just(1).merge(number))
            garden.plant(
                Signal<Int> { subscriber in
                    subscriber.next(1)
                    return Disposable {}
                })
        }

        @inline(never)
        private func plantSeveral(_ garden: Garden) {
            let (number, other, taps) = (garden.number, garden.other, garden.taps)
            garden.plant(number.combineLatest(other))
            garden.plant(number.zip(other))
            garden.plant(number.merge(other))
            garden.plant(number.race(other))
            garden.plant(Signal<Int>.zip([number, other]))
            garden.plant(Signal<Int>.combineLatest([number, other]))
            let multicast = number.multicast(through: Emitter())
            garden.plant(multicast)
            garden.links.append(multicast.connect())
            garden.plant(number.flatMap(.first) { _ in Signal<Int>.never() })
            garden.plant(number.concat(other))
            garden.plant(number.withLatest(from: other))
            garden.plant(number.sample(on: taps))
            garden.plant(number.takeUntil(taps.filter { $0 > 9 }))
            garden.plant(number.skipUntil(taps))
            garden.plant(number.flatMap(.merge) { _ in Signal<Int>.never() })
            garden.plant(number.flatMap(.concat) { _ in Signal<Int>.never() })
            garden.plant(number.flatMap(.latest) { _ in Signal<Int>.never() })
            garden.plant(Observable.combine(number, other) { $0 + $1 })
            garden.plant(Observable.combine(number, other, strategy: .settled) { $0 + $1 })
            garden.plant(Observable.combine(number, other, strategy: .all) { $0 + $1 })
            let (first, second) = (Combiner(false), Combiner(false))
            first.combine(number, second) { $0 > 1 && $1 }
            second.combine(first, other) { $0 && $1 > 1 }
            garden.plant(first)
            garden.plant(second)
        }

        @inline(never)
        private func plantTimed(_ garden: Garden) { plantTimed(garden, on: garden.time) }

        /// A virtual scheduler and its pending work hold each other; the contents of a queue are invisible.
        @inline(never)
        private func plantQueued(_ garden: Garden) { plantTimed(garden, on: garden.queue) }

        @inline(never)
        private func plantTimed(_ garden: Garden, on time: some Scheduler) {
            let number = garden.number
            let second = DispatchTimeInterval.seconds(1)
            garden.plant(number.debounce(second, on: time))
            garden.plant(number.throttle(second, on: time))
            garden.plant(number.delay(second, on: time))
            garden.plant(number.timeout(second, on: time))
            garden.plant(number.timeout(second, on: time) { .just(1) })
            garden.plant(number.sample(every: second, on: time))
            garden.plant(number.buffer(time: second, on: time))
            garden.plant(number.deliver(on: time))
            garden.plant(number.retry(after: .constant(second), on: time))
            garden.plant(number.map { _ in throw Refused() }.retry(after: .constant(second), on: time))
            garden.plant(number.subscribe(on: time))
            garden.plant(Signal<Int>.interval(second, on: time))
            garden.plant(Signal<Void>.timer(second, on: time))
        }

        @inline(never)
        private func plantBindings(_ garden: Garden) {
            let list = ObservableArray([1, 2])
            garden.plant(list)
            garden.plant(list.changes())
            garden.plant(list.differences())
            let observer = Observer<Int> { _ in }
            observer.subscribe(to: garden.number)
            garden.nodes.append(observer)
            garden.links.append(garden.number.bind(to: garden.other))
            let channel = Channel(garden.text)
            garden.nodes += [channel.model, channel.view]
            garden.plant(channel.view)
            let never = Signal<Int> { _ in nil }
            let command = Command<Int, Int>(enabledIf: garden.flag) { _ in never }
            garden.nodes.append(command)
            garden.plant(command.values)
            garden.plant(command.errors)
            garden.plant(command.isEnabled)
            garden.nodes.append(command.execute(1))
            list.append(3)
        }

        @inline(never)
        private func use(_ garden: Garden) {
            for value in 1...3 {
                garden.number.value = value
                garden.other.value = value * 100
                garden.taps.emit(value)
                garden.text.value = "\(value)"
            }
        }

        /// The findings in a correct program while all of it is active.
        private func findings(_ plant: (Garden) -> Void) throws -> [String] {
            let file = try TemporaryTrace()
            let garden = Garden()
            try Trace.start(writingTo: file.path)
            do {
                defer { Trace.stop() }
                plant(garden)
                use(garden)
                Trace.track(garden)
                Trace.checkpoint("at work")
                garden.bag.dispose()
                garden.links.forEach { $0.dispose() }
            }
            let snapshot = try #require(try TraceReader(path: file.path).snapshot(1))
            #expect(snapshot.objects.count > 50 && snapshot.limitations.allSatisfy { $0.reason != .tooManyReferences })
            return LeakFindings(snapshot).found.map { finding in
                guard case .cycle(let place) = finding.example else { return "\(finding.rule) \(finding.example)" }
                let way = snapshot.cycles[place].references.map { place in
                    let reference = snapshot.references[Int(place)]
                    return snapshot.objects[Int(reference.source)].type + reference.label
                }
                return "\(finding.rule) \(finding.severity): \(way)"
            }
        }

        private func check(_ count: Int, _ plant: (Garden) -> Void) {
            let (garden, walker) = (Garden(), HeapWalker())
            plant(garden)
            expectAllSeen(garden, atLeast: count, walker)
            use(garden)
            expectAllSeen(garden, atLeast: count, walker)
            garden.time.advance(by: .milliseconds(1500))
            expectAllSeen(garden, atLeast: count, walker)
            garden.bag.dispose()
            expectAllSeen(garden, atLeast: count / 2, walker)
        }

        @Test func `Operators on one source`() throws {
            check(100, plantSimple)
            _ = try record { check(100, plantSimple) }
        }

        @Test func `Operators on several sources`() throws {
            check(100, plantSeveral)
            _ = try record { check(100, plantSeveral) }
        }

        @Test func `Operators that wait`() throws {
            check(80, plantTimed)
            _ = try record { check(80, plantTimed) }
        }

        @Test func `Bindings and commands`() throws {
            check(50, plantBindings)
            _ = try record { check(50, plantBindings) }
        }

        @Test func `Of operators and bindings at work no cycle is reported`() throws {
            for plant in [plantSimple, plantSeveral, plantQueued, plantBindings] {
                // The objects here are alive: garbage was left behind by other tests of this process.
                let findings = try findings(plant).filter { !$0.hasPrefix("retainCycle") }
                #expect(findings == [])
            }
        }

        @Test func `The labels of what raw pointers hold`() throws {
            let number = Observable(0)
            let shown = number.map { $0 + 1 }
            var links: [Disposable] = []
            func labels(_ object: AnyObject) -> [String] {
                HeapWalker().references(of: UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
                    .filter { $0.ownership == .strong }.map(\.label).filter {
                        $0.contains("subscriptions") || $0.contains("ident")
                    }
            }
            _ = try record {
                links = [number.subscribe { _ in }, shown.subscribe { _ in }, number.subscribe { _ in }]
                links[0].dispose()
                #expect(labels(number) == [".subscriptions[1]", ".subscriptions[2]"])
                #expect(labels(shown) == [".identity"])
            }
        }
    }
}
