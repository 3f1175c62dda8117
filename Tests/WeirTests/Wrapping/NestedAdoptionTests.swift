import Dispatch
import Testing
import Weir
import WeirTestSupport
import WeirTesting
import WeirTrace

@testable import WeirDice

extension Everything {
    @MainActor @Suite struct NestedAdoptionTests {
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
                    "Cart.total", "Cart.items[0].price", "Cart.items[1].price", "Cart.stock[String].price",
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

        @Test func `A key is named if it is a number or a plain case, and else by its type alone`() throws {
            enum Kind: Hashable { case tea, other(String) }
            final class Shop {
                var byNumber = [7: Item()]
                var byKind = [Kind.tea: Item()]
                var bySecret = [Kind.other("secret"): Item()]
                var byHash: [AnyHashable: Item] = ["secret": Item()]
            }
            let shop = Shop()
            let found = try labels { Trace.adopt(shop) }
            #expect(
                found == [
                    "Shop.byNumber[7].price", "Shop.byKind[tea].price", "Shop.bySecret[Kind].price",
                    "Shop.byHash[String].price",
                ])
        }

        private final class Owner {
            let name = Observable("")
            lazy var pet = Pet(self)
        }

        private class Animal {
            weak var keeper: Owner?
            unowned var owner: Owner
            unowned(unsafe) var raw: Owner
            let age = Observable(0)

            init(_ owner: Owner) {
                keeper = owner
                self.owner = owner
                raw = owner
            }
        }

        private final class Pet: Animal {
            let title = Observable("")
        }

        @Test func `An observable or command that is adopted itself gets the name, and keeps it`() throws {
            let (count, other) = (Observable(0), Observable(0))
            let save = Command<Int, Int> { .just($0) }
            let cart = Cart()
            let recording = try record {
                Trace.adopt(count, as: "count")
                Trace.adopt(count, as: "again")
                Trace.adopt(count.map { $0 + 1 }, as: "next")
                Trace.adopt(save, as: "save")
                Trace.adopt(other)
                for node in [count, other] { node.value = 1 }
                save.execute(1)
                Trace.adopt(cart)
                cart.total.value = 1
            }
            let labels = Set(recording.definitions.nodes.values.compactMap(\.label))
            #expect(labels.isSuperset(of: ["count", "save", "save.values", "save.isExecuting", "Cart.total"]))
            #expect(!labels.contains("again"))
            let node = try #require(recording.definitions.nodes.values.first { $0.label == "count" })
            #expect(node.owner == nil && recording.undefined == 0)
            #expect(recording.definitions.objects.values.allSatisfy { $0.type == "Cart" })
        }

        @Test func `An observable that is adopted without a name is reported once`() async throws {
            let said = try SaidText()
            await #expect(processExitsWith: .success) { [path = said.path as String] in
                SaidText.hear(in: path)
                let count = Observable(0)
                Trace.adopt(count)
                _ = try record {
                    Trace.adopt(count)
                    count.value = 1
                }
            }
            let lines = try said.text.split(separator: "\n").filter { $0.contains("an observable itself needs a name") }
            #expect(lines.count == 1, "\(lines)")
        }

        @Test func `Weak and unowned references are not followed, and may lead nowhere`() throws {
            let (owner, pet) = {
                let owner = Owner()
                return (owner, owner.pet)
            }()
            #expect(try labels { Trace.adopt(pet) } == ["Pet.age", "Pet.title"])
            #expect(try labels { Trace.adopt(owner) } == ["Owner.name"])
            // Reading its reference would end the program now.
            let orphan = {
                let owner = Owner()
                return owner.pet
            }()
            #expect(try labels { Trace.adopt(orphan, as: "Orphan") } == ["Orphan.age", "Orphan.title"])
        }

        private struct Outputs {
            let isValid = Observable(false)
            weak var cart: Cart?
        }

        private final class Screen {
            let outputs = Outputs()
            let rows = ObservableArray<Row>()
            @Traced var detail: Row?
            @Traced(privacy: .private) var accounts: [Row] = []
            let chosen = Observable<Row?>(nil)
        }

        private final class Row: Equatable {
            let title = Observable("")
            static func == (left: Row, right: Row) -> Bool { left === right }
        }

        @Test func `Nodes in structures and models in the values of observables are found, but not in private ones`()
            throws
        {
            let screen = Screen()
            screen.rows.append(contentsOf: [Row(), Row()])
            screen.detail = Row()
            screen.chosen.value = screen.rows[0]
            screen.accounts = [Row()]
            let found = try labels { Trace.adopt(screen) }
            #expect(
                found == [
                    "Screen.outputs.isValid", "Screen.rows", "Screen.rows[0].title", "Screen.rows[1].title",
                    "Screen.detail", "Screen.detail.title", "Screen.accounts", "Screen.chosen",
                ])
        }

        private final class Shared: TraceBoundary {
            let count = Observable(0)
        }

        private actor Store {
            let count = Observable(0)
        }

        @MainActor private final class App {
            let shared = Shared()
            let store = Store()
            let queue = DispatchQueue(label: "app")
            let scheduler = VirtualScheduler()
            let dice = DiceModel { 1 }
        }

        @Test func `Actors, boundaries and other libraries are not looked into, other modules with nodes are`() throws {
            let app = App()
            let found = try labels { Trace.adopt(app) }
            #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("App.dice.") })
            #expect(try labels { Trace.adopt(app.shared) } == ["Shared.count"])
            #expect(try labels { Trace.adopt(app.store) } == ["Store.count"])
        }

        private final class Mirrored: CustomReflectable {
            let hidden = Observable(0)
            let shown = Observable(0)
            var customMirror: Mirror { Mirror(self, children: ["visible": shown]) }
        }

        @Test func `A model that says how it is reflected is taken at its word`() throws {
            let model = Mirrored()
            #expect(try labels { Trace.adopt(model) } == ["Mirrored.visible"])
        }

        @Test func `At most ten thousand elements of a collection are looked at, and what is left out is counted`()
            throws
        {
            final class List { var items = (0..<10_003).map { _ in Item() } }
            let list = List()
            let before = Trace.modelsNotFollowed
            let found = try labels { Trace.adopt(list, as: "Long") }
            // The list itself is one of the ten thousand.
            #expect(found.count == 9999 && found.contains("Long.items[9998].price"))
            #expect(Trace.modelsNotFollowed == before + 4)
        }

        private final class Link {
            let value = Observable(0)
            var next: Link?
        }

        @Test func `Chains and cycles of models end`() throws {
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
