import Testing
import Weir
import WeirTrace

/// Signals that closures of operators make from a private value.
extension Everything {
    @Suite struct InnerSignalPrivacyTests {
        private let password = Emitter<String>(privacy: .private)

        private func type(_ signal: @escaping @autoclosure () -> Signal<some Any>) throws -> SearchedTrace {
            try search {
                let token = signal().subscribeEvents { _ in }
                password.emit(Canary.text)
                token.dispose()
            }
        }

        @Test(arguments: [FlattenStrategy.merge, .latest, .concat, .first])
        func `A signal that flatMap makes of a private value is private`(_ strategy: FlattenStrategy) throws {
            let just = try type(password.flatMap(strategy) { .just($0) })
            #expect(just.found.isEmpty)
            #expect(just.hides(.source))
            #expect(just.values(.source) == [.withheld])
            let chain = try type(
                password.flatMap(strategy) { Signal.just($0).map { $0 + "!" }.share().filter { _ in true } })
            #expect(chain.found.isEmpty)
            #expect(chain.hides(.map))
            #expect(chain.hides(.share))
            let failed = try type(password.flatMap(strategy) { Signal<Int>.failed(Canary.Failure(secret: $0)) })
            #expect(failed.found.isEmpty)
            let held = try type(password.flatMap(strategy) { Observable($0).current })
            #expect(held.found.isEmpty)
            let title = Observable("title")
            let captured = try type(password.flatMap(strategy) { word in title.current.map { $0 + word } })
            #expect(captured.found.isEmpty)
            #expect(captured.values(.map) == [.withheld])
            #expect(captured.values(.observable) == [.string("title")])
        }

        @Test(arguments: [FlattenStrategy.merge, .latest, .concat, .first])
        func `A signal that is a private value is private`(_ strategy: FlattenStrategy) throws {
            let flattened = try type(password.map { Signal.just($0).map { $0 } }.flatten(strategy))
            #expect(flattened.found.isEmpty)
            #expect(flattened.hides(.source))
        }

        @Test func `What stands in for a private signal is private`() throws {
            let text = try type(
                password.map { throw Canary.Failure(secret: $0) }.catch { (error: any Error) in .just("\(error)") })
            #expect(text.found.isEmpty)
            let error = try type(password.map { throw Canary.Failure(secret: $0) }.catch { .failed($0) as Signal<Int> })
            #expect(error.found.isEmpty)
            let thrown = try type(password.flatMap(.latest) { throw Canary.Failure(secret: $0) } as Signal<Int>)
            #expect(thrown.found.isEmpty)
        }

        @Test func `The error of a signal that gives times only is private`() throws {
            let open = Emitter<Int>()
            let trace = try search {
                let secret = Emitter<Int>(privacy: .private)
                let ended = open.takeUntil(secret).subscribeEvents { _ in }
                open.emit(1)
                secret.fail(Canary.Failure())
                ended.dispose()
            }
            #expect(trace.found.isEmpty)
            #expect(trace.values(.takeUntil) == [.signed(1)])
        }

        @Test func `What an inner signal discloses is public, what it takes from is not`() throws {
            let trace = try type(password.flatMap(.latest) { Signal.just($0).map(\.count).disclosed() })
            #expect(trace.found.isEmpty)
            #expect(trace.values(.disclose) == [.signed(16)])
            #expect(trace.values(.map) == [.withheld])
            #expect(trace.values(.flatMap) == [.withheld])
        }

        @Test func `A public flatMap hides neither its inner signals nor itself`() throws {
            let names = Emitter<String>()
            let trace = try search {
                let token = names.flatMap(.latest) { .just($0) }.subscribe { _ in }
                names.emit("name")
                token.dispose()
            }
            #expect(trace.values(.source) == [.string("name")])
            #expect(trace.values(.flatMap) == [.string("name")])
        }

        @Test func `A private signal takes nothing from the privacy of another concatenated one`() throws {
            let trace = try search {
                Signal.just(1).concat(.just(2, privacy: .private)).subscribe { _ in }.dispose()
            }
            #expect(trace.values(.source) == [.signed(1), .withheld])
        }
    }
}
