import Testing
import Weir

/// The core, compared with a naive one: an array of closures, copied for each delivery.
extension Everything {
    @MainActor @Suite struct DeliveryOracleTests {
        final class NaiveObservable {
            var value = 0
            var version = 0
            var handlers: [(key: Int, handler: (Int) -> Void)] = []
            var lastKey = 0

            func write(_ new: Int) {
                guard new != value else { return }
                value = new
                version += 1
                let mine = version
                for (key, handler) in handlers where mine == version {
                    if handlers.contains(where: { $0.key == key }) { handler(new) }
                }
            }

            func subscribe(_ handler: @escaping (Int) -> Void) -> () -> Void {
                lastKey += 1
                let key = lastKey
                handlers.append((key, handler))
                return { self.handlers.removeAll { $0.key == key } }
            }
        }

        /// A program in terms of the interface that both cores share.
        final class World {
            var log: [String] = []
            var depth = 0
            var generator: SeededGenerator
            let write: (Int, Int) -> Void
            let subscribe: (Int, @escaping (Int) -> Void) -> () -> Void
            var disposals: [() -> Void] = []
            var made = 0

            init(
                seed: UInt64, write: @escaping (Int, Int) -> Void,
                subscribe: @escaping (Int, @escaping (Int) -> Void) -> () -> Void
            ) {
                generator = SeededGenerator(seed: seed)
                self.write = write
                self.subscribe = subscribe
            }

            func act() {
                let place = Int.random(in: 0..<3, using: &generator)
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<5:
                    write(place, Int.random(in: 0..<4, using: &generator))
                case 5..<8:
                    made += 1
                    let name = made
                    disposals.append(
                        subscribe(place) { [unowned self] value in
                            log.append("\(name) hears \(value) of \(place)")
                            guard depth < 4, Int.random(in: 0..<3, using: &generator) == 0 else { return }
                            depth += 1
                            act()
                            depth -= 1
                        })
                default:
                    guard !disposals.isEmpty else { return }
                    disposals[Int.random(in: 0..<disposals.count, using: &generator)]()
                }
            }
        }

        @Test func `Random programs behave as in the naive core`() {
            var heard = 0
            for seed in 0..<400 as Range<UInt64> {
                let naive = (0..<3).map { _ in NaiveObservable() }
                let real = (0..<3).map { _ in Observable(0) }
                let expected = World(
                    seed: seed, write: { naive[$0].write($1) }, subscribe: { naive[$0].subscribe($1) })
                let found = World(
                    seed: seed, write: { real[$0].value = $1 },
                    subscribe: { place, handler in
                        let disposable = real[place].subscribe { handler($0) }
                        return { disposable.dispose() }
                    })
                for _ in 0..<60 {
                    expected.act()
                    found.act()
                }
                #expect(expected.log == found.log, "seed \(seed)")
                #expect(naive.map(\.value) == real.map(\.value), "seed \(seed)")
                for observable in real { observable.checkInvariants() }
                heard += found.log.count
                expected.disposals = []
                found.disposals = []
            }
            #expect(heard > 20_000, "the programs hardly do anything")
        }
    }
}
