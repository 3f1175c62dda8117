import Dispatch
import Observation
import Testing
import Weir
import WeirTesting
import WeirTrace

extension Everything {
    /// Reads of an observable's value inside `withObservationTracking`, as in the body of a SwiftUI view.
    @Suite struct TrackedValueTests {
        /// The number of `onChange` calls.
        private func changes(of read: () -> Void, by change: () -> Void) -> Int {
            let changes = Locked(0)
            withObservationTracking(read) { changes.change { $0 += 1 } }
            change()
            return changes.value
        }

        @Test func `The first different value is announced, once, before it is stored`() {
            let name = Observable("a")
            let seen = Locked<[String]>([])
            withObservationTracking {
                _ = name.value
            } onChange: {
                seen.change { $0.append(name.value) }
            }
            name.value = "a"
            #expect(seen.value == [])
            name.value = "b"
            name.value = "c"
            #expect(seen.value == ["a"])
            #expect(name.value == "c")
        }

        @Test func `A change in one step runs once, also if the value has been read`() {
            let rows = Observable([1])
            var runs = 0
            let changes = changes(of: { _ = rows.value }) {
                rows.modify {
                    runs += 1
                    $0.append(2)
                }
            }
            #expect(changes == 1)
            #expect(runs == 1)
            #expect(rows.value == [1, 2])
        }

        @Test func `A change in one step runs again if the announcement has written`() {
            let rows = Observable([1])
            let hasWritten = Locked(false)
            withObservationTracking {
                _ = rows.value
            } onChange: {
                if !hasWritten.value {
                    hasWritten.change { $0 = true }
                    rows.value = [5]
                }
            }
            rows.modify { $0.append(2) }
            #expect(rows.value == [5, 2])
        }

        @Test func `What is not read, or read outside, is not announced`() {
            let (read, other) = (Observable(0), Observable(0))
            _ = other.value
            #expect(changes(of: { _ = read.value }, by: { other.value = 1 }) == 0)
            #expect(changes(of: {}, by: { read.value = 1 }) == 0)
        }

        @Test func `Every readable value is tracked`() {
            final class Model { @Traced var title = "" }
            let (model, number, pair) = (Model(), Observable(1), Observable((1, 2)))
            let double = Observable.combine(number) { $0 * 2 }
            let writable = WritableCombiner(3)
            writable.combine(number) { $0 * 3 }
            let command = Command<Void, Int>(enabledIf: number.map { $0 < 5 }) { .empty() }
            #expect(changes(of: { _ = number.value }, by: { number.value = 2 }) == 1)
            #expect(changes(of: { _ = number.value }, by: { number.modify { $0 += 1 } }) == 1)
            #expect(changes(of: { _ = pair.value }, by: { pair.value = (1, 2) }) == 1)
            #expect(changes(of: { _ = double.value }, by: { number.value = 4 }) == 1)
            #expect(changes(of: { _ = writable.value }, by: { writable.value = 0 }) == 1)
            #expect(changes(of: { _ = model.title }, by: { model.title = "a" }) == 1)
            #expect(changes(of: { _ = model.title }, by: { model.title.append("b") }) == 1)
            #expect(model.title == "ab")
            #expect(changes(of: { _ = command.isEnabled.value }, by: { number.value = 6 }) == 1)
            #expect(changes(of: { _ = number.value }, by: { batch { number.value = 7 } }) == 1)
        }

        @Test func `A change that throws is announced, and changes nothing`() {
            struct Refused: Error {}
            let number = Observable(1)
            let count = changes(of: { _ = number.value }) {
                #expect(throws: Refused.self) { try number.modify { _ in throw Refused() } }
            }
            #expect(count == 0 && number.value == 1)
        }

        @Test func `After other threads have written during a body, the next change is announced`() {
            for _ in 0..<100 {
                let (number, shown, isDue) = (Observable(0), Locked(-1), Locked(true))
                @Sendable func runIfDue() {
                    let isMine = isDue.change { due in
                        defer { due = false }
                        return due
                    }
                    guard isMine else { return }
                    withObservationTracking {
                        shown.change { $0 = number.value }
                    } onChange: {
                        isDue.change { $0 = true }
                    }
                }
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    for step in 1...50 {
                        if thread == 0 { runIfDue() } else { number.value = thread * 1000 + step }
                    }
                }
                number.value = -2
                runIfDue()
                #expect(shown.value == -2)
            }
        }

        @Test func `Tracking keeps nothing alive`() {
            weak var released: Observable<Int>?
            do {
                let number = Observable(0)
                released = number
                withObservationTracking {
                    _ = number.value
                } onChange: {
                }
                number.value = 1
                withObservationTracking {
                    _ = number.value
                } onChange: {
                }
            }
            #expect(released == nil)
        }

        @Test func `A render is run again by what it reads of an observable`() throws {
            let (number, time) = (Observable(1), VirtualScheduler())
            let shown = Locked<[Int]>([])
            let recording = try record {
                let render = Trace.render("badge", on: time) { shown.change { $0.append(number.value) } }
                number.value = 2
                time.runUntilIdle()
                render.dispose()
            }
            #expect(shown.value == [1, 2])
            #expect(recording.damage.isEmpty)
        }
    }
}
