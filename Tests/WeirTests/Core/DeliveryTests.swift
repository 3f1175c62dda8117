import Testing
import Weir

/// Tests handlers that write, subscribe and dispose.
extension Everything {
    @MainActor @Suite struct DeliveryTests {
        final class Token {}

        @Test func `A write from a handler is delivered first, and the interrupted delivery stops`() {
            let number = Observable(0)
            var heard: [String] = []
            number.subscribe { if $0 == 1 { number.value = 2 } }
            number.subscribe { heard.append("b\($0)") }
            number.subscribe { heard.append("c\($0)") }
            number.value = 1
            #expect(heard == ["b2", "c2"])
            #expect(number.value == 2)
            number.checkInvariants()
        }

        @Test func `An emitter's events reach each subscriber in the order of emission`() {
            let event = Emitter<Int>()
            var heard: [Int] = []
            event.subscribe { if $0 == 1 { event.emit(2) } }
            event.subscribe { heard.append($0) }
            event.emit(1)
            #expect(heard == [1, 2])
        }

        @Test func `Who subscribes during a delivery hears from the next emission on`() {
            let number = Observable(0)
            var heard: [Int] = []
            var subscribed = false
            number.subscribe { _ in
                guard !subscribed else { return }
                subscribed = true
                // Enough to make the list grow during the iteration.
                for _ in 0..<20 { number.subscribe { heard.append($0) } }
            }
            number.value = 1
            #expect(heard.isEmpty)
            number.value = 2
            #expect(heard == Array(repeating: 2, count: 20))
            number.checkInvariants()
        }

        @Test func `Who is disposed during a delivery hears nothing more of it`() {
            let number = Observable(0)
            var heard: [String] = []
            let own = Holder()
            let later = Holder()
            own.disposable = number.subscribe { _ in
                heard.append("a")
                own.disposable?.dispose()
                later.disposable?.dispose()
            }
            later.disposable = number.subscribe { _ in heard.append("b") }
            number.subscribe { _ in heard.append("c") }
            number.value = 1
            number.value = 2
            #expect(heard == ["a", "c", "c"])
            number.checkInvariants()
        }

        final class Holder { var disposable: Disposable? }

        /// A value whose `==` runs code once: what another thread does meanwhile, in a fixed order.
        private struct Compared: Equatable, Sendable {
            let number: Int
            static let meanwhile = Locked<(@Sendable () -> Void)?>(nil)

            static func == (left: Compared, right: Compared) -> Bool {
                let isEqual = left.number == right.number
                let work = meanwhile.change { work in
                    defer { work = nil }
                    return work
                }
                work?()
                return isEqual
            }
        }

        @Test func `A value that is written during a comparison is compared again`() {
            let value = Observable(Compared(number: 0))
            let heard = Locked<[Int]>([])
            value.subscribe { new in heard.change { $0.append(new.number) } }
            Compared.meanwhile.change { $0 = { value.value = Compared(number: 1) } }
            value.value = Compared(number: 1)
            #expect(heard.value == [1])
        }

        @Test func `A change during which another value is written is made again, from that value`() {
            let value = Observable(0)
            var runs = 0
            value.modify { number in
                runs += 1
                if runs == 1 { value.value = 10 }
                number += 1
            }
            #expect(runs == 2 && value.value == 11)
        }

        @Test func `Who is disposed after the list has grown during a delivery hears nothing more of it`() {
            let event = Emitter<Int>()
            var heard: [Int] = []
            var last: Disposable?
            event.subscribe { _ in
                // Enough to make the list grow during the iteration, which goes on over the former list.
                for _ in 0..<20 { event.subscribe { _ in } }
                last?.dispose()
            }
            last = event.subscribe { heard.append($0) }
            event.emit(1)
            #expect(heard == [])
        }

        @Test func `Disposal releases the closure at once`() {
            let number = Observable(0)
            weak var captured: Token?
            let disposable: Disposable
            do {
                let token = Token()
                captured = token
                disposable = number.subscribe { _ in withExtendedLifetime(token) {} }
            }
            #expect(captured != nil)
            disposable.dispose()
            #expect(captured == nil)
        }

        @Test func `A closure disposed while it is being called lives until the delivery is over`() {
            let number = Observable(0)
            weak var captured: Token?
            var wasAlive = false
            let holder = Holder()
            do {
                let token = Token()
                captured = token
                holder.disposable = number.subscribe { _ in
                    holder.disposable?.dispose()
                    wasAlive = captured != nil
                    withExtendedLifetime(token) {}
                }
            }
            number.value = 1
            #expect(wasAlive)
            #expect(captured == nil)
        }

        @Test func `A closure whose release writes to the same observable does no harm`() {
            final class Writer {
                let number: Observable<Int>
                init(_ number: Observable<Int>) { self.number = number }
                deinit { number.value = 99 }
            }
            let number = Observable(0)
            var heard: [Int] = []
            number.subscribe { heard.append($0) }
            let holder = Holder()
            do {
                let writer = Writer(number)
                holder.disposable = number.subscribe { _ in
                    withExtendedLifetime(writer) {}
                    holder.disposable?.dispose()
                }
            }
            number.value = 1
            #expect(heard == [1, 99])
            number.checkInvariants()
        }

        @Test func `Disposing is idempotent, and safe when the source is gone`() {
            var heard = 0
            var number: Observable<Int>? = Observable(0)
            let first = number?.subscribe { _ in heard += 1 }
            number?.value = 1
            first?.dispose()
            first?.dispose()
            number?.value = 2
            let second = number?.subscribe { _ in heard += 1 }
            number = nil
            second?.dispose()
            second?.dispose()
            #expect(heard == 1)
        }

        @Test func `A subscription keeps its source alive until it is disposed`() {
            weak var source: Observable<Int>?
            let disposable: Disposable
            do {
                let number = Observable(0)
                source = number
                disposable = number.subscribe { _ in }
            }
            #expect(source != nil)
            disposable.dispose()
            #expect(source == nil)
        }

        @Test func `A bag disposes when it is emptied, and when it is released`() {
            let number = Observable(0)
            var heard: [String] = []
            var bag: DisposeBag? = DisposeBag()
            if let bag { number.subscribe { heard.append("a\($0)") }.disposed(by: bag) }
            number.value = 1
            bag?.dispose()
            number.value = 2
            if let bag { number.subscribe { heard.append("b\($0)") }.disposed(by: bag) }
            number.value = 3
            bag = nil
            number.value = 4
            #expect(heard == ["a1", "b3"])
        }

        @Test func `A disposable of one's own runs its action once`() {
            var count = 0
            let disposable = Disposable { count += 1 }
            disposable.dispose()
            disposable.dispose()
            #expect(count == 1)
        }
    }
}
