import Dispatch
import Testing
import Weir

private struct Broken: Error {}

/// The events that a subscriber heard, as text.
@MainActor private final class Heard<Value> {
    var lines: [String] = []
    func hear(_ event: Event<Value>) {
        switch event {
        case .next(let value): lines.append("\(value)")
        case .failed(let error): lines.append("failed: \(error)")
        case .completed: lines.append("completed")
        }
    }
}

extension Everything {
    @MainActor @Suite struct EndingTests {
        @Test func `All subscribers hear the end, in order, and only the first end`() {
            let emitter = Emitter<Int>()
            var heard: [String] = []
            emitter.subscribeEvents { heard.append("first \($0)") }
            emitter.subscribe { heard.append("plain \($0)") }
            emitter.subscribeEvents { heard.append("second \($0)") }
            emitter.emit(1)
            emitter.complete()
            emitter.fail(Broken())
            emitter.complete()
            emitter.emit(2)
            #expect(
                heard == ["first next(1)", "plain 1", "second next(1)", "first completed", "second completed"])
            emitter.checkInvariants()
        }

        @Test func `A late subscriber hears the end at once, failures too`() {
            let completed = Emitter<Int>()
            let failed = Emitter<Int>()
            completed.complete()
            failed.fail(Broken())
            let (one, two) = (Heard<Int>(), Heard<Int>())
            completed.subscribeEvents(one.hear).dispose()
            failed.subscribeEvents(two.hear)
            #expect(one.lines == ["completed"])
            #expect(two.lines == ["failed: Broken()"])
        }

        @Test func `An end inside a delivery comes after it`() {
            let emitter = Emitter<Int>()
            let (before, after) = (Heard<Int>(), Heard<Int>())
            emitter.subscribeEvents(before.hear)
            emitter.subscribe { if $0 == 2 { emitter.complete() } }
            emitter.subscribeEvents(after.hear)
            emitter.emit(1)
            emitter.emit(2)
            #expect(before.lines == ["1", "2", "completed"])
            #expect(after.lines == ["1", "2", "completed"])
            emitter.checkInvariants()
        }

        @Test func `Who is disposed while others hear the end hears nothing of it`() {
            let emitter = Emitter<Int>()
            var second: Disposable?
            let heard = Heard<Int>()
            emitter.subscribeEvents { _ in second?.dispose() }
            second = emitter.subscribeEvents(heard.hear)
            emitter.complete()
            #expect(heard.lines == [])
        }

        @Test func `A subscriber that arrives while the end is delivered receives it`() {
            let emitter = Emitter<Int>()
            let late = Heard<Int>()
            emitter.subscribeEvents { _ in emitter.subscribeEvents(late.hear) }
            emitter.complete()
            #expect(late.lines == ["completed"])
        }

        @Test func `After the end nothing holds the handlers`() {
            final class Token {}
            let emitter = Emitter<Int>()
            weak var held: Token?
            let subscription: Disposable
            do {
                let token = Token()
                held = token
                subscription = emitter.subscribe { _ in _ = token }
            }
            #expect(held != nil)
            emitter.complete()
            #expect(held == nil)
            subscription.dispose()
        }

        @Test nonisolated func `Of two threads that end an emitter one does, and everybody hears one end`() {
            for _ in 0..<200 {
                let emitter = Emitter<Int>()
                let ends = LockedCounter()
                for _ in 0..<4 {
                    emitter.subscribeEvents { if case .next = $0 {} else { ends.increment() } }
                }
                DispatchQueue.concurrentPerform(iterations: 4) { index in
                    switch index {
                    case 0: emitter.complete()
                    case 1: emitter.fail(Broken())
                    case 2: for number in 0..<20 { emitter.emit(number) }
                    default: emitter.subscribeEvents { if case .next = $0 {} else { ends.increment() } }
                    }
                }
                #expect(ends.value == 5)
                emitter.checkInvariants()
            }
        }

        private final class Source {
            let numbers = Emitter<Int>()
        }

        @Test func `A trace tells an end, whom it reached, and what was dropped after it`() throws {
            let recording = try record {
                let source = Source()
                Trace.adopt(source)
                source.numbers.map { $0 * 2 }.subscribe { _ in }
                source.numbers.emit(1)
                source.numbers.complete()
                source.numbers.emit(2)
                source.numbers.complete()
            }
            let reported = recording.story.filter { !$0.contains("objectTracked") && !$0.contains("Released") }
            let map = recording.definitions.nodes.values.first { $0.kind == .map }?.name ?? "?"
            #expect(
                reported == [
                    "Source.numbers nodeCreated", "start of closure", "start of \(map)",
                    "Source.numbers = 1", "  to \(map)", "  \(map) = 2", "    to closure", "    done", "  done",
                    "Source.numbers completed", "  to \(map)", "  \(map) completed", "    to closure",
                    "    end of closure: completed", "    done", "  end of \(map): completed", "  done",
                    "Source.numbers suppressed: afterCompletion", "Source.numbers suppressed: afterCompletion",
                ])
        }

        @Test func `A trace holds the error of a failure`() throws {
            let recording = try record(values: .described()) {
                let emitter = Emitter<Int>()
                emitter.subscribe { _ in }
                emitter.fail(Broken())
            }
            let errors = recording.events.filter { $0.kind == .failed }.map { "\($0.value)" }
            #expect(errors == ["Broken()"])
        }
    }
}
