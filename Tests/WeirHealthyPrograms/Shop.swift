import Weir

// A shop: a catalogue with a stock, a cart with a coupon, and a checkout that the server may refuse.

private struct Product: Hashable, Sendable {
    let id: Int
    let name: String
    let price: Int
}

private struct CartLine: Equatable, Sendable {
    let product: Product
    var quantity: Int
}

private enum Coupon: Equatable, Sendable {
    case percent(Int), fixed(Int)

    func discount(on amount: Int) -> Int {
        switch self {
        case .percent(let percent): amount * percent / 100
        case .fixed(let value): min(value, amount)
        }
    }
}

private enum ShopError: Error { case unknownCoupon, outOfStock }

private struct ShopServer: Sendable {
    func coupon(_ code: String) async throws -> Coupon {
        try await Task.sleep(for: .milliseconds(4))
        switch code {
        case "SPRING": return .percent(10)
        case "WELCOME": return .fixed(500)
        default: throw ShopError.unknownCoupon
        }
    }

    func order(_ lines: [CartLine]) async throws -> Int {
        try await Task.sleep(for: .milliseconds(6))
        if lines.contains(where: { $0.quantity > 2 }) { throw ShopError.outOfStock }
        return 4711
    }
}

@MainActor private final class Cart {
    let lines = Observable<[CartLine]>([])
    let coupon = Observable<Coupon?>(nil)
    let itemCount: Combiner<Int>
    let subtotal: Combiner<Int>
    let discount: Combiner<Int>
    let shipping: Combiner<Int>
    let total: Combiner<Int>
    let isEmpty: Combiner<Bool>

    init() {
        itemCount = .combine(lines) { $0.reduce(0) { $0 + $1.quantity } }
        subtotal = .combine(lines) { $0.reduce(0) { $0 + $1.quantity * $1.product.price } }
        isEmpty = .combine(lines) { $0.isEmpty }
        discount = .combine(subtotal, coupon, strategy: .settled) { $1?.discount(on: $0) ?? 0 }
        shipping = .combine(subtotal, discount, strategy: .settled) { $0 == 0 || $0 - $1 >= 50_00 ? 0 : 4_90 }
        total = .combine(subtotal, discount, shipping, strategy: .settled) { $0 - $1 + $2 }
    }

    func change(_ product: Product, by count: Int) {
        lines.modify { lines in
            if let index = lines.firstIndex(where: { $0.product == product }) {
                lines[index].quantity += count
                if lines[index].quantity == 0 { lines.remove(at: index) }
            } else {
                lines.append(CartLine(product: product, quantity: count))
            }
        }
    }

    func empty() {
        batch {
            lines.value = []
            coupon.value = nil
        }
    }
}

@MainActor private final class ShopModel {
    let cart = Cart()
    let products: [Product]
    let stock: Observable<[Int: Int]>
    let order: Observable<Int?> = Observable(nil)
    let apply: Command<String, Coupon>
    let checkOut: Command<[CartLine], Int>
    private let server = ShopServer()
    private let bag = DisposeBag()

    init(_ products: [Product], inStock count: Int) {
        self.products = products
        stock = Observable(Dictionary(uniqueKeysWithValues: products.map { ($0.id, count) }))
        apply = Command { [server] in try await server.coupon($0) }
        checkOut = Command(enabledIf: Observable.combine(cart.isEmpty) { !$0 }) { [server] in try await server.order($0)
        }
        apply.values.subscribe { [cart] in cart.coupon.value = $0 }.disposed(by: bag)
        checkOut.values.subscribe { [weak self] number in
            self?.order.value = number
            self?.cart.empty()
        }.disposed(by: bag)
    }

    func add(_ product: Product) {
        guard stock.value[product.id, default: 0] > 0 else { return }
        batch {
            stock.value[product.id, default: 0] -= 1
            cart.change(product, by: 1)
        }
    }

    func remove(_ product: Product) {
        guard cart.lines.value.contains(where: { $0.product == product }) else { return }
        batch {
            stock.value[product.id, default: 0] += 1
            cart.change(product, by: -1)
        }
    }
}

/// One product in the catalogue: its button is disabled when the product is sold out.
@MainActor private final class ProductCell {
    let name = Label()
    let left = Label()
    let add: Button
    private let bag = DisposeBag()

