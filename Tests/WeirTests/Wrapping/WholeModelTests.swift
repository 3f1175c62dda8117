import Observation
import Testing
import Weir
import WeirTesting
import WeirTrace

@Observable
private class Named {
    var title = "t"
}

@Observable
private final class Shop: Named {
    var city = "Kyoto"
    private var visits = 0
    var position: (x: Double, y: Double) = (0, 0)
    var lines: [Line] = []
    var best: Line?
    var secret = "s"
    var scroll = 0.0
    var onClose: (@Sendable (Int) -> Void)?
    @ObservationIgnored var cache = 0
    @ObservationIgnored var _plain = 0
    let id = 7
    var isOpen: Bool { visits > 1 }
    func visit() { visits += 1 }
}

@Observable
private final class Line {
    var count = 1
    var note = ""
    var inner: Deep?
}

@Observable
private final class Deep { var level = 0 }

@Observable
private final class Shelf<Item> {
    var items: [Item]
    init(_ items: [Item]) { self.items = items }
}

extension Everything {
    @MainActor @Suite struct WholeModelTests {
        @Test func `One line follows every stored property, also inherited and private ones`() throws {
            let (shop, time) = (Shop(), VirtualScheduler())
            let recording = try record {
                Trace.observe(shop, private: \.secret, on: time)
                Trace.stimulus("write") {
                    shop.city = "Nara"
                    shop.title = "u"
                    shop.visit()
                    shop.position.x = 2
                    shop.secret = "x"
                    shop.scroll = 1.5
                    shop.onClose = { _ in }
                    shop.cache = 1
                    shop._plain = 1
                }
            }
            #expect(recording.emissions(of: "Shop.city") == [.string("Nara")])
            #expect(recording.emissions(of: "Shop.title") == [.string("u")])
            #expect(recording.emissions(of: "Shop.visits") == [.signed(1)])
            #expect(recording.emissions(of: "Shop.position").count == 1)
            #expect(recording.emissions(of: "Shop.secret") == [.withheld])
            #expect(recording.emissions(of: "Shop.scroll") == [.double(1.5)])
            #expect(recording.emissions(of: "Shop.onClose").count == 1)
            #expect(recording.count(.emitted) == 7)
        }

        @Test func `Models that it holds are followed, those that join it later too`() throws {
            let (shop, time) = (Shop(), VirtualScheduler())
            let best = Line()
            shop.best = best
            let recording = try record {
                Trace.observe(shop, on: time)
                best.note = "first"
                time.runUntilIdle()
                let line = Line()
                shop.lines.append(line)
                time.runUntilIdle()
                line.count = 3
                line.inner = Deep()
                time.runUntilIdle()
                line.inner?.level = 4
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "Shop.best.note") == [.string("first")])
            #expect(recording.emissions(of: "Shop.lines[0].count") == [.signed(3)])
            #expect(recording.emissions(of: "Shop.lines[0].inner.level") == [.signed(4)])
        }

