import Dispatch
import Testing
import Weir
import WeirTrace

/// Models that are stored in an adopted model after its adoption.
extension Everything {
    @Suite struct LaterAdoptionTests {
        private final class Item {
            let price = Observable(0)
        }

        private final class Cart {
            let total = Observable(0)
            var items: [Item] = []
            lazy var offer = Item()
        }

        /// Counts the reads of a computed property by the walk.
        private final class Watched: CustomReflectable {
            var looks = 0
            let item = Observable(0)
            var customMirror: Mirror {
                looks += 1
                return Mirror(self, children: ["item": item])
            }
        }

        private func labels(_ recording: Recording) -> Set<String> {
            Set(recording.definitions.nodes.values.compactMap(\.label))
        }

        @Test @MainActor func `What is made later has its name at the end of the recording, without a further call`()
            throws
        {
            let cart = Cart()
            let recording = try record {
                Trace.adopt(cart)
                cart.offer.price.value = 3
                cart.items.append(Item())
                cart.items[0].price.value = 4
            }
            #expect(labels(recording) == ["Cart.total", "Cart.offer.price", "Cart.items[0].price"])
            #expect(recording.emissions(of: "Cart.offer.price") == [.signed(3)])
        }

        @Test @MainActor func `A model that lived between two checkpoints only has its name, too`() throws {
            let cart = Cart()
            let recording = try record {
                Trace.adopt(cart)
                Trace.stimulus("add") {
                    cart.items.append(Item())
                    cart.items[0].price.value = 4
                }
                cart.items = []
            }
            #expect(labels(recording).contains("Cart.items[0].price"))
        }

        @Test @MainActor func `A model that was adopted before the recording is looked through in it`() throws {
            let cart = Cart()
            Trace.adopt(cart, as: "Basket")
            let recording = try record {
                cart.offer.price.value = 3
                Trace.checkpoint("now")
            }
            #expect(labels(recording).isSuperset(of: ["Basket.offer.price"]))
        }

        @Test @MainActor func `Where no node without a name comes up, nothing is looked through`() throws {
            let watched = Watched()
            _ = try record {
                Trace.adopt(watched)
                Trace.frame()
                let before = watched.looks
                for step in 0..<100 { Trace.stimulus("step") { watched.item.value = step } }
                Trace.checkpoint("end")
                #expect(watched.looks == before)
            }
        }

        @Test @MainActor func `While looking finds nothing, it is done less and less often`() throws {
            let watched = Watched()
            _ = try record {
                Trace.adopt(watched)
                let before = watched.looks
                for _ in 0..<1000 { Trace.stimulus("step") { Observable(0).value = 1 } }
                #expect((1...30).contains(watched.looks - before))
                let between = watched.looks
                Trace.checkpoint("end")
                #expect(watched.looks == between + 1)
            }
        }

        @Test @MainActor func `Of many models a moment looks through a few, and the end finds the rest`() throws {
            let models = (0..<300).map { _ in Watched() }
            let carts = (0..<300).map { _ in Cart() }
            func looks() -> Int { models.reduce(0) { $0 + $1.looks } }
            var mostAtMoment = 0
            let recording = try record {
                for (model, cart) in zip(models, carts) {
                    Trace.adopt(model)
                    Trace.adopt(cart)
                }
                for round in 0..<200 {
                    let before = looks()
                    Trace.stimulus("tap") { Observable(0).value = round }
                    mostAtMoment = max(mostAtMoment, looks() - before)
                }
                for cart in carts {
                    cart.items.append(Item())
                    cart.items[0].price.value = 1
                }
            }
            #expect((1...8).contains(mostAtMoment), "\(mostAtMoment)")
            let prices = recording.definitions.nodes.values.filter { $0.label == "Cart.items[0].price" }
            #expect(prices.count == 300)
        }

        @Test @MainActor func `Models are looked through on the main queue only, and are not held`() async throws {
            let cart = Cart()
            weak var released: Cart?
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            Trace.adopt(cart)
            do {
                let other = Cart()
                released = other
                Trace.adopt(other)
            }
            #expect(released == nil)
            cart.offer.price.value = 3
            await Task.detached { Trace.checkpoint("elsewhere") }.value
            let found = labels(try Recording(reading: file.path))
            Trace.checkpoint("here")
            Trace.stop()
            #expect(!found.contains("Cart.offer.price"))
            #expect(labels(try Recording(reading: file.path)).contains("Cart.offer.price"))
        }
    }
}
