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
