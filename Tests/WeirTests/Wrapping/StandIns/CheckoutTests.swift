import Dispatch
import Observation
import Testing
import Weir

/// Plays SwiftUI: runs a body, and again in a later turn of the main queue when something that it read has changed.
@MainActor
private final class ViewHost<Content> {
    private(set) var shown: [Content] = []
    private let body: () -> Content

    init(_ body: @escaping () -> Content) {
        self.body = body
        run()
    }

    private func run() {
        let content = withObservationTracking(body) { [weak self] in
            DispatchQueue.main.async { self?.run() }
        }
        shown.append(content)
    }
}

extension Everything.AskingOtherProcesses.StandInTests {
    /// Written down first, from reading the model and what its user does.
    private enum Checkout {
        /// Payment begins: the button is disabled.
        static let whyCanPay = ["pay", "CheckoutModel.step = charging", "CheckoutModel.canPay = false"]
        /// Two teas and a pot, 10 % off, and postage.
        static let whyTotal = [
            "the server finds the voucher", "CheckoutModel.voucher = CheckoutVoucher(code: ·, percent: 10)",
            "CheckoutModel.total = 7060",
        ]
        /// The tenth content: opened, two teas, a pot, the consent, a saved draft, the price, the notice, charging, paid.
        static let whyView = ["the server charges", "CheckoutModel.step = paid", "CheckoutView = 10"]
        /// The card is valid, and the terms are not accepted: computed again, and false as before.
        static let whyNotAfterCard = ["equal CheckoutModel.canPay"]
        /// Without a card the address is not even read: the button waits for the card.
        static let whyNotAfterAddress = ["unconnected", "CheckoutModel.cardNumber"]
        /// The total depends on nothing of the kind.
        static let whyNotTotalAfterTerms = [
            "unconnected", "CheckoutModel.lines", "CheckoutModel.lines[0].quantity", "CheckoutModel.lines[1].quantity",
            "CheckoutModel.shipping", "CheckoutModel.voucher",
        ]
        static let redundant: Set<String> = [
            // The card number alone changes nothing that is shown; nor do the second and the third save. 3 of 13 runs.
            "note repeated-value CheckoutView ×3",
            // The price and the notice come in two turns of one frame.
            "note burst CheckoutView ×1",
        ]
        static let leaks: Set<String> = ["retain-cycle CheckoutModel, CheckoutScreen"]
        static let graph: Set<String> = Set(
            ["cardNumber", "acceptsTerms", "address", "step"].flatMap { ["\($0) → canPay", "\($0) → CheckoutView"] }
                + ["lines", "CheckoutModel.lines[0…1].quantity", "voucher", "shipping"].flatMap {
                    ["\($0) → total", "\($0) → CheckoutView"]
                } + ["notice → CheckoutView", "saves → CheckoutView"])
    }

    @MainActor
    private func checkOut() async {
        let gateway = CheckoutSandbox(vouchers: [CheckoutVoucher(code: "SPRING", percent: 10)])
        let model = CheckoutModel(gateway: gateway)
        Trace.adopt(model)
        let screen = CheckoutScreen(model)
        var host: ViewHost<CheckoutContent>?
        await actOnMain("open") { host = ViewHost { screen.body } }
        await actOnMain("add tea") { model.add(.tea) }
        await actOnMain("add tea again") { model.add(.tea) }
        await actOnMain("add a pot") { model.add(.pot) }
        await actOnMain("enter the address") {
            model.address = CheckoutAddress(name: "Maruko", street: "Teramachi 1", city: "Kyoto")
        }
        await actOnMain("type the card number") { model.cardNumber = "4000000000000001" }
        await actOnMain("accept the terms") { model.acceptsTerms = true }
        for _ in 0..<3 { await actOnMain("the server saves the draft") { model.draftWasSaved() } }
        await actOnMain("redeem") { model.redeem("SPRING") }
        await actOnMain("the server finds the voucher") { gateway.answerNext() }
        await actOnMain("pay") { model.pay() }
        await actOnMain("the server charges") { gateway.answerNext() }
        #expect(gateway.charged == [7060] && screen.receipts == ["R-1001"] && host?.shown.count == 13)
    }

    @MainActor
    @Test func `A checkout with observable models`() async throws {
        let answers = try await StandInAnswers { await checkOut() }
        try expect(answers.why("CheckoutModel.canPay"), Checkout.whyCanPay)
        try expect(answers.why("CheckoutModel.total"), Checkout.whyTotal)
        try expect(answers.why("CheckoutView"), Checkout.whyView)
        try expect(answers.whyNot("CheckoutModel.canPay", after: "type the card number"), Checkout.whyNotAfterCard)
        try expect(answers.whyNot("CheckoutModel.canPay", after: "enter the address"), Checkout.whyNotAfterAddress)
        try expect(answers.whyNot("CheckoutModel.total", after: "accept the terms"), Checkout.whyNotTotalAfterTerms)
        try expect(answers.redundant(), Checkout.redundant)
        try expect(answers.leaks(), Checkout.leaks)
        try expect(answers.linesOfLeaks(), ["WeirTests/Checkout.swift"])
        try expect(answers.graph(), Checkout.graph)
    }
}
