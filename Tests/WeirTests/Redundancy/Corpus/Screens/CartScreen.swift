import Weir

/// A cart whose total has several parts.
enum CartScreen {
    private final class CartModel {
        let quantity = Observable(1)
        let price = Observable(10)
        let subtotal: Combiner<Int>
        let discount: Combiner<Int>
        let tax: Combiner<Int>
        let total: Combiner<Int>

        init() {
            subtotal = Observable.combine(quantity, price) { $0 * $1 }
            discount = Observable.combine(subtotal) { $0 / 10 }
            tax = Observable.combine(subtotal) { $0 / 5 }
            total = Observable.combine(subtotal, discount, tax) { $0 - $1 + $2 }
        }

        func change(quantity newQuantity: Int, price newPrice: Int) {
            quantity.value = newQuantity
            price.value = newPrice
        }
    }

    private final class CuredCartModel {
        let quantity = Observable(1)
        let price = Observable(10)
        let subtotal: Combiner<Int>
        let discount: Combiner<Int>
        let tax: Combiner<Int>
        let total: Combiner<Int>

        init() {
            subtotal = Observable.combine(quantity, price, strategy: .settled) { $0 * $1 }
            discount = Observable.combine(subtotal) { $0 / 10 }
            tax = Observable.combine(subtotal) { $0 / 5 }
            total = Observable.combine(subtotal, discount, tax, strategy: .settled) { $0 - $1 + $2 }
        }

        func change(quantity newQuantity: Int, price newPrice: Int) {
            batch {
                quantity.value = newQuantity
                price.value = newPrice
            }
        }
    }

    static var all: [Program] {
        [
            Program(
                "A cart that shows totals which were never true",
                finds: [
                    .init(.glitch, "CartModel.total", count: 2), .init(.noopEvaluation, "CartModel.total", count: 2),
                    .init(.burst, "CartModel.total", count: 1), .init(.burst, "CartModel.subtotal", count: 1),
                ], redundant: 4, of: 6
            ) { scene in
                let model = scene.adopt(CartModel())
                model.subtotal.subscribe { _ in }
                model.total.subscribe { _ in }
                scene.act("change the item") { model.change(quantity: 3, price: 20) }
            },
            Program("The same cart, settled and in one turn", finds: [], redundant: 0, of: 2) { scene in
                let model = scene.adopt(CuredCartModel())
                model.subtotal.subscribe { _ in }
                model.total.subscribe { _ in }
                scene.act("change the item") { model.change(quantity: 3, price: 20) }
            },
        ]
    }
}
