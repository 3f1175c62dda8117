import Testing
import Weir

extension Everything {
    @MainActor @Suite struct ObservableTests {
        @Test func `An equal write does not propagate`() {
            let name = Observable("a")
            var heard: [String] = []
            name.subscribe { heard.append($0) }
            name.value = "a"
            name.value = "b"
            name.value = "b"
            #expect(heard == ["b"])
        }

        struct Plain { var number: Int }
        struct Comparable: Equatable { var number: Int }

        @Test func `A value of a type that is not Equatable always propagates`() {
            let plain = Observable(Plain(number: 1))
            var count = 0
            plain.subscribe { _ in count += 1 }
            plain.value = Plain(number: 1)
            plain.value = Plain(number: 1)
            #expect(count == 2)
        }

        @Test func `A user's own Equatable is asked, also inside an optional`() {
            let own = Observable(Comparable(number: 1))
            let optional = Observable<Comparable?>(nil)
            var count = 0
            own.subscribe { _ in count += 1 }
            optional.subscribe { _ in count += 1 }
            own.value = Comparable(number: 1)
            optional.value = nil
            #expect(count == 0)
            own.value = Comparable(number: 2)
            optional.value = Comparable(number: 2)
            optional.value = Comparable(number: 2)
            #expect(count == 2)
        }

        @Test func `Subscribers hear in the order of subscription, after the value has changed`() {
            let number = Observable(0)
            var heard: [String] = []
            number.subscribe { heard.append("first \($0) \(number.value)") }
            number.subscribe { heard.append("second \($0) \(number.value)") }
            number.value = 7
            #expect(heard == ["first 7 7", "second 7 7"])
        }

        @Test func `The initial value is given to those who ask for it`() {
            let number = Observable(3)
            var heard: [Int] = []
            number.subscribe(initial: true) { heard.append($0) }
            number.subscribe(initial: false) { heard.append($0 * 10) }
            number.value = 4
            #expect(heard == [3, 4, 40])
        }

        @Test func `An observer is made first and subscribes to several observables`() {
            var heard: [Int] = []
            let observer = Observer<Int> { heard.append($0) }
            let one = Observable(0)
            let two = Emitter<Int>()
            let toOne = observer.subscribe(to: one)
            observer.subscribe(to: two)
            one.value = 1
            two.emit(2)
            toOne.dispose()
            one.value = 3
            two.emit(4)
            #expect(heard == [1, 2, 4])
        }

        @Test func `An observable holds its observers`() {
            let number = Observable(0)
            var heard = 0
            weak var gone: Observer<Int>?
            do {
                let observer = Observer<Int> { heard = $0 }
                observer.subscribe(to: number)
                gone = observer
            }
            number.value = 5
            #expect(heard == 5)
            #expect(gone != nil)
        }

        @Test func `An emitter emits equal values, and values before anybody listens are gone`() {
            let rolled = Emitter<Int>()
            var heard: [Int] = []
            rolled.emit(1)
            rolled.subscribe { heard.append($0) }
            rolled.emit(2)
            rolled.emit(2)
            #expect(heard == [2, 2])
        }
    }
}
