import Testing
import Weir
import WeirAnalysis
import WeirReport
import WeirTrace

extension Everything {
    /// Traces of operators with several sources.
    @MainActor @Suite struct SeveralSourcesTraceTests {
        final class Model: Sendable {
            let a = Emitter<Int>()
            let b = Emitter<Int>()
            let secret = Emitter<Int>(privacy: .private)
        }

        /// The emissions of all nodes of a kind, for nodes that adoption did not name.
        func emissions(of kind: NodeKind, in recording: Recording) -> [TraceValue] {
            recording.events.filter {
                $0.kind == .emitted && recording.definitions.nodes[$0.subject]?.kind == kind
            }.map(\.value)
        }

        func suppressions(of kind: NodeKind, in recording: Recording) -> [SuppressionReason] {
            recording.events.filter { $0.kind == .suppressed && recording.definitions.nodes[$0.subject]?.kind == kind }
                .compactMap(\.suppressionReason)
        }

        @Test func `A value that has to wait says so, and the pair is an emission of its own`() throws {
            let model = Model()
            let recording = try record {
                Trace.adopt(model)
                model.a.zip(model.b) { $0 * 10 + $1 }.subscribe { _ in }
                model.a.emit(1)
                model.b.emit(2)
                model.a.emit(3)
            }
            #expect(emissions(of: .zip, in: recording) == [.signed(12)])
            #expect(suppressions(of: .zip, in: recording) == [.waiting, .waiting])
        }

        @Test func `The edges that only give times are marked, and why says that they trigger`() throws {
            let recorded = try RecordedFile {
                let (a, b) = (Emitter<Int>(), Emitter<Int>())
                let signals = [a.takeUntil(b), a.skipUntil(b), a.sample(on: b), a.withLatest(from: b) { $0 + $1 }]
                let tokens = signals.map { $0.subscribe { _ in } }
                a.emit(1)
                b.emit(2)
                withExtendedLifetime(tokens) {}
            }
            let reader = try TraceReader(path: recorded.file.path)
            let definitions = try reader.definitions()
            let edges = definitions.subscriptions.values.filter(\.isInternal).sorted { $0.id < $1.id }
            func sources(_ kind: NodeKind, areTimes: Bool) -> [Int] {
                edges.filter { definitions.nodes[$0.target ?? 0]?.kind == kind && $0.isTiming == areTimes }
                    .map { Int($0.source) }
            }
            let emitters = definitions.nodes.values.filter { $0.kind == .emitter }.map { Int($0.id) }.sorted()
            for kind in [NodeKind.takeUntil, .skipUntil, .sample] {
                #expect(sources(kind, areTimes: true).count == 1 && sources(kind, areTimes: false).count == 1)
                #expect(sources(kind, areTimes: true) != sources(kind, areTimes: false))
            }
            #expect(sources(.withLatest, areTimes: true) == [])
            #expect(sources(.withLatest, areTimes: false).sorted() == emitters)
            let sample = try #require(definitions.nodes.values.first { $0.kind == .sample }?.id)
            let timeline = try Timeline(reader)
            timeline.move(to: .max)
            let change = try #require(timeline.lastChange(of: [sample]))
            let explanation = try #require(timeline.explanation(of: change))
            let text = CauseReport(explanation, definitions, timeScale: timeline.timeScale).text()
            #expect(text.contains("↓ triggers"), "\(text)")
            #expect(explanation.target?.inputs.map(\.isTiming).sorted { !$0 && $1 } == [false, true])
        }

