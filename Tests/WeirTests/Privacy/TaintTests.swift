import Foundation
import Observation
import Testing
import Weir
import WeirAnalysis
import WeirReport
import WeirTestSupport
import WeirTesting
import WeirTrace

private final class SecretModel {
    let password = Observable("", privacy: .private)
    let bytes = Observable<[UInt8]>([], privacy: .private)
    let words = Observable<[String]>([], privacy: .private)
    let copy = Observable("")
    @Traced var text = ""
    lazy var both = Observable.combine(password, copy) { $0 + $1 }
    lazy var send = Command<String, Int>(privacy: .private) { Signal.just($0.count) }
}

@Observable private final class SecretAccount {
    var password = ""
    var history: [String] = []
    var name = "Ada"
    var visits: [String] = []
}

@Observable private final class SecretNotes {
    var title = "Notes"
    var text = ""
    var pages: [[UInt8]] = []
}

/// A secret passes through every operator, and must not appear anywhere.
extension Everything {
    @MainActor @Suite struct TaintTests {
        @Test func `What is public is found, so the search can fail`() throws {
            let trace = try search {
                Signal.just(Canary.text).subscribe { _ in }
                Signal.just(Canary.number).subscribe { _ in }
            }
            #expect(trace.found.contains("text"))
            #expect(
                trace.found.contains { $0.hasSuffix("integer") || $0.hasSuffix("zigzag") || $0.hasSuffix("varint") })
        }

