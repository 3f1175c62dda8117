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

@Observable
private final class ProfileModel {
    var name = ""
    var token = ""
    var scrollOffset = 0.0
}

@MainActor @Observable
private final class DraftModel {
    var isSaved = false
}

private actor DraftStore {
    func save(_ draft: DraftModel) async { await Task.yield() }
}

/// Stand-ins for SwiftUI.
private protocol View {
    associatedtype Body
    @MainActor var body: Body { get }
}

private struct Text: View {
    let text: String
    init(_ text: String) { self.text = text }
    var body: String { text }
}

private struct ProfileView: View {
    let profile: ProfileModel

    var body: some View {
        Trace.body("ProfileView") {
            Text(profile.name)
        }
    }
}

private struct BriefView: View {
    let profile: ProfileModel

    var body: some View {
        let _ = Trace.body(Self.self)
        return Text(profile.name)
    }
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

        @Test @MainActor func `Whole models, and the bodies of their views`() async throws {
            let model = AccountModel()
            let profile = ProfileModel()
            let (view, brief) = (ProfileView(profile: profile), BriefView(profile: profile))
            let recording = try record {
                Trace.adopt(model)
                Trace.observe(model, private: \.password)
                Trace.observe(profile, except: \.scrollOffset, private: \.token)
                Trace.observeModels(of: ProfileModel.self, DraftModel.self)
                _ = (view.body, brief.body)
                Trace.stimulus("type") {
                    profile.name = "Maruko"
                    model.name = "M"
                    model.password = "secret"
                    profile.token = "secret"
                    profile.scrollOffset = 1
                }
                _ = (view.body, brief.body)
            }
            #expect(recording.emissions(of: "AccountModel.name") == [.string("M")])
            #expect(recording.emissions(of: "AccountModel.password") == [.withheld])
            #expect(recording.emissions(of: "ProfileModel.token") == [.withheld])
            #expect(recording.emissions(of: "ProfileModel.scrollOffset").isEmpty)
            #expect(recording.emissions(of: "ProfileView") == [.signed(1), .signed(2)])
            #expect(recording.causes(ofLastEmission: "ProfileView").last == "type")
            #expect(recording.causes(ofLastEmission: "BriefView").last == "type")
        }

        @Test @MainActor func `A stimulus that awaits`() async throws {
            let (store, draft) = (DraftStore(), DraftModel())
            let recording = try await recordTask {
                Trace.observe(draft)
                await Trace.stimulus("save") {
                    await store.save(draft)
                    draft.isSaved = true
                }
            }
            #expect(recording.causes(ofLastEmission: "DraftModel.isSaved").last == "save")
        }

        @Test @MainActor func `A recording in a test`() throws {
            let login = LoginFlow()
            Trace.adopt(login.model)
            let trace = try Trace.withRecording {
                Trace.stimulus("tap Login") { login.tap() }
            }
            #expect(try trace.refreshes(of: "LoginButton.title") <= 4)
            trace.expectNoRedundancy()
            trace.expectCause(of: "LoginModel.isEnabled", is: "tap Login")
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

private final class LoginModel {
    let isEnabled = Observable(false)
}

private final class LoginButton {
    let title = Observer<Bool> { _ in }
}

private final class LoginFlow {
    let model = LoginModel()
    private let button = LoginButton()

    init() {
        button.title.subscribe(to: model.isEnabled)
        Trace.adopt(button)
    }

    func tap() { model.isEnabled.value = true }
}
