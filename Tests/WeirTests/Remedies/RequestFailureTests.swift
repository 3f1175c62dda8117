import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// A failure behind a flatMap: a request failed, or what the flatMap receives.
    @Suite struct RequestFailureTests {
        private struct Offline: Error {}

        /// The remedy for the only unhandled failure of a program, and the line of the flatMap that it names; nil: none.
        private func remedy(_ body: (Scene) throws -> Void) throws -> (kind: Remedy.Kind?, line: Int?) {
            let file = try TemporaryTrace()
            let scene = Scene(recordingTo: file.path, values: .scalars)
            defer { scene.end() }
            do {
                defer { Trace.stop() }
                try scene.record()
                try body(scene)
            }
            let reader = try TraceReader(path: file.path)
            let topology = Topology(try reader.definitions())
            let found = Findings(RedundancyPass(reader, topology), topology.definitions).found
            let failures = found.filter { $0.rule == .unhandledFailure }
            #expect(failures.count == 1)
            return (failures.first?.remedy?.kind, failures.first?.remedy?.site?.line)
        }

        private func request(_ number: Int, on scheduler: some Weir.Scheduler) -> Signal<String> {
            (number == 2 ? Signal<String>.failed(Offline()) : .just("answer \(number)"))
                .delay(.milliseconds(10), on: scheduler)
        }

        @Test func `Operators after the flatMap do not hide that a request failed`() throws {
            nonisolated(unsafe) var line = 0
            let found = try remedy { scene in
                let taps = scene.name("taps", Emitter<Int>())
                line = #line + 1
                let answers = taps.flatMap(.latest) { number in request(number, on: scene.time).retry(1) }
                answers.deliver(on: scene.time).retry(1).share().map { "<\($0)>" }.subscribe {
                    scene.show($0, on: "list")
                }
                .disposed(by: scene.bag)
                for number in [1, 2, 2, 2, 2] {
                    scene.act("tap") { taps.emit(number) }
                    scene.time.advance(by: .milliseconds(50))
                }
            }
            #expect(found.kind == .catchInRequest && found.line == line)
        }

        @Test func `A request that gives several values, and is joined with another one, fails`() throws {
            nonisolated(unsafe) var line = 0
            let found = try remedy { scene in
                let rooms = scene.name("rooms", Emitter<Int>())
                let messages = scene.name("messages", Emitter<String>())
                let names = scene.name("names", Observable("Ann"))
                line = #line + 1
                rooms.flatMap(.latest) { _ in messages.withLatest(from: names) { "\($0) \($1)" } }.subscribe { _ in }
                    .disposed(by: scene.bag)
                scene.act("enter") { rooms.emit(1) }
                for text in ["hello", "bye"] { scene.act("receive") { messages.emit(text) } }
                scene.act("lose the connection") { messages.fail(Offline()) }
            }
            #expect(found.kind == .catchInRequest && found.line == line)
        }

        @Test func `Of a flatMap in a flatMap, the one whose request failed is named`() throws {
            nonisolated(unsafe) var line = 0
            let found = try remedy { scene in
                let users = scene.name("users", Emitter<Int>())
                let queries = scene.name("queries", Emitter<Int>())
                users.flatMap(.latest) { _ in
                    line = #line + 1
                    return queries.flatMap(.latest) { number in request(number, on: scene.time) }
                }.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("log in") { users.emit(1) }
                for number in 1...2 {
                    scene.act("search") { queries.emit(number) }
                    scene.time.advance(by: .milliseconds(50))
                }
            }
            #expect(found.kind == .catchInRequest && found.line == line)
        }

        @Test func `A failure of what the flatMap receives is caught behind it`() throws {
            let found = try remedy { scene in
                let taps = scene.name("taps", Emitter<Int>())
                taps.flatMap(.latest) { number in request(number, on: scene.time) }.subscribe { _ in }
                    .disposed(by: scene.bag)
                scene.act("tap") { taps.emit(1) }
                scene.act("close") { taps.fail(Offline()) }
            }
            #expect(found.kind == .handleFailure)
        }

        @Test func `A request after the last value ends nothing else`() throws {
            let found = try remedy { scene in
                Signal.just(2).flatMap(.latest) { number in request(number, on: scene.time) }.subscribe { _ in }
                    .disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(50))
            }
            #expect(found.kind == .handleFailure)
        }
    }
}
