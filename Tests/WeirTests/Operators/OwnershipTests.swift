import Testing
import Weir

extension Everything {
    /// Ownership in every operator with one source.
    @MainActor @Suite struct OwnershipTests {
        final class Token: Sendable {}

        struct Paper: TextOutputStream {
            let token: Token
            mutating func write(_ text: String) {}
        }

        struct Refusal: Error {}

        /// Each makes a chain of `source` whose closures hold `token`.
        nonisolated(unsafe) static let chains: [(name: String, make: (Signal<Int>, Token) -> Signal<Int>)] = [
            ("removeDuplicates", { source, token in source.removeDuplicates(by: { used(token, $0) }) }),
            ("skip", { source, _ in source.skip(1) }),
            ("startWith", { source, _ in source.startWith(0) }),
            ("materialize", { source, _ in source.materialize().dematerialize() }),
            ("buffer", { source, token in source.buffer(count: 2).map { used(token, $0.count) } }),
            ("onEvent", { source, token in source.onEvent { _ in _ = used(token, 0) } }),
            ("disclosed", { source, _ in source.disclosed() }),
            ("catch", { source, token in source.catch { _ in Signal.just(used(token, 0)) } }),
            ("retry", { source, token in source.map { try thrown(token, $0) }.retry(3) }),
            ("share", { source, token in source.map { used(token, $0) }.share() }),
            ("replay", { source, token in source.map { used(token, $0) }.replay(2) }),
            ("filter", { source, token in source.filter { try thrown(token, $0) > 0 } }),
            ("scan", { source, token in source.scan(0) { try thrown(token, $0 + $1) } }),
            ("reduce", { source, token in source.flatMap(.merge) { .just($0).reduce(0) { used(token, $0 + $1) } } }),
            ("collect", { source, _ in source.flatMap(.merge) { Signal.just($0).collect().map(\.count) } }),
            ("last", { source, _ in source.flatMap(.merge) { Signal.just($0).last().last(default: 0) } }),
            ("flatMap(first)", { source, token in source.flatMap(.first) { .just(used(token, $0)) } }),
            (
                "retry if",
                { source, token in source.map { try thrown(token, $0) }.retry(3, if: { _ in used(token, 1) == 1 }) }
            ),
            (
                "retry after",
                { source, token in
                    source.map { try thrown(token, $0) }.retry(
                        after: Backoff { used(token, $0) > 0 ? .seconds(0) : .never }, on: .immediate)
                }
            ),
            ("print", { source, token in source.print("p", to: Paper(token: token)) }),
            ("take of take", { source, _ in source.take(9).take(8) }),
            ("take of map of take", { source, token in source.take(9).map { try thrown(token, $0) }.take(8) }),
            ("take of retry of share", { source, _ in source.share().retry().take(8) }),
        ]

        nonisolated static func used(_ token: Token, _ number: Int) -> Int { withExtendedLifetime(token) { number } }
        nonisolated static func thrown(_ token: Token, _ number: Int) throws -> Int {
            if number == 13 { throw Refusal() }
            return used(token, number)
        }

        @Test(arguments: chains.indices) func `Nothing is left when everything is dropped without disposing`(index: Int)
        {
            let chain = Self.chains[index]
            weak var source: Emitter<Int>?
            weak var captured: Token?
            var heard = 0
            do {
                let numbers = Emitter<Int>()
                let token = Token()
                (source, captured) = (numbers, token)
                chain.make(numbers, token).subscribe { _ in
                    heard += 1
                    withExtendedLifetime(token) {}
                }
                [1, 2, 13, 3].forEach { numbers.emit($0) }
            }
            #expect(heard > 0, "\(chain.name)")
            #expect(source == nil, "\(chain.name)")
            #expect(captured == nil, "\(chain.name)")
        }

        @Test(arguments: chains.indices) func `The Disposable holds the source until it is disposed`(index: Int) {
            let chain = Self.chains[index]
            weak var source: Emitter<Int>?
            weak var captured: Token?
            var heard = 0
            let subscription: Disposable
            do {
                let numbers = Emitter<Int>()
                let token = Token()
                (source, captured) = (numbers, token)
                subscription = chain.make(numbers, token).subscribe { _ in
                    heard += 1
                    withExtendedLifetime(token) {}
                }
            }
            [1, 2].forEach { source?.emit($0) }
            #expect(heard > 0, "\(chain.name)")
            subscription.dispose()
            #expect(source == nil, "\(chain.name)")
            #expect(captured == nil, "\(chain.name)")
        }

        @Test(arguments: chains.indices) func `Completion releases the closures, though source and Disposable live`(
            index: Int
        ) {
            let chain = Self.chains[index]
            weak var captured: Token?
            let numbers = Emitter<Int>()
            let subscription: Disposable
            do {
                let token = Token()
                captured = token
                subscription = chain.make(numbers, Token()).subscribe { _ in withExtendedLifetime(token) {} }
            }
            [1, 2].forEach { numbers.emit($0) }
            #expect(captured != nil, "\(chain.name)")
            numbers.complete()
            #expect(captured == nil, "\(chain.name)")
            withExtendedLifetime(subscription) {}
        }

        @Test(arguments: chains.indices) func `A handler may dispose its own subscription`(index: Int) {
            let chain = Self.chains[index]
            let numbers = Emitter<Int>()
            let bag = DisposeBag()
            var heard = 0
            chain.make(numbers.skip(1), Token()).subscribe { _ in
                heard += 1
                bag.dispose()
            }.disposed(by: bag)
            (1...9).forEach { numbers.emit($0) }
            let isAtOnce = chain.name == "startWith"
            #expect(heard == (isAtOnce ? 2 : 1), "\(chain.name)")
            numbers.checkInvariants()
        }

        @Test(arguments: chains.indices) func `take ends the chain, and its source, from below`(index: Int) {
            let chain = Self.chains[index]
            let numbers = Emitter<Int>()
            nonisolated(unsafe) var ends = 0
            var heard = 0
            chain.make(numbers.onEvent(disposed: { ends += 1 }) { _ in }, Token()).take(2).subscribe { _ in heard += 1 }
            (1...9).forEach { numbers.emit($0) }
            #expect(heard == 2, "\(chain.name)")
            #expect(ends == 1, "\(chain.name)")
        }
    }
}
