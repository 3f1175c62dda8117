import Dispatch
import Foundation
import Observation
import Testing
import Weir
import WeirAnalysis
import WeirTesting
import WeirTrace

@Observable
private final class Item {
    var quantity: Int
    var note = ""
    var parts: [Item] = []
    var price: Int { quantity * 3 }
    init(_ quantity: Int = 1) { self.quantity = quantity }
}

@Observable
private final class Cart {
    var items: [Item] = []
    var selected: Item?
    var stock: [Int: Item] = [:]
    var title = ""
    var total: Int { items.reduce(0) { $0 + $1.price } }
    var lines: [Line] = []
    struct Line { var count = 0 }
}

@Observable
private final class Knot {
    var number = 0
    var next: Knot?
}

@Observable
private final class SharedCart: @unchecked Sendable {
    @ObservationIgnored private let lock = NSRecursiveLock()
    var items: [Item] = []
    var sum: Int { locked { items.reduce(0) { $0 + $1.quantity } } }
    func add() { locked { items.append(Item()) } }
    func write(_ quantity: Int) { locked { items.last?.quantity = quantity } }
    @discardableResult
    func locked<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }
}

extension Everything {
    /// Models inside an observable model that are added or removed later.
    @MainActor @Suite struct ObservedItemsTests {
        private func nodes(_ recording: Recording, _ name: String) -> Int {
            recording.definitions.nodes.values.filter { $0.label == name }.count
        }

        // MARK: Coming

        @Test(arguments: [true, false])
        func `Items that come later are recorded by what a render reads of them`(isAdopted: Bool) throws {
            let (cart, time) = (Cart(), VirtualScheduler())
            let recording = try record {
                if isAdopted { Trace.adopt(cart) }
                Trace.observe(cart, \.items, on: time)
                let rendering = Trace.render("badge", on: time) { cart.items.map(\.quantity).reduce(0, +) > 0 }
                cart.items.append(Item())
                time.runUntilIdle()
                cart.items.append(Item())
                time.runUntilIdle()
                for quantity in [2, 3] {
                    cart.items[0].quantity = quantity
                    cart.items[1].quantity = quantity + 2
                    time.runUntilIdle()
                }
                rendering.dispose()
            }
            #expect(recording.emissions(of: "Cart.items[0].quantity") == [.signed(2), .signed(3)])
            #expect(recording.emissions(of: "Cart.items[1].quantity") == [.signed(4), .signed(5)])
            #expect(nodes(recording, "Cart.items[0].quantity") == 1 && nodes(recording, "Cart.items[1].quantity") == 1)
            #expect(!recording.definitions.nodes.values.contains { $0.label == "Item.quantity" })
            #expect(recording.events.filter { $0.kind == .hopBegan }.allSatisfy { $0.cause != nil })
        }

        @Test func `Items that nobody has announced to Weir have one node each, as long as they are read`() throws {
            let (items, time, cart) = ([Item(), Item()], VirtualScheduler(), Cart())
            let recording = try record {
                Trace.observe(cart, \.title, on: time)
                let rendering = Trace.render("list", on: time) { items.map(\.quantity) + [cart.title.count] }
                for step in 1...5 {
                    items[0].quantity = step
                    cart.title = "\(step)"
                    time.runUntilIdle()
                }
                rendering.dispose()
            }
            #expect(nodes(recording, "Item.quantity") == 2)
            #expect(recording.emissions(of: "list").count == 6)
        }

        @Test func `An item that was read before Weir came to know it keeps its node`() throws {
            let (item, time, cart) = (Item(), VirtualScheduler(), Cart())
            let recording = try record {
                Trace.adopt(cart)
                let rendering = Trace.render("list", on: time) { item.quantity + cart.items.count }
                cart.items = [item]
                time.runUntilIdle()
                item.quantity = 2
                time.runUntilIdle()
                rendering.dispose()
            }
            #expect(recording.emissions(of: "Cart.items[0].quantity") == [.signed(2)])
            #expect(recording.definitions.nodes.values.filter { $0.label?.hasSuffix(".quantity") == true }.count == 1)
        }

        @Test func `What an observed computed property reads of later items causes its changes`() throws {
            let (cart, time) = (Cart(), VirtualScheduler())
            let recording = try record {
                Trace.observe(cart, \.total, on: time)
                cart.items = [Item(), Item(2)]
                time.runUntilIdle()
                Trace.stimulus("more") { cart.items[1].quantity = 5 }
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "Cart.total") == [.signed(9), .signed(18)])
            #expect(recording.emissions(of: "Cart.items[1].quantity") == [.signed(5)])
            let quantity = recording.events.last {
                recording.name($0.subject) == "Cart.items[1].quantity" && $0.kind == .emitted
            }
            let hop = recording.events.last { $0.kind == .hopBegan }
            #expect(quantity != nil && hop?.cause == quantity?.id)
        }

