import Testing
import Weir
import WeirTrace

extension Everything {
    /// A failure that ends a subscription without a handler for it.
    @Suite struct UnhandledFailureTests {
        private struct Refused: Error {}

        /// The failures that the hook receives while `body` runs.
        private func reported(_ body: () -> Void) -> [UnhandledFailure] {
            let reports = Locked<[UnhandledFailure]>([])
            Trace.onUnhandledFailure { report in reports.change { $0.append(report) } }
            body()
            Trace.onUnhandledFailure(nil)
            return reports.value
        }

        @Test @MainActor func `Each way to receive values only reports a failure, with its line`() throws {
            @MainActor final class Screen { var title = "" }
            let (source, title, screen) = (Emitter<String>(), Observable(""), Screen())
            let observer = Observer<String> { _ in }
            let first = UInt(#line) + 2
            let reports = reported {
                source.subscribe { _ in }
                source.map { $0 + "!" }.subscribe(owner: screen) { _ in }
                source.bind(to: title)
                source.bind(to: screen, \.title)
                observer.subscribe(to: source)
                source.fail(Refused())
            }
            #expect(reports.map(\.line) == (0..<5).map { Int(first) + $0 })
            #expect(reports.allSatisfy { $0.error is Refused && $0.file == #fileID })
            #expect(
                reports.first?.description
                    == "\(#fileID):\(first): the subscription ended with a failure that no handler receives: Refused()")
        }

        @Test func `A cold signal and a handler of an actor report it, too`() async {
            let reports = Locked<[UnhandledFailure]>([])
            Trace.onUnhandledFailure { report in reports.change { $0.append(report) } }
            await Self.subscribeOnMain()
            Trace.onUnhandledFailure(nil)
            #expect(reports.value.count == 1)
        }

        @MainActor private static func subscribeOnMain() {
            Signal<Int> { subscriber in
                subscriber.fail(Refused())
                return nil
            }.subscribe { _ in }
        }

        @Test func `A failure that somebody receives is not reported`() {
            let source = Emitter<Int>()
            let reports = reported {
                source.subscribeEvents { _ in }
                source.catch { _ in .just(0) }.subscribe { _ in }
                source.materialize().subscribe { _ in }
                source.fail(Refused())
            }
            #expect(reports.isEmpty)
        }

        @Test func `A trace says which subscription it ended`() throws {
            let recording = try record {
                let source = Emitter<Int>()
                source.subscribe { _ in }
                source.subscribeEvents { _ in }
                source.fail(Refused())
                Signal<Int>.failed(Refused()).subscribe { _ in }
            }
            #expect(recording.events.compactMap(\.endReason) == [.failedUnhandled, .failed, .failedUnhandled])
        }

        @Test func `The handler is released when another takes its place`() {
            final class Token {}
            weak var released: Token?
            do {
                let token = Locked(Token())
                released = token.value
                Trace.onUnhandledFailure { _ in _ = token }
            }
            #expect(released != nil)
            Trace.onUnhandledFailure(nil)
            #expect(released == nil)
        }

        @Test func `A flattened stream of executions survives a failure`() {
            let (values, errors) = (Locked<[Int]>([]), Locked(0))
            let command = Command<Int, Int> { $0 < 0 ? .failed(Refused()) : .just($0) }
            command.executions.flatMap(.latest) { $0 }.subscribe { value in values.change { $0.append(value) } }
            command.errors.subscribe { _ in errors.change { $0 += 1 } }
            let reports = reported { for input in [1, -1, 2] { command.execute(input) } }
            #expect(values.value == [1, 2] && errors.value == 1 && reports.isEmpty)
        }

        /// A command whose inputs below 0 fail, and a closed trace of what was done with it.
        private func failing(_ act: (Command<Int, Int>) -> Void) throws -> (
            reports: [UnhandledFailure], recording: Recording
        ) {
            var reports: [UnhandledFailure] = []
            let recording = try record {
                let command = Command<Int, Int> { $0 < 0 ? .failed(Refused()) : .just($0) }
                reports = reported { act(command) }
            }
            return (reports, recording)
        }

        @Test func `A failed execution that nothing receives is reported with the line of its call`() throws {
            let line = #line + 1
            let (reports, recording) = try failing { $0.execute(-1) }
            #expect(reports.map(\.line) == [line] && reports.first?.error is Refused)
            #expect(
                reports.first?.description
                    == "\(#fileID):\(line): the execution failed, and nothing receives the failure: Refused()")
            #expect(recording.events.compactMap(\.endReason).filter { $0 == .failedUnhandled }.count == 1)
        }

        @Test func `It is not, if something receives it from the command or from the execution`() throws {
            let uses: [(Command<Int, Int>) -> Void] = [
                { command in
                    command.errors.subscribe { _ in }
                    command.execute(-1)
                },
                { $0.execute(-1).subscribeEvents { _ in } },
                { $0.execute(-1).catch { _ in .just(0) }.subscribe { _ in } },
                { command in
                    let late = command.execute(-1)
                    command.execute(2)
                    late.subscribeEvents { _ in }
                },
                { $0.execute(1) },
            ]
            for use in uses {
                let (reports, recording) = try failing(use)
                #expect(reports.isEmpty)
                #expect(!recording.events.contains { $0.endReason == .failedUnhandled })
                // Each execution ends the command's subscription, and that is recorded once.
                let relays = recording.definitions.subscriptions.values.filter { subscription in
                    subscription.isInternal
                        && recording.definitions.nodes[subscription.source]?.kind == .execution
                        && subscription.target.map { recording.definitions.nodes[$0]?.kind } == .emitter
                }
                for relay in relays {
                    #expect(recording.events.count { $0.kind == .subscriptionEnded && $0.subject == relay.id } == 1)
                }
            }
        }

        @Test func `A handler of values only reports it once, and a flattened stream does not count`() throws {
            let line = #line + 1
            #expect(try failing { $0.execute(-1).subscribe { _ in } }.reports.map(\.line) == [line])
            let flattened = try failing { command in
                command.executions.flatMap(.latest) { $0 }.subscribe { _ in }
                command.execute(-1)
            }
            #expect(flattened.reports.count == 1)
        }

        @Test func `Nor is a refusal, or a cancelled execution, a failure`() throws {
            let (reports, _) = try failing { command in
                let busy = Command<Void, Int> { .never() }
                let first = busy.execute()
                busy.execute()
                first.cancel()
                withExtendedLifetime(command) {}
            }
            #expect(reports.isEmpty)
        }

        @Test func `An execution that fails later is reported when it is released`() async throws {
            let reports = Locked<[UnhandledFailure]>([])
            let command = Command<Void, Int> { () async throws -> Int in throw Refused() }
            Trace.onUnhandledFailure { report in reports.change { $0.append(report) } }
            do {
                let execution = command.execute()
                for _ in 0..<1000 where command.isExecuting.value { try await Task.sleep(for: .milliseconds(2)) }
                #expect(reports.value.isEmpty, "a subscriber may still come")
                withExtendedLifetime(execution) {}
            }
            for _ in 0..<1000 where reports.value.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
            Trace.onUnhandledFailure(nil)
            #expect(reports.value.count == 1)
        }
    }
}
