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
    }
}