        @Test func `Every value that an operator does not pass on is accounted for`() throws {
            let model = Model()
            func reasons(_ kind: NodeKind, _ signal: @autoclosure () -> Signal<Int>) throws -> [SuppressionReason] {
                let recording = try record {
                    let token = signal().subscribe { _ in }
                    model.a.emit(1)
                    model.b.emit(2)
                    model.a.emit(3)
                    token.dispose()
                }
                return suppressions(of: kind, in: recording)
            }
            #expect(try reasons(.combineLatest, model.a.combineLatest(model.b) { $0 + $1 }) == [.waiting])
            #expect(try reasons(.withLatest, model.a.withLatest(from: model.b) { $0 + $1 }) == [.waiting])
            #expect(try reasons(.skipUntil, model.a.skipUntil(model.b)) == [.waiting])
            #expect(try reasons(.sample, model.a.sample(on: model.b)) == [.waiting, .waiting])
            #expect(try reasons(.take, model.a.take { $0 < 3 }) == [.filtered])
            #expect(try reasons(.skip, model.a.skip { $0 < 3 }) == [.filtered])
            #expect(try reasons(.flatMap, model.a.flatMap(.concat) { _ in .never() }) == [.waiting])
            #expect(try reasons(.flatMap, model.a.flatMap(.first) { _ in .never() }) == [.executing])
            #expect(try reasons(.reduce, model.a.reduce(0) { $0 + $1 }) == [.waiting, .waiting])
            #expect(try reasons(.collect, model.a.collect().map(\.count)) == [.waiting, .waiting])
            #expect(try reasons(.last, model.a.last()) == [.waiting, .superseded])
            #expect(try reasons(.race, model.a.race(model.b)) == [])
            #expect(try reasons(.merge, model.a.merge(model.b)) == [])
        }

        @Test func `Both sources are edges to the operator`() throws {
            let model = Model()
            let recording = try record {
                Trace.adopt(model)
                model.a.merge(model.b).subscribe { _ in }
                model.a.emit(1)
                model.b.emit(2)
            }
            let edges = recording.definitions.subscriptions.values.filter {
                $0.target.flatMap { recording.definitions.nodes[$0]?.kind } == .merge
            }
            #expect(edges.map { recording.name($0.source) }.sorted() == ["Model.a", "Model.b"])
        }

        @Test func `What is made of a private source is private, times that it gives are not`() throws {
            let model = Model()
            func values(_ kind: NodeKind, _ signal: @autoclosure () -> Signal<Int>) throws -> [TraceValue] {
                let recording = try record {
                    let token = signal().subscribe { _ in }
                    model.secret.emit(77)
                    model.a.emit(1)
                    model.secret.emit(78)
                    token.dispose()
                }
                return emissions(of: kind, in: recording)
            }
            #expect(try values(.merge, model.a.merge(model.secret)) == [.withheld, .withheld, .withheld])
            #expect(try values(.concat, Signal.empty().concat(model.secret)) == [.withheld, .withheld])
            #expect(try values(.zip, model.a.zip(model.secret) { $1 }) == [.withheld])
            #expect(try values(.withLatest, model.a.withLatest(from: model.secret) { $1 }) == [.withheld])
            #expect(try values(.skipUntil, model.a.skipUntil(model.secret)) == [.signed(1)])
        }

        @Test func `A subject is as private as the source that feeds it, from then on`() throws {
            let model = Model()
            let subject = Emitter<Int>()
            let recording = try record {
                let heard = subject.map { $0 + 1 }.subscribe { _ in }
                subject.emit(1)
                let shared = model.secret.multicast(through: subject)
                let token = shared.subscribe { _ in }
                shared.connect()
                model.secret.emit(77)
                for link in [heard, token] { link.dispose() }
            }
            #expect(emissions(of: .map, in: recording) == [.signed(2), .withheld])
            #expect(emissions(of: .multicast, in: recording) == [.withheld])
            #expect(emissions(of: .emitter, in: recording) == [.signed(1), .withheld, .withheld])
        }

        @Test(arguments: [FlattenStrategy.merge, .latest, .concat, .first])
        func `A private signal that flatMap comes to listen to makes all after it private`(
            _ strategy: FlattenStrategy
        ) throws {
            let model = Model()
            let recording = try record {
                let token = model.b.flatMap(strategy) { $0 == 1 ? .just(5) : model.secret }.map { $0 + 1 }
                    .subscribe { _ in }
                model.b.emit(1)
                model.b.emit(2)
                model.secret.emit(77)
                token.dispose()
            }
            #expect(emissions(of: .flatMap, in: recording) == [.signed(5), .withheld])
            #expect(emissions(of: .map, in: recording) == [.signed(6), .withheld])
            let disclosed = try record {
                let token = model.b.flatMap(strategy) { _ in model.secret }.map { $0 > 70 }.disclosed()
                    .subscribe { _ in }
                model.b.emit(1)
                model.secret.emit(77)
                token.dispose()
            }
            #expect(emissions(of: .map, in: disclosed) == [.withheld])
            #expect(emissions(of: .disclose, in: disclosed) == [.bool(true)])
        }
    }
}