        @Test func `Models that were there before the recording are followed in it`() throws {
            let (shop, time) = (Shop(), VirtualScheduler())
            let line = Line()
            shop.lines = [line]
            Trace.observe(shop, on: time)
            Trace.adopt(shop, as: "Corner")
            let recording = try record {
                line.count = 2
                shop.city = "Nara"
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "Corner.lines[0].count") == [.signed(2)])
            #expect(recording.emissions(of: "Corner.city") == [.string("Nara")])
        }

        @Test func `What was observed before the recording keeps its names and values, on the main queue`() async throws
        {
            let (shop, held) = (Shop(), Line())
            shop.best = held
            Trace.observe(shop)
            shop.city = "Uji"
            for title in ["first", "second"] {
                let file = try TemporaryTrace()
                try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
                // The main queue finds the values.
                try await Task.sleep(nanoseconds: 5_000_000)
                shop.title = title
                held.count += 1
                Trace.stop()
                let recording = try Recording(reading: file.path)
                #expect(recording.emissions(of: "Shop.title") == [.string(title)])
                #expect(recording.emissions(of: "Shop.best.count").count == 1)
                #expect(recording.count(.emitted) == 2)
                shop.title = "unseen"
                held.count += 1
            }
        }

        @Test func `A model that ended while nothing was recorded is not in a later recording`() throws {
            weak var gone: Shop?
            do {
                let shop = Shop()
                gone = shop
                Trace.observe(shop)
                Trace.adopt(shop, as: "Gone")
                shop.city = "Uji"
            }
            #expect(gone == nil)
            let recording = try record { Trace.observe(Shop(), on: VirtualScheduler()) }
            #expect(!recording.definitions.nodes.values.contains { $0.name.hasPrefix("Gone") })
        }

        @Test func `The end of a model is recorded, also in the second recording`() throws {
            var shop: Shop? = Shop()
            let time = VirtualScheduler()
            Trace.observe(try #require(shop), on: time)
            let first = try record { shop?.city = "Uji" }
            #expect(first.emissions(of: "Shop.city") == [.string("Uji")])
            shop?.city = "unseen"
            let second = try record {
                shop?.city = "Nara"
                time.runUntilIdle()
                shop = nil
            }
            #expect(second.emissions(of: "Shop.city") == [.string("Nara")])
            #expect(second.count(.objectReleased) == 1 && second.count(.nodeReleased) > 0)
        }

        @Test func `Observing without a recording leaves nothing behind`() {
            expectNoLeaks {
                let shop = Shop()
                Trace.observe(shop)
                shop.city = "Uji"
            }
        }

        @Test func `Excepted properties are not followed`() throws {
            let (shop, time) = (Shop(), VirtualScheduler())
            let recording = try record {
                Trace.observe(shop, except: \.scroll, \.title, private: \.secret, on: time)
                shop.scroll = 1
                shop.title = "u"
                shop.city = "Nara"
                shop.secret = "x"
                time.runUntilIdle()
            }
            #expect(recording.count(.emitted) == 2)
            #expect(recording.emissions(of: "Shop.secret") == [.withheld])
        }

        @Test func `Observing a model twice records each write once`() throws {
            let (shop, time) = (Shop(), VirtualScheduler())
            let recording = try record {
                Trace.observe(shop, on: time)
                Trace.observe(shop, \.city, on: time)
                Trace.observe(shop, on: time)
                shop.city = "Nara"
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "Shop.city") == [.string("Nara")])
        }

        @Test func `One line for a module follows each instance of its classes, and nothing else`() throws {
            let time = VirtualScheduler()
            let recording = try record {
                Trace.observeModels(of: Crate.self, Lid.self, on: time)
                let (crate, other) = (Crate(), Other())
                Trace.adopt(crate)
                Trace.adopt(other)
                crate.count = 2
                other.count = 2
                crate.lid = Lid()
                time.runUntilIdle()
                crate.lid?.isOpen = true
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "Crate.count") == [.signed(2)])
            #expect(recording.emissions(of: "Crate.lid.isOpen") == [.bool(true)])
            #expect(recording.emissions(of: "Other.count").isEmpty)
        }

        @Test func `A model is released as without observation`() throws {
            weak var gone: Shop?
            _ = try record {
                let shop = Shop()
                shop.lines = [Line()]
                gone = shop
                Trace.observe(shop)
                shop.city = "Nara"
            }
            #expect(gone == nil)
        }

        @Test func `A generic model is followed by its listed properties`() throws {
            let (shelf, time) = (Shelf([1]), VirtualScheduler())
            let recording = try record {
                Trace.observe(shelf, on: time)
                shelf.items = [2]
                time.runUntilIdle()
                Trace.observe(shelf, \.items, on: time)
                shelf.items = [3]
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "Shelf<Int>.items").count == 1)
        }
    }
}

@Observable
private final class Crate {
    var count = 0
    var lid: Lid?
}

@Observable
private final class Lid { var isOpen = false }

@Observable
private final class Other { var count = 0 }
