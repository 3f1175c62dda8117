import Testing
import Weir
import WeirTrace

extension Everything {
    /// Regression tests for hangs, lost and duplicate values, leaks and false reports.
    @MainActor @Suite struct EdgeCaseTests {
        @Test(.timeLimit(.minutes(15))) func `A channel of values that do not equal themselves comes to rest`() {
            let number = Observable(1.0)
            let channel = Channel(number)
            var heard = 0
            channel.view.subscribe { _ in heard += 1 }
            number.value = .nan
            #expect(heard == 2)
            var first = 0
            Channel(Observable(Double.nan)).view.subscribe { _ in first += 1 }
            #expect(first == 1)
        }

        struct Fix: Equatable {
            var speed = Double.nan
            var count = 0
        }

        @Test func `A value that contains NaN still changes where another part changes`() {
            let fix = Observable(Fix())
            let copy = Observable(Fix(speed: 1))
            let field = Observable(Fix(speed: 1))
            let channel = Channel(fix)
            channel.view.bind(to: field)
            fix.bind(to: copy)
            let doubled = Observable.combine(fix) { Fix(count: $0.count * 2) }
            var heard: [Int] = []
            fix.subscribe { heard.append($0.count) }
            fix.value.count = 1
            fix.value = Fix(count: 1)
            fix.value.count = 2
            channel.view.send(Fix(count: 3))
            #expect(heard == [1, 2, 3])
            #expect(copy.value.count == 3)
            #expect(doubled.value.count == 6)
            #expect(field.value.count == 2)

            let speeds = ObservableArray([Double.nan])
            var counts: [Int] = []
            speeds.subscribe { counts.append($0.count) }
            speeds.append(1)
            speeds.append(.nan)
            #expect(counts == [2, 3])
        }

        @Test(.timeLimit(.minutes(15))) func `Values that contain NaN do not keep bound observables busy`() {
            func bindBothWays<Value>(_ one: Value, _ other: Value, _ copy: @escaping @Sendable (Value) -> Value)
                -> Value
            {
                let (first, second) = (Observable(other), Observable(other))
                first.map { copy($0) }.bind(to: second)
                second.map { copy($0) }.bind(to: first)
                first.value = one
                return second.value
            }
            #expect(bindBothWays(.nan, Float(1)) { $0 }.isNaN)
            #expect(bindBothWays(.nan, Double?.none) { $0 }?.isNaN == true)
            #expect(bindBothWays([1, .nan], [Double]()) { $0.map { -$0 } }.count == 2)
            #expect(bindBothWays(["a": .nan], [String: Double]()) { $0.mapValues { -$0 } }.count == 1)
            #expect(bindBothWays(Fix(), Fix(speed: 1)) { Fix(count: $0.count) }.speed.isNaN)
        }

        @Test func `What the closure of onEvent emits follows what it handles`() {
            let number = Emitter<Int>()
            let heard = Locked<[String]>([])
            let handled = number.onEvent {
                if case .next(1) = $0 {
                    number.emit(2)
                    number.emit(3)
                    number.complete()
                }
                let event = $0
                heard.change { $0.append("handled \(event)") }
            }
            handled.subscribeEvents { event in heard.change { $0.append("\(event)") } }
            number.emit(1)
            let events = ["next(1)", "next(2)", "next(3)", "completed"]
            #expect(heard.value == events.flatMap { ["handled \($0)", $0] })

            let level = Observable(0)
            let shown = Observable(0)
            level.onEvent { if case .next(5) = $0 { level.value = 4 } }.bind(to: shown)
            level.value = 5
            #expect(level.value == 4)
            #expect(shown.value == 4)
        }

        @Test func `What waits for the closure of onEvent is dropped by a disposal`() {
            let number = Emitter<Int>()
            let subscription = Locked<Disposable?>(nil)
            let heard = Locked<[Int]>([])
            let handled = number.onEvent {
                if case .next(1) = $0 { number.emit(2) }
                heard.change { $0.append(0) }
            }
            let disposable = handled.subscribe { value in
                heard.change { $0.append(value) }
                subscription.value?.dispose()
            }
            subscription.change { $0 = disposable }
            number.emit(1)
            #expect(heard.value == [0, 1])
        }

        @Test(arguments: [FlattenStrategy.merge, .concat, .latest])
        func `A cancelled execution does not end those after it`(strategy: FlattenStrategy) {
            let command = Command<Int, Int> { number in
                Signal { subscriber in
                    if number > 1 {
                        subscriber.next(number)
                        subscriber.complete()
                    }
                    return nil
                }
            }
            var heard: [Int] = []
            command.executions.flatten(strategy).subscribe { heard.append($0) }
            command.execute(1).cancel()
            command.execute(2)
            #expect(heard == [2])
        }

        @Test func `A merge completes though one of its signals was cancelled`() {
            let outer = Emitter<Signal<Int>>()
            var hasCompleted = false
            outer.flatten(.merge).subscribeEvents { if case .completed = $0 { hasCompleted = true } }
            let command = Command<Int, Int> { _ in .never() }
            let execution = command.execute(1)
            outer.emit(execution)
            outer.complete()
            #expect(!hasCompleted)
            execution.cancel()
            #expect(hasCompleted)
        }

        @Test func `The errors of a private command are private`() throws {
            struct Failure: Error, CustomStringConvertible {
                let description: String
            }
            let recording = try record(values: .described()) {
                let command = Command<String, String>(privacy: .private) { input in
                    Signal(privacy: .private) {
                        $0.fail(Failure(description: "no user SECRET-\(input)"))
                        return nil
                    }
                }
                command.errors.subscribe { _ in }
                command.execute("hunter2")
            }
            #expect(recording.events.contains { $0.kind == .failed })
            #expect(!recording.events.contains { "\($0.value)".contains("SECRET") || "\($0.value)".contains("hunter") })
        }

        @Test func `What a handler wrote at the end of a batch is not delivered again`() {
            let first = Observable(0), second = Observable(0)
            var heard: [Int] = []
            first.subscribe { _ in second.value = 2 }
            second.subscribe { heard.append($0) }
            batch {
                first.value = 1
                second.value = 1
            }
            #expect(heard == [2])
            batch { second.value = 3 }
            #expect(heard == [2, 3])
        }

        @Test func `An execution that is over holds no handler`() {
            final class Token {}
            let execution = Command<Int, Int> { .just($0) }.execute(1)
            weak var held: Token?
            do {
                let token = Token()
                held = token
                execution.subscribeEvents { _ in withExtendedLifetime(token) {} }
            }
            #expect(held == nil)
            withExtendedLifetime(execution) {}
        }

        @Test(.timeLimit(.minutes(15))) func `Privacy passes through many diamonds in no time`() throws {
            let recording = try record {
                let source = Emitter<Int>()
                var signal: Signal<Int> = source.flatMap(.latest) { Signal.just($0, privacy: .private) }.share()
                for _ in 0..<40 { signal = signal.zip(signal) { first, _ in first }.share() }
                var heard: [Int] = []
                signal.subscribe { heard.append($0) }
                source.emit(77)
                #expect(heard == [77])
            }
            #expect(recording.events.count { $0.value == .signed(77) } == 1)
        }
    }
}