        @Test(arguments: [TraceValues.none, .scalars, .described()])
        func `No operator lets a private value or error into a trace`(_ values: TraceValues) throws {
            for applied in AppliedOperator.all where applied.function != "disclosed" {
                let stage = CleanupStage(.kept)
                let context = AppliedOperator.Context(stage: stage, token: CleanupStage.Token())
                let secret = Emitter<Int>(privacy: .private)
                let trace = try search(values: values) {
                    let token = applied.apply(secret, context).map { "\($0)" }.subscribeEvents { _ in }
                    for _ in 0..<3 {
                        secret.emit(Canary.number)
                        stage.sendValues()
                    }
                    secret.fail(Canary.Failure())
                    stage.sendValues()
                    token.dispose()
                }
                #expect(trace.found.isEmpty, "\(applied.name)")
                // If the secret only controls times, the number must not appear; otherwise nothing derived from it may appear either.
                let written =
                    trace.recording.events.map { "\($0.value)" }
                    + trace.recording.definitions.nodes.values.map { "\($0.value) \($0.name)" }
                #expect(
                    !written.contains { $0.contains("\(Canary.number)") || $0.contains(Canary.text) }, "\(applied.name)"
                )
            }
        }

        @Test func `Neither does a chain of any operators`() throws {
            // `retry` would subscribe to the failed secret again forever.
            let all = AppliedOperator.all.filter { !["disclosed", "retry"].contains($0.function) }
            for seed in Repeats.seeds(60) {
                var random = SeededGenerator(seed: seed)
                let chain = (0..<4).map { _ in all[Int.random(in: 0..<all.count, using: &random)] }
                let context = AppliedOperator.Context(stage: CleanupStage(.kept), token: CleanupStage.Token())
                let secret = Emitter<Int>(privacy: .private)
                let trace = try search(values: seed.isMultiple(of: 2) ? .scalars : .described()) {
                    let last = chain.reduce(secret as Signal<Int>) { $1.apply($0, context) }
                    let token = last.map { ["\($0)"] }.subscribeEvents { _ in }
                    for _ in 0..<3 {
                        secret.emit(Canary.number)
                        context.stage.sendValues()
                    }
                    secret.fail(Canary.Failure())
                    context.stage.sendValues()
                    token.dispose()
                }
                #expect(trace.found.isEmpty, "seed \(seed): \(chain.map(\.name))")
            }
        }

        /// The trace of a program that uses a secret, without the parts that differ between runs.
        private func reported(of secret: String) throws -> (lines: [String], size: Int) {
            let file = try RecordedFile(values: .described(), snapshots: .standard) {
                let model = SecretModel()
                // Made now: a node that is made after the adoption gets its name when the model's turn comes, which other tests delay.
                _ = (model.both, model.send)
                Trace.adopt(model)
                let waiting = VirtualScheduler()
                let account = SecretAccount()
                Trace.observe(account, \.name, private: \.password, \.history, on: waiting)
                let notes = SecretNotes()
                Trace.observe(SecretNotes.self, \.title, others: .private, on: waiting)
                Trace.adopt(notes)
                account.password = secret
                account.history = secret.map { String(repeating: $0, count: 30) }
                account.visits = ["yesterday in the evening, by telephone"]
                notes.text = secret
                notes.pages = secret.utf8.map { [$0, 1, 2] }
                model.password.bind(to: model.copy)
                model.password.bind(to: model, \.text)
                model.both.subscribe { _ in }
                model.password.flatMap(.latest) { Signal.just($0).map { $0.count } }.subscribe { _ in }
                Trace.stimulus("type") { model.password.value = secret }
                model.bytes.value = Array(secret.utf8)
                model.words.value = secret.map { String(repeating: $0, count: 40) }
                model.send.execute(secret)
                Trace.checkpoint("typed")
                withExtendedLifetime((model, account, notes)) {}
            }
            let recording = try file.read()
            let nodes = recording.definitions.nodes.values.sorted { $0.id < $1.id }.map { "\($0)" }
            let reader = try TraceReader(path: file.file.path)
            let taken: [TraceEvent] = recording.events.filter { $0.kind == EventKind.snapshotTaken }
            let snapshots = taken.flatMap { event -> [String] in
                guard let snapshot = reader.snapshot(event.subject) else { return ["lost"] }
                var rest = snapshot
                (rest.objects, rest.references) = ([], [])
                return snapshot.objects.map { "\($0)" } + snapshot.references.map { "\($0)" } + ["\(rest)"]
            }
            #expect(!snapshots.isEmpty)
            let size = try FileManager.default.attributesOfItem(atPath: file.file.path)[.size] as? Int ?? 0
            return (recording.story + nodes + snapshots, size)
        }

        @Test func `Traces of secrets of different lengths say the same`() throws {
            // A declaration for a class is permanent, so the first run differs from all others.
            _ = try reported(of: "")
            let short = try reported(of: "sesame")
            let long = try reported(of: String(repeating: Canary.text, count: 50))
            #expect(short.size == long.size)
            let differences = zip(short.lines, long.lines).filter { $0 != $1 }
            #expect(differences.isEmpty, "\(differences.prefix(4))")
            #expect(short.lines.count == long.lines.count)
        }

        /// Operators that keep values.
        private static let keeping: [(Signal<[UInt8]>, VirtualScheduler) -> DisposeBag] = {
            func heard<Value>(
                _ apply: @escaping (Signal<[UInt8]>, VirtualScheduler) -> Signal<Value>
            ) -> (Signal<[UInt8]>, VirtualScheduler) -> DisposeBag {
                { source, time in
                    let bag = DisposeBag()
                    apply(source, time).subscribe { _ in }.disposed(by: bag)
                    return bag
                }
            }
            let other = Emitter<Int>()
            return [
                heard { source, _ in source.buffer(count: 5) },
                heard { source, _ in source.collect() },
                heard { source, _ in source.zip(other) },
                heard { source, _ in source.combineLatest(other) },
                heard { source, _ in other.withLatest(from: source) },
                heard { source, _ in source.scan([]) { $0 + $1 } },
                heard { source, _ in source.removeDuplicates() },
                heard { source, time in source.debounce(.seconds(1), on: time) },
                heard { source, time in source.throttle(.seconds(1), on: time) },
                heard { source, time in source.delay(.seconds(1), on: time) },
                heard { source, time in source.deliver(on: time) },
                heard { source, _ in source.share() },
            ]
        }()

        @Test func `What an operator keeps of a secret has no size`() throws {
            // Before the first recording, as one of them makes an emitter for all.
            let keeping = Self.keeping
            func snapshots(_ secret: [UInt8]) throws -> [TraceSnapshot] {
                let file = try RecordedFile(values: .described(), snapshots: .standard) {
                    let time = VirtualScheduler()
                    // All of them at once: a snapshot takes much longer than its program.
                    let kept = keeping.map { apply in
                        let source = Emitter<[UInt8]>(privacy: .private)
                        let bag = apply(source, time)
                        for _ in 0..<3 { source.emit(secret + []) }
                        return (source, bag)
                    }
                    Trace.checkpoint("kept")
                    for (_, bag) in kept { bag.dispose() }
                    withExtendedLifetime((time, kept)) {}
                }
                let reader = try TraceReader(path: file.file.path)
                let taken = try file.read().events.filter { $0.kind == EventKind.snapshotTaken }
                let found = taken.compactMap { reader.snapshot($0.subject) }
                #expect(found.count == 2 && taken.count == 2)
                return found
            }
            func objects(_ secret: [UInt8]) throws -> [String] {
                var found = try snapshots(secret)
                // On a busy machine a walk may be ended early. Then it says nothing about sizes.
                for _ in 0..<3 where found.contains(where: { $0.limitations.contains { $0.reason.isAborted } }) {
                    found = try snapshots(secret)
                }
                return found.flatMap { snapshot in
                    snapshot.objects.map { object in
                        var object = object
                        // A guess, from what the memory around happens to hold.
                        object.outsideHolder = nil
                        object.otherHolders = []
                        return "\(object)"
                    } + snapshot.limitations.map { "\($0)" }
                }
            }
            let (short, long) = (try objects([1, 2, 3]), try objects(Array(0..<200)))
            #expect(short.count > 2 * keeping.count)
            #expect(short == long, "\(short.difference(from: long))")
        }

        @Test func `A summary lists the public nodes that private ones feed`() throws {
            let file = try RecordedFile {
                let password = Observable("", privacy: .private)
                password.map(file: "Login/Model.swift", line: 4) { $0.count > 8 }
                    .disclosed(file: "Login/Model.swift", line: 5).subscribe { _ in }
                let isEmpty = Observable.combine(password, privacy: .public, file: "Login/Model.swift", line: 6) {
                    $0.isEmpty
                }
                let name = Observable("")
                name.map { $0 + "!" }.subscribe { _ in }
                password.value = Canary.text
                withExtendedLifetime(isEmpty) {}
            }
            let summary = try TraceSummary(of: TraceReader(path: file.file.path))
            #expect(summary.disclosures.map(\.name) == ["disclose Model.swift:5", "combiner Model.swift:6"])
            #expect(summary.disclosures.first?.sources == ["map Model.swift:4"])
            let report = InfoReport(summary, path: "login.weir", fileSize: 0)
            #expect(
                report.text().contains(
                    """
                    2 public nodes fed by private nodes:
                      disclose Model.swift:5 at Login/Model.swift:5, fed by map Model.swift:4
                      combiner Model.swift:6 at Login/Model.swift:6, fed by observable TaintTests.swift
                    """))
            #expect("\(report.json)".contains("disclosures"))
        }
    }
}

