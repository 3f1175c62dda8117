import Testing
import WeirTestSupport

/// Swift 6 refuses programs that would race, and accepts the others, also if a package infers isolation differently.
@Suite(.serialized, .blocking, .timeLimit(.minutes(15))) struct IsolationCompileTests {
    private static let upcoming = [
        [], ["-default-isolation", "MainActor"], ["-enable-upcoming-feature", "InferIsolatedConformances"],
        ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"],
    ]

    struct Refusal: Sendable {
        let testDescription: String
        let error: String
        let source: String
    }

    static let refusals = [
        Refusal(
            testDescription: "a handler without isolation that changes a captured variable",
            error: "mutation of captured var 'sum' in concurrently-executing code",
            source: """
                nonisolated func count(_ number: Observable<Int>) {
                    var sum = 0
                    number.subscribe { sum += $0 }
                }
                """),
        Refusal(
            testDescription: "a handler without isolation that captures an object that is not Sendable",
            error: "capture of 'label' with non-Sendable type 'Label' in a '@Sendable' closure",
            source: """
                nonisolated final class Label { var text = "" }
                nonisolated func show(_ name: Observable<String>, in label: Label) {
                    name.subscribe { label.text = $0 }
                }
                """),
        Refusal(
            testDescription: "a main-actor class that subscribes outside of its isolation",
            error: "main actor-isolated property 'count' can not be mutated from a Sendable closure",
            source: """
                @MainActor final class Model {
                    let name = Observable("")
                    var count = 0
                    nonisolated func watch() { name.subscribe { [weak self] _ in self?.count += 1 } }
                }
                """),
        Refusal(
            testDescription: "a value that is not Sendable, delivered on another thread",
            error: "type 'Draft' does not conform to the 'Sendable' protocol",
            source: """
                nonisolated final class Draft { var text = "" }
                nonisolated func save(_ draft: Observable<Draft>) { draft.deliver(on: .main).subscribe { _ in } }
                """),
        Refusal(
            testDescription: "an observable of a value that is not Sendable, used in a task",
            error: "passing closure as a 'sending' parameter risks causing data races between code in the current task "
                + "and concurrent execution of the closure",
            source: """
                nonisolated final class Draft { var text = "" }
                nonisolated func save(_ draft: Observable<Draft>) { Task.detached { draft.value.text = "" } }
                """),
        Refusal(
            testDescription: "a transform that reads the main actor's state",
            error: "main actor-isolated property 'prefix' can not be referenced from a Sendable closure",
            source: """
                @MainActor final class Model {
                    let name = Observable("")
                    var prefix = ""
                    func titles() -> Signal<String> { name.map { [weak self] in (self?.prefix ?? "") + $0 } }
                }
                """),
        Refusal(
            testDescription: "a combiner that changes a captured variable",
            error: "mutation of captured var 'runs' in concurrently-executing code",
            source: """
                nonisolated func combine(_ a: Observable<Int>) -> Combiner<Int> {
                    var runs = 0
                    return Observable.combine(a) { runs += 1; return $0 }
                }
                """),
        Refusal(
            testDescription: "a property that is bound outside of any isolation",
            error:
                "call to actor-isolated instance method 'bind(to:_:isolation:file:line:)' in a synchronous nonisolated "
                + "context",
            source: """
                nonisolated final class Label { var text = "" }
                nonisolated func show(_ name: Observable<String>, in label: Label) { name.bind(to: label, \\.text) }
                """),
        Refusal(
            testDescription: "an array of elements whose equality belongs to the main actor",
            error:
                "main actor-isolated conformance of 'Row' to 'Equatable' cannot satisfy conformance requirement for a "
                + "'SendableMetatype' type parameter 'Element'",
            source: """
                @MainActor struct Row: @MainActor Equatable { var text = "" }
                @MainActor func rows() -> ObservableArray<Row> { ObservableArray() }
                """),
    ]

    private static let refused = Result { try CompiledSource.each(of: refusals.map(\.source)) }

    @Test(arguments: refusals.indices) func `The compiler refuses what would race`(_ number: Int) throws {
        let (refusal, compiled) = (Self.refusals[number], try Self.refused.get()[number])
        #expect(compiled.errors.contains(refusal.error), "\(refusal.testDescription): \(compiled.output)")
    }

    @Test(arguments: upcoming) func `A package may infer isolation as it likes`(_ options: [String]) throws {
        let compiled = try CompiledSource(
            """
            struct Row: Equatable { var text = "" }

            @MainActor final class Label { var text = "" }

            @MainActor final class Model {
                let name = Observable("")
                let rows = Observable([Row()])
                let label = Label()
                var changes = 0
                let bag = DisposeBag()
                lazy var title = Observable.combine(name) { $0.uppercased() }
                lazy var onName = Observer<String> { @MainActor [weak self] in self?.label.text = $0 }
                lazy var load = Command<Void, Int> { @MainActor [weak self] in
                    self?.changes += 1
                    return .just(1)
                }

                init() {
                    name.subscribe { [weak self] _ in self?.changes += 1 }.disposed(by: bag)
                    name.current.map { $0 + "!" }.filter { !$0.isEmpty }.bind(to: label, \\.text).disposed(by: bag)
                    rows.subscribe(initial: true) { [label] in label.text = "\\($0.count)" }.disposed(by: bag)
                    name.subscribeEvents { [weak self] _ in self?.changes += 1 }.disposed(by: bag)
                    name.subscribe(show).disposed(by: bag)
                }

                func show(_ text: String) { label.text = text }
            }

            actor Store {
                var sum = 0
                func watch(_ number: Observable<Int>) { number.subscribe { self.sum += $0 } }
            }

            nonisolated func log(_ name: Observable<String>) { name.subscribe { print($0) } }

            func use(_ search: Command<String, [String]>) async {
                search.values.subscribe { print($0) }
                let found = Signal { try await find("Maruko") }
                found.subscribe { print($0) }
            }

            func find(_ name: String) async throws -> [String] { [name] }
            """, options: options)
        #expect(compiled.errors == [], "\(compiled.output)")
    }
}
