import Testing
import Weir
import WeirTrace

extension Everything {
    /// Cold signals that answer later, from a callback.
    @MainActor @Suite struct LateSourceTests {
        private final class Server: @unchecked Sendable {  // For one thread.
            var answer: ((Int) -> Void)?
            lazy var response = Signal<Int> { [unowned self] subscriber in
                answer = { subscriber.next($0) }
                return nil
            }
        }

        @Test func `An answer that comes later names the request in the course of which it was asked for`() throws {
            let recording = try record {
                let server = Server()
                let request = Emitter<String>()
                request.flatMap(.latest) { _ in server.response }.subscribe { _ in }
                Trace.stimulus("tap") { request.emit("maruko") }
                server.answer?(7)
            }
            let request = recording.events.first { $0.kind == .emitted }
            let hop = recording.events.first { $0.kind == .hopBegan }
            #expect(hop?.cause == request?.id)
            #expect(hop.map { recording.definitions.nodes[$0.subject]?.kind == .source } == true)
            let answer = recording.events.first { $0.value == .signed(7) }
            #expect(answer?.cause == hop?.id)
        }

        @Test func `What a source brings that was subscribed to when the screen opened is a stimulus`() throws {
            let recording = try record {
                let button = Server()
                Trace.stimulus("open") { button.response.subscribe { _ in } }
                button.answer?(7)
            }
            let touch = recording.events.first { $0.kind == .emitted }
            #expect(touch != nil && touch?.cause == nil)
            #expect(recording.count(.hopBegan) == 0)
        }

        @Test func `An answer inside of something else is caused by that`() throws {
            let recording = try record {
                let server = Server()
                Trace.stimulus("tap") { server.response.subscribe { _ in } }
                Trace.stimulus("answer") { server.answer?(7) }
                let trigger = Emitter<Int>()
                trigger.subscribe { server.answer?($0) }
                trigger.emit(8)
            }
            #expect(recording.count(.hopBegan) == 0)
        }

        @Test(arguments: [false, true])
        func `What it makes settle belongs to its turn, recorded or not`(isAsked: Bool) throws {
            nonisolated(unsafe) var runs = 0
            let recording = try record {
                let server = Server()
                let first = Observable(0), second = Observable(0)
                let sum = Observable.combine(first, second, strategy: .settled) {
                    runs += 1
                    return $0 + $1
                }
                let subscribe = {
                    server.response.subscribe {
                        first.value = $0
                        second.value = $0
                    }
                }
                let request = Emitter<Void>()
                request.subscribe { _ = subscribe() }
                if isAsked { request.emit() } else { _ = subscribe() }
                runs = 0
                server.answer?(7)
                #expect(sum.value == 14)
            }
            #expect(runs == 1)
            let sum = recording.events.last { event in
                event.kind == .emitted && recording.definitions.nodes[event.subject]?.kind == .combiner
            }
            #expect(sum?.cause != nil)
            #expect(recording.count(.hopBegan) == (isAsked ? 1 : 0))
        }

        @Test(arguments: ["just", "sequence", "result"])
        func `What a source emits at once is a turn as well`(name: String) throws {
            let sources = [
                "just": Signal.just(7), "sequence": Signal([7]), "result": Signal(Result<Int, Never>.success(7)),
            ]
            let source = try #require(sources[name])
            let first = Observable(0), second = Observable(0)
            var sums: [Int] = []
            let sum = Observable.combine(first, second, strategy: .settled) { $0 + $1 }
            sum.subscribe { sums.append($0) }
            source.subscribe {
                first.value = $0
                second.value = $0
            }
            #expect(sums == [14])
        }

        @Test func `Nothing recorded, its writes are one turn too`() {
            nonisolated(unsafe) var runs = 0
            let server = Server()
            let first = Observable(0), second = Observable(0)
            let sum = Observable.combine(first, second, strategy: .settled) {
                runs += 1
                return $0 + $1
            }
            server.response.subscribe {
                first.value = $0
                second.value = $0
            }
            runs = 0
            server.answer?(7)
            #expect(sum.value == 14)
            #expect(runs == 1)
        }
    }
}
