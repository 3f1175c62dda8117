import Foundation
import Testing
import Weir
import WeirTrace

extension Everything {
    @MainActor @Suite struct RecordingTests {
        @MainActor final class Model {
            let number = Observable(0)
            let doubled: Combiner<Int>
            let secret = Observable("", privacy: .private)
            lazy var added = Observer<Int> { [weak self] in self?.number.value += $0 }
            init() { doubled = Observable.combine(number) { $0 * 2 } }
        }

        @Test func `A run reads like a story, with causes by nesting`() throws {
            let recording = try record {
                let model = Model()
                _ = model.added
                Trace.adopt(model)
                let taps = Emitter<Int>(file: "App/Taps.swift", line: 7)
                model.added.subscribe(to: taps)
                model.doubled.subscribe { _ in }
                Trace.stimulus("tap") { taps.emit(2) }
                Trace.frame()
                model.number.value = 2
                Trace.checkpoint("end")
            }
            // Later events depend on the order in which the compiler releases variables.
            let end = try #require(recording.story.firstIndex(of: "checkpoint end"))
            #expect(
                recording.story[...end] == [
                    "Model.number nodeCreated",
                    "Model.secret nodeCreated",
                    "Model.doubled nodeCreated",
                    "start of Model.doubled",
                    "Model.added nodeCreated",
                    "objectTracked",
                    "emitter Taps.swift:7 nodeCreated",
                    "start of Model.added",
                    "start of closure",
                    "stimulus tap",
                    "  emitter Taps.swift:7 = 2",
                    "    to Model.added",
                    "    Model.number = 2",
                    "      to Model.doubled",
                    "      Model.doubled = 4",
                    "        to closure",
                    "        done",
                    "      done",
                    "    done",
                    "stimulusEnded",
                    "frame",
                    "Model.number suppressed: equal",
                    "checkpoint end",
                ])
            #expect(recording.damage.isEmpty)
            #expect(recording.header.isClosed)
        }

        @Test func `The same program gives the same bytes on every run`() throws {
            func bytes() throws -> Data {
                let file = try TemporaryTrace()
                try Trace.start(writingTo: file.path, values: .described(), clock: VirtualClock(), snapshots: .none)
                let model = Model()
                Trace.adopt(model)
                let shape = Observable([1, 2])
                shape.subscribe { _ in }
                for step in 0..<50 {
                    model.number.value = step
                    shape.value = [step]
                    model.secret.value = "\(step)"
                }
                Trace.stop()
                return try Data(contentsOf: URL(fileURLWithPath: file.path))
            }
            let first = try bytes()
            // Unrelated activity in between must not appear.
            for _ in 0..<10 { Observable(0).value = 1 }
            #expect(try bytes() == first)
            #expect(first.count > 1000)
        }

        @Test func `A recording that is started late names what was made before`() throws {
            let model = Model()
            Trace.adopt(model)
            model.number.subscribe { _ in }
            model.number.value = 1
            let recording = try record { model.number.value = 21 }
            #expect(recording.emissions(of: "Model.number") == [.signed(21)])
            #expect(recording.emissions(of: "Model.doubled") == [.signed(42)])
            let node = try #require(recording.definitions.nodes.values.first { $0.label == "Model.number" })
            #expect(node.valueType == "Int")
            #expect(node.site?.file == "WeirTests/RecordingTests.swift")
            let owner = try #require(node.owner)
            #expect(recording.definitions.objects[owner]?.type == "Model")
            #expect(recording.undefined == 0)
        }

        @Test func `Adopting while recording renames what was named by its site`() throws {
            let recording = try record {
                let model = Model()
                model.number.value = 1
                Trace.adopt(model)
                model.number.value = 2
            }
            #expect(recording.emissions(of: "Model.number") == [.signed(1), .signed(2)])
        }

        @Test func `Nothing is recorded before the start and after the stop`() throws {
            let number = Observable(0)
            number.value = 1
            let recording = try record { number.value = 2 }
            number.value = 3
            #expect(recording.events.filter { $0.kind == .emitted }.map(\.value) == [.signed(2)])
            #expect(!Trace.isRecording)
            #expect(Trace.stop() == nil)
        }

        @Test func `Private values are nowhere in the file, nor their length, nor a fingerprint`() throws {
            for values in [TraceValues.scalars, .described()] {
                let file = try TemporaryTrace()
                try Trace.start(writingTo: file.path, values: values, snapshots: .none)
                let secret = Observable("Xyzzy-very-secret", privacy: .private)
                let event = Emitter<String>(privacy: .private)
                secret.subscribe(initial: true) { event.emit($0) }
                event.subscribe { _ in }
                secret.value = "Xyzzy-even-more-secret"
                Trace.stop()
                let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
                #expect(bytes.range(of: Data("Xyzzy".utf8)) == nil)
                let recording = try Recording(reading: file.path)
                let values = recording.events.filter { $0.kind == .emitted }.map(\.value)
                #expect(values == Array(repeating: .withheld, count: 4))
                #expect(recording.definitions.nodes.values.allSatisfy { $0.value != .string("Xyzzy-very-secret") })
            }
        }