    init(_ product: Product, _ model: ShopModel) {
        name.text = product.name
        add = Button("Add \(product.name)")
        add.onTap = { [weak model] in model?.add(product) }
        let count = model.stock.current.map { $0[product.id] ?? 0 }.removeDuplicates()
        count.map { "\($0) left" }.bind(to: left, \.text).disposed(by: bag)
        count.map { $0 > 0 }.removeDuplicates().bind(to: add, \.isEnabled).disposed(by: bag)
    }
}

@MainActor private final class CartScreen {
    let badge = Label()
    let subtotal = Label()
    let discount = Label()
    let shipping = Label()
    let total = Label()
    let alert = Label()
    let code = TextField()
    let applyButton = Button("Apply")
    let buy = Button("Buy")
    let share = Button("Share")
    private(set) var shared: [String] = []
    private let shareTapped = Emitter<Void>()
    private let bag = DisposeBag()

    init(_ model: ShopModel) {
        let cart = model.cart
        cart.itemCount.subscribe(initial: true) { [weak self] in
            self?.badge.text = "\($0)"
            self?.badge.isHidden = $0 == 0
        }.disposed(by: bag)
        cart.subtotal.subscribe(initial: true) { [weak self] in self?.subtotal.text = Self.amount($0) }.disposed(
            by: bag)
        cart.discount.subscribe(initial: true) { [weak self] in self?.discount.text = "-" + Self.amount($0) }
            .disposed(by: bag)
        cart.shipping.subscribe(initial: true) { [weak self] in
            self?.shipping.text = $0 == 0 ? "free" : Self.amount($0)
        }.disposed(by: bag)
        cart.total.subscribe(initial: true) { [weak self] in self?.total.text = Self.amount($0) }.disposed(by: bag)
        model.checkOut.isEnabled.bind(to: buy, \.isEnabled).disposed(by: bag)
        model.apply.isEnabled.bind(to: applyButton, \.isEnabled).disposed(by: bag)
        model.apply.errors.merge(model.checkOut.errors).map { "\($0)" }.bind(to: alert, \.text).disposed(by: bag)
        model.order.subscribe { [weak self] in self?.alert.text = $0.map { "Order \($0)" } ?? "" }.disposed(by: bag)
        shareTapped.withLatest(from: cart.itemCount.current) { "\($1) items" }.subscribe { [weak self] in
            self?.shared.append($0)
        }.disposed(by: bag)
        share.onTap = { [weak self] in self?.shareTapped.emit() }
        applyButton.onTap = { [weak self, weak model] in
            guard let self, let model else { return }
            model.apply.execute(code.text)
        }
        buy.onTap = { [weak model] in
            guard let model else { return }
            model.checkOut.execute(model.cart.lines.value)
        }
    }

    private static func amount(_ cents: Int) -> String { "\(cents / 100).\(cents % 100 / 10)\(cents % 10)" }
}

@MainActor func shop() async {
    let products = [
        Product(id: 1, name: "Kettle", price: 24_90), Product(id: 2, name: "Teapot", price: 18_50),
        Product(id: 3, name: "Cup", price: 4_20),
    ]
    let model = ShopModel(products, inStock: 3)
    Trace.adopt(model)
    let cells = products.map { ProductCell($0, model) }
    let screen = CartScreen(model)
    Window.screens = [screen] + cells

    for index in [0, 1, 2, 2, 2, 2] {
        cells[index].add.tap()
        await wait(milliseconds: 20)
    }
    for _ in 1...2 {
        screen.share.tap()
        await wait(milliseconds: 20)
    }
    for code in ["AUTUMN", "AUTUM", "SPRING"] {
        screen.code.type(code)
        screen.applyButton.tap()
        await wait(milliseconds: 25)
        Trace.stimulus("close the alert") { screen.alert.text = "" }
    }
    screen.buy.tap()
    await wait(milliseconds: 25)
    Trace.stimulus("remove a cup") { model.remove(products[2]) }
    await wait(milliseconds: 20)
    screen.buy.tap()
    await wait(milliseconds: 40)
    await reach(screen.alert.text == "Order 4711" && screen.total.text == "0.00" && screen.shared.count == 2)
}
