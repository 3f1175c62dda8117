import Dispatch
import Observation
import Testing
import Weir
import WeirAnalysis
import WeirTesting
import WeirTrace

/// The code for observable classes on the page 'Wrap your view models in ten minutes', verbatim.
@Observable
private final class AccountModel {
    var name = ""
    var password = ""
    var isValid: Bool { name.count >= 6 && password.count >= 6 }
}

@Observable
private final class OrderItem {
    var quantity = 1
    var giftMessage = ""
}

@Observable
private final class OrderModel {
    var items: [OrderItem] = []
}

private final class Title {
    var text = ""
}

extension Everything {
    @Suite struct ObservationPageTests {
        /// Waits until the main queue has run its current work.
        private func mainTurn() async {
            await withCheckedContinuation { done in
                DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(20)) { done.resume() }
            }
        }

        @Test @MainActor func `A model that is observed, rendered and wrapped`() async throws {
            let (model, title) = (AccountModel(), Title())
            let file = try TemporaryTrace()
            let clock = VirtualClock()
            try Trace.start(writingTo: file.path, clock: clock, snapshots: .none)
            Trace.adopt(model)
            Trace.observe(model, \.name, \.isValid, private: \.password)
            let rendering = Trace.render("AccountView.body") { [weak model] in
                guard let model else { return "" }
                title.text = model.name.isEmpty ? "Welcome" : "Hello"
                return title.text
            }
            for key in ["M", "a"] {
                clock.advance(nanoseconds: 100_000_000)
                Trace.stimulus("type") { model.name += key }
                await mainTurn()
            }
            #expect(title.text == "Hello")
            let form = Trace.wrap(model)
            form.name = "Maruko"
            form.password = "secret"
            #expect(model.isValid)
            rendering.dispose()
            Trace.stop()

            let reader = try TraceReader(path: file.path)
            let definitions = try reader.definitions()
            let found = Findings(RedundancyPass(reader, Topology(definitions)), definitions).found
            #expect(found.map(\.rule) == [.repeatedValue] && found.first?.count == 1)
            let recording = try Recording(reading: file.path)
            #expect(recording.emissions(of: "AccountModel.name") == ["M", "Ma", "Maruko"].map(TraceValue.string))
            #expect(recording.emissions(of: "AccountModel.password") == [.withheld])
            #expect(recording.emissions(of: "AccountModel.isValid") == [.bool(true)])
        }

        @Test @MainActor func `Items that come later`() throws {
            let recording = try record {
                Trace.observe(OrderItem.self, \.quantity, private: \.giftMessage)
                let order = OrderModel()
                Trace.observe(order, \.items)
                Trace.stimulus("add tea") { order.items.append(OrderItem()) }
                Trace.stimulus("more tea") { order.items[0].quantity = 2 }
                Trace.stimulus("gift") { order.items[0].giftMessage = "secret" }
            }
            #expect(recording.emissions(of: "OrderModel.items[0].quantity") == [.signed(2)])
            #expect(recording.emissions(of: "OrderModel.items[0].giftMessage") == [.withheld])
        }
    }
}