        struct Point: Hashable { var x, y: Int }
        struct Opaque { var number: Int }
        struct Described: TraceValueConvertible { var traceDescription: String { "described" } }

        private func values(_ policy: TraceValues) throws -> [TraceValue] {
            let recording = try record(values: policy) {
                func emit<Value>(_ value: Value) { Emitter<Value>().emit(value) }
                emit(-5)
                emit(true)
                emit(2.5)
                emit(Float(1.5))
                emit("short")
                emit(())
                emit(UInt64.max)
                emit(Int16(-3))
                emit(Optional<Int>.none)
                emit(Optional("some"))
                emit(Point(x: 1, y: 2))
                emit(Opaque(number: 1))
                emit(Described())
                emit(String(repeating: "ä", count: 40))
            }
            return recording.events.filter { $0.kind == .emitted }.map(\.value)
        }

        @Test
        func `The policy scalars keeps numbers and short strings, also of a structure, and fingerprints the rest`()
            throws
        {
            #expect(
                try values(.scalars) == [
                    .signed(-5), .bool(true), .double(2.5), .float(1.5), .string("short"), .void, .unsigned(.max),
                    .signed(-3), .nil, .string("some"),
                    .hashedDescription("Point(x: 1, y: 2)", isCut: false, fingerprint: 1),
                    .described("Opaque(number: 1)"), .described("described"),
                    .cutString(String(repeating: "ä", count: 32), fingerprint: 2),
                ])
        }

        enum Load {
            case idle
            case loaded([Point])
            indirect case retried(Load)
        }
        enum Tab: String, CustomStringConvertible {
            case home
            var description: String { "not this" }
        }
        enum Choice: Hashable { case none, some(Int) }
        enum Refusal: Error { case wrongPassword, code(Int) }
        private enum Only { case one }
        enum Generic<Value> { case nothing, some(Value) }

        @Test func `Of an enum the name of the case is recorded, and never what it holds`() throws {
            let recording = try record {
                func emit<Value>(_ value: Value) { Emitter<Value>().emit(value) }
                emit(Load.idle)
                emit(Load.loaded([Point(x: 1, y: 2)]))
                emit(Load.retried(.idle))
                emit(Tab.home)
                emit(Optional(Tab.home))
                emit(Optional(Optional(Load.idle)))
                emit(Choice.none)
                emit(Choice.some(1))
                emit(Choice.some(2))
                emit(Choice.some(1))
                emit(Refusal.wrongPassword)
                emit(Refusal.code(7) as any Error)
                emit(Refusal.wrongPassword as any Error)
                emit(Optional(Refusal.wrongPassword as any Error))
                emit(Only.one)
                emit(Generic<String>.some("swordfish"))
                emit(Result<Int, any Error>.failure(Refusal.wrongPassword))
                emit(CancellationError())
                Signal<Int>.failed(Refusal.wrongPassword).subscribeEvents { _ in }
            }
            #expect(
                recording.events.filter { $0.kind == .emitted }.map(\.value) == [
                    .enumCase("idle", .none), .enumCase("loaded", .unknown), .enumCase("retried", .unknown),
                    .enumCase("home", .none), .enumCase("home", .none), .enumCase("idle", .none),
                    .enumCase("none", .none), .enumCase("some", .fingerprint(1)), .enumCase("some", .fingerprint(2)),
                    .enumCase("some", .fingerprint(1)), .enumCase("wrongPassword", .none),
                    .enumCase("code", .unknown), .enumCase("wrongPassword", .noneOfAnyEnum),
                    .enumCase("wrongPassword", .noneOfAnyEnum), .enumCase("one", .none), .enumCase("some", .unknown),
                    .enumCase("failure", .unknown), .enumCase("CancellationError", .unknown),
                ])
            #expect(recording.events.first { $0.kind == .failed }?.value == .enumCase("wrongPassword", .none))
        }

        @Test func `The policy described describes the rest, cut where a character ends`() throws {
            let found = try values(.described(limit: 9))
            #expect(found[10] == .hashedDescription("Point(x: ", isCut: true, fingerprint: 1))
            #expect(found[11] == .cutDescription("Opaque(nu", fingerprint: 2))
            #expect(found[12] == .described("described"))
        }

        @Test func `The policy none keeps no value`() throws {
            #expect(try values(.none).allSatisfy { $0 == .notRecorded })
        }

        @Test func `Equal values have equal fingerprints, others have not`() throws {
            let recording = try record {
                let point = Emitter<Point>()
                for x in [1, 2, 1] { point.emit(Point(x: x, y: 0)) }
            }
            let values = recording.events.filter { $0.kind == .emitted }.map(\.value)
            #expect(values[0] == values[2])
            #expect(values[0] != values[1])
        }

        @Test func `A recording that is stopped and started inside a handler stays readable`() throws {
            let first = try TemporaryTrace()
            let second = try TemporaryTrace()
            let number = Observable(0)
            number.subscribe { if $0 == 2 { Trace.stop() } }
            number.subscribe {
                if $0 == 2 { try? Trace.start(writingTo: second.path, clock: VirtualClock(), snapshots: .none) }
            }
            number.subscribe { _ in }
            try Trace.start(writingTo: first.path, clock: VirtualClock(), snapshots: .none)
            for value in 1...4 { number.value = value }
            Trace.stop()
            let before = try Recording(reading: first.path)
            let after = try Recording(reading: second.path)
            #expect(before.events.filter { $0.kind == .emitted }.map(\.value) == [.signed(1), .signed(2)])
            #expect(after.events.filter { $0.kind == .emitted }.map(\.value) == [.signed(3), .signed(4)])
            #expect(after.events.filter { $0.kind == .emitted }.allSatisfy { $0.depth == 0 })
            #expect(before.damage.isEmpty && after.damage.isEmpty)
        }

        @Test func `Superseded, waiting and equal are distinguished`() throws {
            let recording = try record {
                let number = Observable(0)
                let other = Observable(0)
                number.subscribe { if $0 == 1 { number.value = 2 } }
                number.subscribe { _ in }
                let both = Observable.combine(number, other, initial: 0, strategy: .all) { $0 + $1 }
                number.value = 1
                number.value = 2
                withExtendedLifetime(both) {}
            }
            let reasons = recording.events.compactMap { $0.kind == .suppressed ? $0.suppressionReason : nil }
            #expect(reasons == [.waiting, .superseded, .equal])
        }

        @Test func `Every public way to make a node or a subscription captures the caller's line`() throws {
            let line = #line
            let recording = try record {
                let observable = Observable(0)
                let emitter = Emitter<Int>()
                let combiner = Combiner(0)
                combiner.combine(observable) { $0 }
                let combined = Observable.combine(observable) { $0 }
                let initial = Observable.combine(observable, initial: 0) { $0 }
                let observer = Observer<Int> { _ in }
                emitter.subscribe { _ in }
                observable.subscribe(initial: true) { _ in }
                observer.subscribe(to: emitter)
                observer.subscribe(to: observable, initial: false)
                withExtendedLifetime((combined, initial)) {}
            }
            let nodes = recording.definitions.nodes.values.compactMap(\.site?.line).sorted().map { $0 - line }
            let subscriptions = recording.definitions.subscriptions.values.compactMap(\.site?.line).sorted()
                .map { $0 - line }
            #expect(nodes == [2, 3, 4, 6, 7, 8])
            #expect(subscriptions == [5, 6, 7, 9, 10, 11, 12])
            let files = Set(recording.definitions.subscriptions.values.compactMap(\.site?.file))
            #expect(files == ["WeirTests/RecordingTests.swift"])
        }

        @Test func `Lifetimes of nodes, subscriptions and adopted objects are recorded`() throws {
            let recording = try record {
                do {
                    let model = Model()
                    Trace.adopt(model)
                    let kept = model.number.subscribe { _ in }
                    kept.dispose()
                    let bag = DisposeBag()
                    model.number.subscribe { _ in }.disposed(by: bag)
                    bag.dispose()
                    model.number.subscribe { _ in }
                }
                Trace.checkpoint("gone")
            }
            let ends = recording.events.compactMap { $0.kind == .subscriptionEnded ? $0.endReason : nil }
            #expect(ends.sorted { $0.rawValue < $1.rawValue } == [.disposed, .disposed, .bag, .sourceReleased])
            #expect(recording.count(.nodeCreated) == recording.count(.nodeReleased))
            #expect(recording.count(.objectTracked) == 1)
            #expect(recording.count(.objectReleased) == 1)
            let released = try #require(recording.events.firstIndex { $0.kind == .objectReleased })
            let checkpoint = try #require(recording.events.firstIndex { $0.kind == .checkpoint })
            #expect(released < checkpoint)
        }

        @Test func `A node that existed before the recording has no value from before its first emission`() throws {
            let (number, text, batched) = (Observable(0), Observable(""), Observable(0))
            let recording = try record {
                number.value = 77
                number.value = 78
                batch { batched.value = 5 }
                text.subscribe { _ in }
                text.value = "a"
            }
            let values = recording.definitions.nodes.values.sorted { $0.id < $1.id }.map(\.value)
            // The first one is defined by its emission; the others before theirs.
            #expect(values == [.notRecorded, .signed(0), .string("")])
        }
    }
}

extension Recording {
    /// Events that name ids without a definition.
    var undefined: Int { events.filter { !isDefined($0) }.count }

    func isDefined(_ event: TraceEvent) -> Bool {
        switch event.kind {
        case .emitted, .suppressed, .nodeCreated, .nodeReleased: definitions.nodes[event.subject] != nil
        case .deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded:
            definitions.subscriptions[event.subject] != nil
        case .objectTracked, .objectReleased: definitions.objects[event.subject] != nil
        default: true
        }
    }
}
