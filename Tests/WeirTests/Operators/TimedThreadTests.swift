import Dispatch
import Testing
import Weir
import WeirTesting

/// Timed operators on Dispatch queues; also run under the thread sanitizer.
extension Everything {
    @Suite struct TimedThreadTests {
        /// Notes from several threads, in order.
        final class Notes: @unchecked Sendable {
            private let lock = DispatchSemaphore(value: 1)
            private var notes: [Int] = []
            let done = DispatchSemaphore(value: 0)

            func add(_ note: Int) {
                lock.wait()
                notes.append(note)
                lock.signal()
            }

            var all: [Int] {
                lock.wait()
                defer { lock.signal() }
                return notes
            }
        }

        @Test func `Values hop to a serial queue in order, and the completion comes last`() {
            let queue = DispatchQueue(label: "serial")
            let key = DispatchSpecificKey<Bool>()
            queue.setSpecific(key: key, value: true)
            let source = Emitter<Int>()
            let notes = Notes()
            source.deliver(on: .queue(queue)).subscribeEvents { event in
                switch event {
                case .next(let value): notes.add(DispatchQueue.getSpecific(key: key) == true ? value : -1)
                default: notes.done.signal()
                }
            }
            for value in 0..<5000 { source.emit(value) }
            source.complete()
            #expect(notes.done.wait(timeout: .now() + 900) == .success)
            queue.sync {}
            #expect(notes.all == Array(0..<5000))
        }

        @Test func `Values of several threads all arrive, each thread's in order`() {
            let source = Emitter<Int>()
            let notes = Notes()
            let queue = DispatchQueue(label: "serial")
            source.deliver(on: .queue(queue)).subscribeEvents {
                if case .next(let value) = $0 { notes.add(value) } else { notes.done.signal() }
            }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 0..<1000 { source.emit(thread * 1000 + number) }
            }
            source.complete()
            #expect(notes.done.wait(timeout: .now() + 900) == .success)
            queue.sync {}
            #expect(notes.all.sorted() == Array(0..<4000))
            for thread in 0..<4 {
                let mine = notes.all.filter { $0 / 1000 == thread }
                #expect(mine == mine.sorted())
            }
        }

        @Test func `Disposal races with delivery: nothing comes after it on the same queue`() {
            let queue = DispatchQueue(label: "serial")
            for round in 0..<300 {
                let source = Emitter<Int>()
                let notes = Notes()
                let isDisposed = Notes()
                let signals: [Signal<Int>] = [
                    source.deliver(on: .queue(queue)), source.debounce(.microseconds(50), on: .queue(queue)),
                    source.throttle(.microseconds(50), on: .queue(queue)),
                    source.delay(.microseconds(50), on: .queue(queue)),
                    source.buffer(time: .seconds(0), on: .queue(queue)).map(\.count),
                    source.sample(every: .microseconds(50), on: .queue(queue)),
                    source.timeout(.microseconds(50), on: .queue(queue)),
                ]
                let signal = signals[round % signals.count]
                let subscription = signal.deliver(on: .queue(queue)).subscribe {
                    notes.add(isDisposed.all.isEmpty ? $0 : -1)
                }
                queue.asyncAfter(deadline: .now() + .microseconds(round)) {
                    subscription.dispose()
                    isDisposed.add(1)
                    notes.done.signal()
                }
                for value in 0..<50 { source.emit(value) }
                notes.done.wait()
                for value in 50..<60 { source.emit(value) }
                queue.sync {}
                #expect(!notes.all.contains(-1))
            }
        }

        @Test func `On the main queue, work runs at once only where nothing waits before it`() {
            let notes = Notes()
            DispatchQueue.main.async {
                let source = Emitter<Int>()
                source.deliver(on: .main).subscribe { notes.add($0) }
                source.emit(1)
                notes.add(2)  // 1 came at once
                DispatchQueue.global().sync { source.emit(3) }
                source.emit(4)  // waits behind 3
                notes.add(5)
                DispatchQueue.main.async { notes.done.signal() }
            }
            #expect(notes.done.wait(timeout: .now() + 900) == .success)
            #expect(notes.all == [1, 2, 5, 3, 4])
        }

        @Test func `A debounced burst on a queue comes as its last value`() {
            let source = Emitter<Int>()
            let notes = Notes()
            let queue = DispatchQueue(label: "serial")
            let subscription = source.debounce(.milliseconds(5), on: .queue(queue)).subscribe {
                notes.add($0)
                if $0 == 99 { notes.done.signal() }
            }
            for value in 0..<100 { source.emit(value) }
            #expect(notes.done.wait(timeout: .now() + 900) == .success)
            queue.sync { subscription.dispose() }
            #expect(notes.all.last == 99)
        }

        @Test func `An interval on a queue beats until it is disposed`() {
            let notes = Notes()
            let queue = DispatchQueue(label: "serial")
            let subscription = Signal.interval(.milliseconds(1), on: .queue(queue)).subscribe {
                notes.add($0)
                if $0 == 4 { notes.done.signal() }
            }
            #expect(notes.done.wait(timeout: .now() + 900) == .success)
            queue.sync { subscription.dispose() }
            #expect(notes.all.prefix(5) == [0, 1, 2, 3, 4])
            let count = notes.all.count
            queue.sync {}
            #expect(notes.all.count == count)
        }
    }
}
