import Testing
import Weir
import WeirTrace

extension Everything {
    @Suite struct NestedAdoptionTests {
        private final class Item {
            let price = Observable(0)
            weak var cart: Cart?
        }

        private final class Cart {
            var items: [Item] = []
            var stock: [String: Item] = [:]
            var last: Item?
            let total = Observable(0)
            lazy var offer = Item()
        }

        private func labels(_ body: () -> Void) throws -> Set<String> {
            Set(try record(body).definitions.nodes.values.compactMap(\.label))
        }

        @Test func `Children in arrays, dictionaries and optionals are named by their paths`() throws {
            let cart = Cart()
            cart.items = [Item(), Item()]
            cart.stock = ["tea": Item()]
            cart.last = Item()
            for item in cart.items { item.cart = cart }
            let found = try labels {
                Trace.adopt(cart)
                for item in cart.items { item.price.value += 1 }
                cart.total.value = 1
            }
            #expect(
                found == [
                    "Cart.total", "Cart.items[0].price", "Cart.items[1].price", "Cart.stock[\"tea\"].price",
                    "Cart.last.price",
                ])
        }

        @Test func `What is made later is named when the model is adopted again, and what has a name keeps it`() throws
        {
            let cart = Cart()
            let first = Item()
            cart.items = [first]
            let found = try labels {
                Trace.adopt(cart)
                _ = cart.offer
                cart.items.insert(Item(), at: 0)
                Trace.adopt(cart)
            }
            #expect(found.isSuperset(of: ["Cart.items[0].price", "Cart.offer.price"]))
            #expect(!found.contains("Cart.items[1].price"))
        }

        private final class Link {
            let value = Observable(0)
            var next: Link?
        }

        @Test func `Chains and circles of models end`() throws {
            let first = Link()
            var last = first
            for _ in 0..<20 {
                let new = Link()
                last.next = new
                last = new
            }
            last.next = first
            let found = try labels { Trace.adopt(first) }
            #expect(found.count == 8)
            #expect(found.contains("Link.next.next.value"))
            last.next = nil
        }
    }
}