@available(iOS 17, macOS 14, *)
@Observable private final class Card { var amount = 0 }

@available(iOS 17, macOS 14, *)
@Observable private final class Vault { var byCard: [Int: Card] = [:] }

@available(iOS 17, macOS 14, *)
@Observable private final class Safe {
    var name = ""
    var byCard: [Int: Card] = [:]
}

extension Everything {
    @MainActor @Suite struct PrivateKeyTests {
        private func names(_ body: () -> Void) throws -> [String] {
            let trace = try search(body)
            #expect(trace.found.isEmpty)
            return trace.recording.definitions.nodes.values.map(\.name).filter { $0.hasSuffix(".amount") }.sorted()
        }

        @Test func `Keys of a private dictionary are in no name, and two keys are two nodes`() throws {
            guard #available(iOS 17, macOS 14, *) else { return }
            Trace.observe(Card.self, \.amount, on: .immediate)
            let vault = Vault()
            vault.byCard = [Canary.number: Card(), 2: Card()]
            let found = try names {
                Trace.observe(vault, private: \.byCard, on: .immediate)
                Trace.adopt(vault)
                for card in vault.byCard.values { card.amount = 3 }
            }
            #expect(found == ["Vault.byCard[private].amount", "Vault.byCard[private].amount"])
            let safe = Safe()
            Trace.observe(Safe.self, \.name, others: .private, on: .immediate)
            safe.byCard = [Canary.number: Card()]
            let others = try names {
                Trace.adopt(safe)
                for card in safe.byCard.values { card.amount = 3 }
            }
            #expect(others == ["Safe.byCard[private].amount"])
        }
    }
}
