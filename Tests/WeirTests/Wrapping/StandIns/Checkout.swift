import Dispatch
import Observation
import Weir

// The checkout of a shop: observable models, a gateway that answers later, and a screen. Two lines are changed for Weir.

/// An article of the shop.
struct CheckoutArticle: Hashable, Sendable {
    let number: Int
    let title: String
    let cents: Int
}

/// An article in the cart, and how often.
@Observable
final class CheckoutLine {
    let article: CheckoutArticle
    var quantity: Int

    init(_ article: CheckoutArticle, quantity: Int) {
        (self.article, self.quantity) = (article, quantity)
    }

    var subtotal: Int { article.cents * quantity }
}

enum CheckoutShipping: String, CaseIterable {
    case post, express, pickUp

    var cents: Int {
        switch self {
        case .post: 490
        case .express: 1290
        case .pickUp: 0
        }
    }
}

struct CheckoutAddress: Equatable {
    var name = ""
    var street = ""
    var city = ""

    var isComplete: Bool { !name.isEmpty && !street.isEmpty && !city.isEmpty }
}

struct CheckoutVoucher: Equatable, Sendable {
    let code: String
    let percent: Int
}

enum CheckoutStep: String {
    case entry, charging, paid, failed
}

/// The service behind the checkout; it answers when it can.
@MainActor
protocol CheckoutGateway: AnyObject {
    func look(up code: String, _ answer: @escaping (CheckoutVoucher?) -> Void)
    func charge(_ cents: Int, to card: String, _ answer: @escaping (Result<String, CheckoutRefusal>) -> Void)
}

struct CheckoutRefusal: Error, Equatable {
    let reason: String
}

/// A gateway for development: a test decides when it answers.
@MainActor
final class CheckoutSandbox: CheckoutGateway {
    private var waiting: [() -> Void] = []
    private let vouchers: [CheckoutVoucher]
    private(set) var charged: [Int] = []

    init(vouchers: [CheckoutVoucher]) { self.vouchers = vouchers }

    func look(up code: String, _ answer: @escaping (CheckoutVoucher?) -> Void) {
        let found = vouchers.first { $0.code == code }
        waiting.append { answer(found) }
    }

    func charge(_ cents: Int, to card: String, _ answer: @escaping (Result<String, CheckoutRefusal>) -> Void) {
        waiting.append { [self] in
            if card.hasSuffix("0002") { return answer(.failure(CheckoutRefusal(reason: "The card was declined."))) }
            charged.append(cents)
            answer(.success("R-\(1000 + charged.count)"))
        }
    }

    func answerNext() {
        guard !waiting.isEmpty else { return }
        waiting.removeFirst()()
    }
}

/// Everything that the customer enters, and how far the order has come.
@Observable @MainActor
final class CheckoutModel {
    private(set) var lines: [CheckoutLine] = []
    var address = CheckoutAddress()
    var cardNumber = ""
    var acceptsTerms = false
    var shipping = CheckoutShipping.post
    private(set) var voucher: CheckoutVoucher?
    private(set) var step = CheckoutStep.entry
    private(set) var notice = ""
    /// How often the draft was saved on the server.
    private(set) var saves = 0
    @ObservationIgnored var onPaid: ((String) -> Void)?
    @ObservationIgnored private let gateway: any CheckoutGateway

    init(gateway: any CheckoutGateway) {
        self.gateway = gateway
        Trace.observe(self, \.canPay, \.total, private: \.cardNumber)  // changed line: new
    }

    // MARK: Derived

    var subtotal: Int { lines.reduce(0) { $0 + $1.subtotal } }

    var discount: Int { subtotal * (voucher?.percent ?? 0) / 100 }

    var total: Int { lines.isEmpty ? 0 : subtotal - discount + shipping.cents }

    var isCardValid: Bool { cardNumber.count == 16 && cardNumber.allSatisfy(\.isNumber) }

    var canPay: Bool { isCardValid && acceptsTerms && address.isComplete && step == .entry }

    // MARK: The cart

    func add(_ article: CheckoutArticle) {
        if let line = lines.first(where: { $0.article == article }) {
            line.quantity += 1
        } else {
            lines.append(CheckoutLine(article, quantity: 1))
        }
    }

    func remove(_ article: CheckoutArticle) {
        guard let index = lines.firstIndex(where: { $0.article == article }) else { return }
        if lines[index].quantity > 1 { lines[index].quantity -= 1 } else { lines.remove(at: index) }
    }

    // MARK: The order

    func redeem(_ code: String) {
        gateway.look(up: code) { [weak self] voucher in
            guard let self else { return }
            self.voucher = voucher
            // A fault: the notice comes a turn later than the price.
            DispatchQueue.main.async {
                self.notice = voucher.map { "\($0.percent) % off" } ?? "There is no voucher \(code)."
            }
        }
    }

    func pay() {
        guard canPay else { return }
        step = .charging
        gateway.charge(total, to: cardNumber) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .success(let receipt):
                step = .paid
                notice = "Thank you! Your receipt is \(receipt)."
                onPaid?(receipt)
            case .failure(let refusal):
                step = .failed
                notice = refusal.reason
            }
        }
    }

    func correct() {
        guard step == .failed else { return }
        step = .entry
        notice = ""
    }

    /// Called when the server has confirmed that it has the draft.
    func draftWasSaved() { saves += 1 }
}

/// What the screen shows.
struct CheckoutContent: Hashable {
    var rows: [String]
    var total: String
    var isPayEnabled: Bool
    var footer: String
}

/// The screen; the system calls `body` again when something that it read has changed.
@MainActor
final class CheckoutScreen {
    let model: CheckoutModel
    private(set) var receipts: [String] = []
    private(set) var isClosed = false

    init(_ model: CheckoutModel) {
        self.model = model
        // A fault: the model holds this closure, and the screen holds the model.
        model.onPaid = { receipt in self.show(receipt: receipt) }
    }

    var body: CheckoutContent { Trace.body("CheckoutView") { content } }  // changed line: was '{ content }'

    private var content: CheckoutContent {
        CheckoutContent(
            rows: model.lines.map { "\($0.quantity) × \($0.article.title)" },
            total: Self.euros(model.total), isPayEnabled: model.canPay,
            // A fault: the number of saves is read, and only one bit of it is shown.
            footer: model.notice.isEmpty && model.saves > 0 ? "Draft saved" : model.notice)
    }

    private func show(receipt: String) {
        receipts.append(receipt)
        isClosed = true
    }

    private static func euros(_ cents: Int) -> String {
        let rest = cents % 100
        return "€\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension CheckoutArticle {
    static let tea = CheckoutArticle(number: 1, title: "Sencha", cents: 1250)
    static let pot = CheckoutArticle(number: 2, title: "Kyusu", cents: 4800)
    static let cup = CheckoutArticle(number: 3, title: "Yunomi", cents: 1600)
}
