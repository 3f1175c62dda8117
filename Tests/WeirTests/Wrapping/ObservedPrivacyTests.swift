import Observation
import Testing
import Weir
import WeirTesting
import WeirTrace

@Observable
private class Person {
    var name = ""
    var secret = ""
}

@Observable
private final class Client: Person {
    var address = Address()
    var token = ""
    var isKnown: Bool { !token.isEmpty }
    var greeting: String { "Hello \(secret)" }
    var card: Card?
    struct Card: Equatable { var number = "" }
    struct Address: Equatable {
        var city = ""
        var street = ""
    }
}

@Observable
private final class Account {
    var name = ""
    var balance = 0
    var isEmpty: Bool { balance == 0 }
}

@Observable
private final class Bank {
    var clients: [Client] = []
    var accounts: [Account] = []
    var best: Client?
    var all: String { clients.map(\.secret).joined() }
}

extension Everything {
    /// A property declared private once is private in all models of the class.
    @MainActor @Suite struct ObservedPrivacyTests {
        /// The recording; none of its values, texts or names may contain the secret.
        private func recordSecrets(_ body: () -> Void) throws -> Recording {
            let recording = try record(values: .described(), body)
            let reported =
                recording.events.map { "\($0.value) \($0.text)" }
                + recording.definitions.nodes.values.map { "\($0.value) \($0.label ?? "")" }
            #expect(!reported.contains { $0.contains("SECRET") })
            return recording
        }

        @Test func `What is private of a class is so in items that come later, and what is computed from them`() throws
        {
            let (bank, time) = (Bank(), VirtualScheduler())
            let recording = try recordSecrets {
                Trace.observe(Client.self, \.name, private: \.secret, \.token, on: time)
                Trace.observe(bank, \.clients, \.all, on: time)
                let rendering = Trace.render("list", on: time) { bank.clients.map { $0.secret + $0.greeting } }
                let client = Client()
                client.secret = "FIRST SECRET"
                bank.clients = [client]
                time.runUntilIdle()
                client.secret = "SECRET"
                client.token = "SECRET"
                client.name = "public"
                time.runUntilIdle()
                Trace.wrap(client).secret = "SECRET 2"
                _ = Trace.wrap(client).greeting
                time.runUntilIdle()
                rendering.dispose()
            }
            #expect(recording.events.contains { $0.value == .string("public") })
            #expect(recording.emissions(of: "list").suffix(2) == [.withheld, .withheld])
        }

        @Test func `What is private of one model is so in all others of its class, from then on`() throws {
            let (first, second, unknown, time) = (Client(), Client(), Client(), VirtualScheduler())
            let recording = try recordSecrets {
                Trace.observe(second, \.token, on: time)
                Trace.observe(first, private: \.token, on: time)
                second.token = "SECRET"
                time.runUntilIdle()
                let rendering = Trace.render("token", on: time) { unknown.token }
                unknown.token = "SECRET"
                time.runUntilIdle()
                Trace.wrap(Client()).token = "SECRET"
                rendering.dispose()
            }
            #expect(recording.emissions(of: "token") == [.withheld, .withheld])
        }

        @Test func `A property of a superclass is private by whichever class it is named`() throws {
            let (client, other, time) = (Client(), Client(), VirtualScheduler())
            _ = try recordSecrets {
                // The superclass's macro uses a key path of its own for it.
                let rendering = Trace.render("early", on: time) { other.secret }
                rendering.dispose()
                Trace.observe(Client.self, private: \Client.secret, on: time)
                let second = Trace.render("unknown", on: time) { other.secret }
                other.secret = "SECRET"
                time.runUntilIdle()
                Trace.observe(client, \.name, on: time)
                client.secret = "SECRET"
                time.runUntilIdle()
                let third = Trace.render("known", on: time) { client.secret + "!" }
                time.runUntilIdle()
                second.dispose()
                third.dispose()
            }
        }

        @Test func `A part of a structure that is private hides the structure`() throws {
            let (client, time) = (Client(), VirtualScheduler())
            _ = try recordSecrets {
                Trace.observe(client, \.address, private: \.address.street, on: time)
                client.address.street = "SECRET"
                time.runUntilIdle()
                Trace.wrap(client).address.street = "SECRET 2"
            }
        }

        @Test func `The last part of a path is private in all models of its class`() throws {
            let (bank, client, time) = (Bank(), Client(), VirtualScheduler())
            bank.clients = [client]
            _ = try recordSecrets {
                Trace.observe(bank, private: \.clients[0].secret, on: time)
                Trace.observe(client, \.secret, on: time)
                client.secret = "SECRET"
                time.runUntilIdle()
                bank.clients.append(Client())
                bank.clients[1].secret = "SECRET"
                let rendering = Trace.render("list", on: time) { bank.clients.map(\.secret) }
                time.runUntilIdle()
                rendering.dispose()
            }
        }

        @Test func `A path through what is not there yet hides its end, and nothing that it goes through`() throws {
            let (bank, time) = (Bank(), VirtualScheduler())
            bank.clients = [Client()]
            let recording = try recordSecrets {
                Trace.adopt(bank)
                Trace.observe(bank.clients[0], \.secret, on: time)
                Trace.observe(bank, \.best?.name, private: \.best?.secret, on: time)
                bank.best = bank.clients[0]
                time.runUntilIdle()
                bank.best?.secret = "SECRET"
                bank.best?.name = "Maruko"
                time.runUntilIdle()
                let rendering = Trace.render("best", on: time) { bank.best?.secret }
                bank.best?.address.city = "Shimizu"
                bank.best?.secret = "SECRET 2"
                time.runUntilIdle()
                rendering.dispose()
            }
            #expect(recording.events.contains { $0.value == .string("Maruko") })
        }

        @Test func `A structure that is not there yet is hidden, of which a part is private`() throws {
            let (client, time) = (Client(), VirtualScheduler())
            _ = try recordSecrets {
                Trace.observe(client, private: \.card?.number, on: time)
                client.card = Client.Card(number: "SECRET")
                time.runUntilIdle()
                Trace.wrap(client).card = Client.Card(number: "SECRET 2")
            }
        }

        @Test func `Where others are private, only what is named is reported`() throws {
            let (bank, time) = (Bank(), VirtualScheduler())
            let recording = try recordSecrets {
                Trace.observe(Account.self, \.balance, \.isEmpty, others: .private, on: time)
                Trace.observe(bank, \.accounts, on: time)
                bank.accounts = [Account()]
                time.runUntilIdle()
                bank.accounts[0].balance = 77
                bank.accounts[0].name = "SECRET"
                time.runUntilIdle()
                let rendering = Trace.render("name", on: time) { bank.accounts.map(\.name) }
                bank.accounts[0].name = "SECRET 2"
                time.runUntilIdle()
                Trace.wrap(Account()).name = "SECRET 3"
                rendering.dispose()
            }
            #expect(recording.events.contains { $0.value == .signed(77) })
            #expect(recording.events.contains { $0.value == .bool(false) })
        }
    }
}