        @Test func `What is said of a class holds in optionals, dictionaries and items of items`() throws {
            let (cart, time) = (Cart(), VirtualScheduler())
            let recording = try record {
                Trace.observe(Item.self, \.quantity, \.parts, on: time)
                Trace.observe(cart, \.items, \.selected, \.stock, on: time)
                cart.selected = Item()
                cart.stock[7] = Item()
                cart.items = [Item()]
                time.runUntilIdle()
                cart.items[0].parts.append(Item())
                time.runUntilIdle()
                cart.selected?.quantity = 2
                cart.stock[7]?.quantity = 3
                cart.items[0].parts[0].quantity = 4
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "Cart.selected.quantity") == [.signed(2)])
            #expect(recording.emissions(of: "Cart.stock[7].quantity") == [.signed(3)])
            #expect(recording.emissions(of: "Cart.items[0].parts[0].quantity") == [.signed(4)])
        }

        @Test
        nonisolated
            func `Items that are written through a wrapper are known at once, elsewhere than on the main queue`() throws
        {
            // The runner calls the tests of this suite on the main queue.
            let recording = try DispatchQueue.global().sync {
                let (cart, time) = (Cart(), VirtualScheduler())
                return try record {
                    Trace.observe(Item.self, \.quantity, on: time)
                    let form = Trace.wrap(cart)
                    form.items.append(Item())
                    cart.items[0].quantity = 2
                    time.runUntilIdle()
                }
            }
            #expect(recording.emissions(of: "Cart.items[0].quantity") == [.signed(2)])
        }

        @Test @MainActor
        func `On the main queue items are known at the end of a stimulus, and by adoption at checkpoints`() throws {
            let (cart, other, time) = (Cart(), Cart(), VirtualScheduler())
            let recording = try record {
                Trace.observe(Item.self, \.quantity, on: time)
                Trace.observe(cart, \.items, on: time)
                Trace.adopt(other, as: "Other")
                Trace.stimulus("add") { cart.items.append(Item()) }
                Trace.stimulus("edit") { cart.items[0].quantity = 2 }
                other.items = [Item()]
                Trace.checkpoint("added")
                Trace.stimulus("edit") { other.items[0].quantity = 3 }
            }
            #expect(recording.emissions(of: "Cart.items[0].quantity") == [.signed(2)])
            #expect(recording.emissions(of: "Other.items[0].quantity") == [.signed(3)])
        }

        @Test func `Items that came while nothing was recorded are known to a recording that begins later`() throws {
            let (cart, time) = (Cart(), VirtualScheduler())
            Trace.observe(cart, \.items, on: time)
            let rendering = Trace.render("badge", on: time) { cart.items.map(\.quantity) }
            cart.items = [Item()]
            time.runUntilIdle()
            let recording = try record {
                cart.items.append(Item())
                time.runUntilIdle()
                cart.items[0].quantity = 2
                time.runUntilIdle()
            }
            rendering.dispose()
            #expect(recording.emissions(of: "Cart.items[0].quantity") == [.signed(2)])
        }

        // MARK: Going

        @Test func `An item that is released ends its nodes, and nothing holds one that has left`() throws {
            let (cart, time) = (Cart(), VirtualScheduler())
            weak var gone: Item?
            let recording = try record {
                Trace.observe(Item.self, \.quantity, \.price, on: time)
                Trace.observe(cart, \.items, on: time)
                let rendering = Trace.render("badge", on: time) { cart.items.map(\.quantity) }
                cart.items = [Item(), Item()]
                time.runUntilIdle()
                gone = cart.items[0]
                cart.items.removeFirst()
                #expect(gone == nil)
                time.runUntilIdle()
                rendering.dispose()
            }
            let released = recording.story.filter { $0.contains("items[0]") && $0.contains("nodeReleased") }
            #expect(
                Set(released).isSuperset(of: [
                    "Cart.items[0].quantity nodeReleased", "Cart.items[0].price nodeReleased",
                ]))
        }

        @Test func `Nothing that is made for items leaks`() throws {
            func use() {
                let (cart, time) = (Cart(), VirtualScheduler())
                Trace.observe(Item.self, \.quantity, private: \.note, on: time)
                Trace.observe(cart, \.items, \.total, on: time)
                Trace.render("badge", on: time) { [weak cart] in cart?.items.map(\.quantity) }
                cart.items = [Item(), Item()]
                time.runUntilIdle()
                cart.items[0].parts = [Item()]
                cart.items.removeLast()
                time.runUntilIdle()
            }
            expectNoLeaks { use() }
            _ = try record { expectNoLeaks { use() } }
        }

        @Test nonisolated func `Lists that several threads change while recording starts and stops break nothing`()
            throws
        {
            let (cart, time) = (SharedCart(), VirtualScheduler())
            Trace.observe(Item.self, \.quantity, on: time)
            Trace.observe(cart, \.items, on: time)
            for _ in 0..<3 {
                let recording = try record {
                    let rendering = Trace.render("badge", on: time) { cart.sum }
                    DispatchQueue.concurrentPerform(iterations: 4) { thread in
                        for step in 0..<50 { thread == 0 ? cart.add() : cart.write(step) }
                    }
                    cart.locked { time.runUntilIdle() }
                    rendering.dispose()
                }
                #expect(recording.damage.isEmpty)
                #expect(recording.emissions(of: "badge").last == .signed(Int64(cart.sum)))
            }
            #expect(cart.items.count == 150)
        }

        @Test func `A list that is observed twice, wrapped and adopted has one node for each item`() throws {
            let (cart, time) = (Cart(), VirtualScheduler())
            let recording = try record {
                Trace.observe(Item.self, \.quantity, on: time)
                Trace.observe(Item.self, \.quantity, on: time)
                Trace.observe(cart, \.items, on: time)
                Trace.observe(cart, \.items, on: time)
                cart.items = [Item()]
                time.runUntilIdle()
                Trace.adopt(cart, as: "Basket")
                Trace.observe(cart.items[0], \.quantity, on: time)
                Trace.wrap(cart.items[0]).quantity = 2
                cart.items[0].quantity = 3
                cart.items = [cart.items[0], Item(), cart.items[0]]
                time.runUntilIdle()
                cart.items[2].quantity = 4
            }
            #expect(recording.emissions(of: "Basket.items[0].quantity") == [.signed(2), .signed(3), .signed(4)])
            #expect(recording.definitions.nodes.values.filter { $0.label?.hasSuffix("quantity") == true }.count == 2)
        }

        // MARK: Bounds

        @Test func `Cycles of models end, and chains that are too deep are counted`() throws {
            let (first, time) = (Knot(), VirtualScheduler())
            let before = Trace.modelsNotFollowed
            let recording = try record {
                Trace.observe(Knot.self, \.number, on: time)
                Trace.observe(first, \.next, on: time)
                var last = first
                for _ in 0..<20 {
                    let new = Knot()
                    last.next = new
                    last = new
                }
                last.next = first
                time.runUntilIdle()
                var link: Knot? = first
                for number in 1...20 {
                    link?.number = number
                    link = link?.next
                }
                last.next = nil
            }
            #expect(recording.emissions(of: "Knot.next.next.number") == [.signed(3)])
            #expect(recording.definitions.nodes.values.filter { $0.label?.hasSuffix("number") == true }.count == 8)
            #expect(Trace.modelsNotFollowed > before)
        }

        @Test func `A write of something else looks through no list`() throws {
            let (cart, time) = (Cart(), VirtualScheduler())
            cart.items = (0..<10_100).map { Item($0) }
            let before = Trace.modelsNotFollowed
            _ = try record {
                Trace.observe(cart, \.title, \.items, on: time)
                #expect(Trace.modelsNotFollowed == before + 101)
                cart.items.removeLast(50)
                cart.title = "a"
                // Each pass through the list reports how many items it has left out.
                #expect(Trace.modelsNotFollowed == before + 101)
                time.runUntilIdle()
                #expect(Trace.modelsNotFollowed == before + 50)
            }
        }

        // MARK: Paths

        @Test func `A path through an index has its name, and may lead nowhere for a while`() throws {
            let (cart, time) = (Cart(), VirtualScheduler())
            cart.items = [Item(), Item()]
            cart.lines = [Cart.Line()]
            let recording = try record {
                Trace.observe(
                    cart, \.items[1].quantity, \.lines[0].count, \.selected?.quantity, \.stock[7], \.items.count,
                    on: time)
                cart.items[1].quantity = 2
                cart.lines[0].count = 5
                time.runUntilIdle()
                cart.items = []
                time.runUntilIdle()
                cart.items = [Item(), Item(9)]
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "\\Cart.items[1].quantity") == [.signed(2), .signed(9)])
            #expect(recording.emissions(of: "Cart.items.count") == [.signed(0), .signed(2)])
            #expect(recording.emissions(of: "\\Cart.lines[…].count") == [.signed(5)])
            let names = Set(recording.definitions.nodes.values.compactMap(\.label))
            #expect(names.isSuperset(of: ["Cart.selected?.quantity", "Cart.stock[…]", "Cart.items[1].quantity"]))
        }
    }
}
