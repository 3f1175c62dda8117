import Dispatch
import Foundation
import Testing
import Weir

extension Everything {
    @Suite struct ThreadTests {
        final class Counter: @unchecked Sendable {
            private let lock = DispatchSemaphore(value: 1)
            private var number = 0
            func add(_ amount: Int) {
                lock.wait()
                number += amount
                lock.signal()
            }
            var value: Int {
                lock.wait()
                defer { lock.signal() }
                return number
            }
        }

        @Test func `Every event that eight threads emit is delivered`() {
            let event = Emitter<Int>()
            let sum = Counter()
            event.subscribe { sum.add($0) }
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for _ in 0..<2000 { event.emit(1) }
            }
            #expect(sum.value == 16_000)
            event.checkInvariants()
        }

        @Test func `A new subscriber receives each value once while another thread delivers`() {
            let (number, heard) = (Observable(0), Locked<[Int]>([]))
            let (isDelivering, mayGoOn, isOver) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            number.subscribe { value in
                guard value == 1 else { return }
                isDelivering.signal()
                mayGoOn.wait()
            }
            Thread.detachNewThread {
                number.value = 1
                isOver.signal()
            }
            isDelivering.wait()
            number.current.subscribe { value in
                heard.change { $0.append(value) }
                if value < 4 { number.value = value + 1 }
            }
            mayGoOn.signal()
            isOver.wait()
            #expect(heard.value == [1, 2, 3, 4])
            number.value = 5
            #expect(heard.value == [1, 2, 3, 4, 5])
        }

        @Test func `Threads that write, read, subscribe and dispose at once do no harm`() {
            let text = Observable("start")
            let total = Observable.combine(text) { $0.utf8.count }
            let heard = Counter()
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for round in 0..<500 {
                    let disposable = text.subscribe(initial: true) { heard.add($0.isEmpty ? 0 : 1) }
                    // Long enough to be allocated, so that a torn value would crash.
                    text.value = "a value of thread \(thread) in round \(round) that is not short"
                    _ = text.value.utf8.count + total.value
                    disposable.dispose()
                }
            }
            #expect(heard.value >= 4000)
            #expect(text.value.hasSuffix("that is not short"))
            text.checkInvariants()
            total.checkInvariants()
            text.value = "end"
            #expect(total.value == 3)
        }

        @Test func `A value made on one thread and used on another changes hands safely`() {
            for _ in 0..<200 {
                let number = Observable(0)
                let heard = Counter()
                number.subscribe { _ in heard.add(1) }
                let done = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    for value in 1...50 { number.value = value }
                    done.signal()
                }
                for value in 51...100 { number.value = value }
                done.wait()
                #expect(heard.value > 0)
                number.checkInvariants()
            }
        }

        @Test func `A subscriber that comes between another thread's write and a batch hears the batch's value`() {
            let (number, heard) = (Observable(0), Locked(0))
            let (hasBegun, mayGoOn, isOver) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            number.subscribe { value in
                guard value == 121 else { return }
                hasBegun.signal()
                mayGoOn.wait()
            }
            Thread {
                number.value = 121
                isOver.signal()
            }.start()
            hasBegun.wait()
            number.value = 116
            number.subscribe(initial: true) { value in heard.change { $0 = value } }
            batch {
                number.value = 112
                mayGoOn.signal()
                isOver.wait()
            }
            #expect(heard.value == 112)
        }

        @Test func `Of two batches at the same time, the last value is heard`() {
            let (number, heard) = (Observable(1), Locked(1))
            number.subscribe { value in heard.change { $0 = value } }
            let (hasWritten, mayGoOn, isOver) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            batch {
                number.value = 2
                Thread {
                    batch {
                        number.value = 1
                        hasWritten.signal()
                        mayGoOn.wait()
                        number.value = 2
                    }
                    isOver.signal()
                }.start()
                hasWritten.wait()
            }
            mayGoOn.signal()
            isOver.wait()
            #expect(number.value == 2 && heard.value == 2)
        }

        @Test func `What another thread writes during a batch counts, even if it equals what the batch has written`() {
            let (name, field) = (Observable(1), Observable(1))
            name.bind(to: field)
            field.bind(to: name)
            let isOver = DispatchSemaphore(value: 0)
            batch {
                field.value = 0
                Thread {
                    name.value = 0
                    isOver.signal()
                }.start()
                isOver.wait()
                field.value = 2
                field.value = 1
            }
            #expect(name.value == 1 && field.value == 1)
        }

        @Test func `A combiner made on another thread computes from what a batch has written when that is over`() {
            let (price, count) = (Observable(3), Observable(1))
            let heard = Locked<[Int]>([])
            let isOver = DispatchSemaphore(value: 0)
            batch {
                price.value = 100
                Thread {
                    do {
                        let total = Observable.combine(price, count) { $0 * $1 }
                        total.subscribe(initial: true) { value in heard.change { $0.append(value) } }
                        count.value = 2
                    }
                    // The combiner's release is over, too: it would deliver what it finds queued.
                    isOver.signal()
                }.start()
                isOver.wait()
                #expect(heard.value == [3, 6])
            }
            #expect(heard.value == [3, 6, 200])
        }

        @Test func `A subscriber that comes in a batch hears what the batch has written, and what it ends with`() {
            let price = Observable(3)
            let heard = Locked<[Int]>([])
            batch {
                price.value = 100
                price.subscribe(initial: true) { value in heard.change { $0.append(value) } }
                price.value = 3
            }
            #expect(heard.value == [100, 3])
        }

        @Test func `Of the subscribers that come in a batch, each hears what the batch has written once`() {
            let price = Observable(3)
            let heard = Locked<[String]>([])
            batch {
                price.value = 100
                price.subscribe { value in heard.change { $0.append("first \(value)") } }
                price.subscribe(initial: true) { value in heard.change { $0.append("second \(value)") } }
                price.subscribe { value in heard.change { $0.append("third \(value)") } }
                price.subscribe { value in heard.change { $0.append("gone \(value)") } }.dispose()
            }
            #expect(heard.value == ["second 100", "first 100", "third 100"])
            price.value = 1
            #expect(heard.value.dropFirst(3) == ["first 1", "second 1", "third 1"])
        }
    }
}
