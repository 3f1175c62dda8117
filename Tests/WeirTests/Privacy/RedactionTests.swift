import Foundation
import Observation
import Testing
import Weir
import WeirTrace

@available(iOS 17, macOS 14, *)
@Observable private final class Purse { var amount = 0 }

@available(iOS 17, macOS 14, *)
@Observable private final class Wallet { var byCard: [Int: Purse] = [:] }

extension Everything {
    /// `weir redact` on recordings that hold secrets wherever a recording can.
    @MainActor @Suite struct RedactionTests {
        private struct Card: Hashable { var number = Canary.number }

        private enum Step: Hashable { case typed(String), none }

        private final class Session {
            let field = Emitter<String>()
            let secret = Observable("")
            let number = Observable(0)
            let cards = Observable<[Card]>([])
            let step = Observable(Step.none)
            let copy = Observable("")
            let bound = Observable("")
            let public1 = Observable("public")
            let isLong: Combiner<Bool>
            let command = Command<String, String> { input in Signal.just("hello " + input) }
            let bag = DisposeBag()

            init() {
                isLong = Observable.combine(secret) { $0.count > 3 }
                field.subscribe { [secret] in secret.value = $0 }.disposed(by: bag)
                secret.subscribe { [copy] in copy.value = $0 + "?" }.disposed(by: bag)
                secret.bind(to: bound)
                secret.map { $0.uppercased() + $0 }.subscribe { _ in }.disposed(by: bag)
                secret.map { String(repeating: $0, count: 40) }.subscribe { _ in }.disposed(by: bag)
                secret.flatMap(.latest) { Signal.just("hello " + $0) }.subscribe { _ in }.disposed(by: bag)
                secret.flatMap(.latest) { text in Signal<Int>.failed(Canary.Failure(secret: text)) }
                    .subscribeEvents { _ in }.disposed(by: bag)
                secret.subscribe { [command] in command.execute($0) }.disposed(by: bag)
                command.values.subscribe { _ in }.disposed(by: bag)
                number.map { "\($0)" }.subscribe { _ in }.disposed(by: bag)
                number.map { String($0, radix: 16) }.subscribe { _ in }.disposed(by: bag)
            }

            func use() {
                field.emit(Canary.text)
                number.value = Canary.number
                cards.value = [Card(), Card()]
                step.value = .typed(Canary.text)
                public1.value = "still here"
            }
        }

        private func record(_ session: Session, texts: Bool) throws -> RecordedFile {
            try RecordedFile(values: .described(), snapshots: .standard) {
                session.public1.intended(.burst, because: texts ? "as \(Canary.text) says" : "said so")
                Trace.adopt(session)
                Trace.stimulus(texts ? "type \(Canary.text)" : "type") { session.use() }
                Trace.checkpoint(texts ? "after \(Canary.number)" : "after")
            }
        }

        /// The forms of the canary that a file contains.
        private func found(_ path: String) throws -> [String] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            return Canary.forms.filter { bytes.range(of: $0.bytes) != nil }.map(\.name)
        }

        private func redact(_ file: RecordedFile, _ arguments: String...) throws -> (path: String, answer: Answer) {
            let copy = file.file.folder + "/\(UUID().uuidString).weir"
            let answer = try BuiltProgram("weir").run(
                ["redact", file.file.path, "-o", copy] + arguments, isHeardWhole: true)
            return (copy, answer)
        }

        /// All fingerprints in the values of a recording.
        private func fingerprints(_ recording: Recording) -> Set<UInt64> {
            let values = recording.events.map(\.value) + recording.definitions.nodes.values.map(\.value)
            return Set(
                values.compactMap { value in
                    switch value {
                    case .fingerprint(let number), .cutString(_, let number), .cutDescription(_, let number),
                        .hashedDescription(_, _, let number), .enumCase(_, .fingerprint(let number)):
                        number
                    default: nil
                    }
                })
        }

        @Test func `No form of a secret is in a copy without values`() throws {
            let session = Session()
            let file = try record(session, texts: true)
            #expect(try found(file.file.path).count >= 4)
            let (copy, answer) = try redact(file, "--all")
            #expect(answer.status == 0, "\(answer.text)")
            #expect(try found(copy) == [])
            let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
            let known = fingerprints(try file.read())
            #expect(!known.isEmpty)
            // Small numbers occur everywhere.
            for number in known where number > 1 << 32 {
                #expect(bytes.range(of: withUnsafeBytes(of: number.littleEndian) { Data($0) }) == nil)
            }
            let recording = try Recording(reading: copy)
            #expect(recording.definitions.nodes.values.allSatisfy { $0.isPrivate })
            #expect(recording.events.allSatisfy { $0.value == .withheld || $0.value == .notRecorded })
            let reasons = recording.definitions.intentions.values.flatMap { $0 }.map { $0.reason }
            #expect(reasons == ["[private]"])
            let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }

        @Test func `A copy keeps the strategies of combiners, and no node gets one that had none`() throws {
            let strategies: [CombineStrategy] = [.first, .all, .every, .settled]
            let file = try RecordedFile {
                let number = Observable(1)
                for strategy in strategies { _ = Observable.combine(number, strategy: strategy) { $0 + 1 } }
            }
            let nodes = try Recording(reading: try redact(file, "--all").path).definitions.nodes
            let kept = nodes.sorted { $0.key < $1.key }.map(\.value.strategy)
            #expect(kept == [nil, .first, .all, .every, .settled])
        }

        @Test func `A secret goes from all that is made of it, by subscriptions and by code`() throws {
            let session = Session()
            let file = try record(session, texts: false)
            #expect(try found(file.file.path).contains("text"))
            let (copy, answer) = try redact(
                file, "--node", "field", "--node", "number", "--type", "Card", "--type", "Step", "--keep", "isLong")
            #expect(answer.status == 0, "\(answer.text)")
            #expect(try found(copy) == [], "\(answer.text)")
            let recording = try Recording(reading: copy)
            #expect(recording.emissions(of: "Session.secret") == [.withheld])
            #expect(recording.emissions(of: "Session.copy") == [.withheld])
            #expect(recording.emissions(of: "Session.isLong") == [.bool(true)])
            #expect(recording.emissions(of: "Session.public1") == [.string("still here")])
            #expect(answer.text.contains("Removed as well, because removed values flow there: Session.secret, "))
            #expect(!answer.text.contains("Kept, but"))
        }

        @Test func `A secret goes from what its handler writes later, in a task that the trace records`() async throws {
            final class Search: @unchecked Sendable {  // The test waits for its tasks.
                let secret = Observable("")
                let shown = Observable("")
                let other = Observable("")
                var tasks: [Task<Void, Never>] = []
            }
            let search = Search()
            search.secret.subscribe { [unowned search] text in
                search.tasks.append(Trace.task { search.shown.value = text })
            }
            let file = try await RecordedFile.ofTask {
                Trace.adopt(search)
                search.secret.value = Canary.text
                for task in search.tasks { await task.value }
                await Trace.task { search.other.value = "still here" }.value
            }
            #expect(try found(file.file.path).contains("text"))
            let (copy, answer) = try redact(file, "--node", "secret")
            #expect(try found(copy) == [], "\(answer.text)")
            let recording = try Recording(reading: copy)
            #expect(recording.emissions(of: "Search.shown") == [.withheld])
            #expect(recording.emissions(of: "Search.other") == [.string("still here")])
        }

        @Test func `What feeds a removed node is listed, and shows no value that equals a removed one`() throws {
            let session = Session()
            let file = try RecordedFile {
                Trace.adopt(session)
                Trace.stimulus("type") { session.use() }
                session.field.emit("x")
                session.public1.value = Canary.text
            }
            let (copy, answer) = try redact(file, "--node", "Session.secret", "--keep-texts")
            #expect(answer.text.contains("Kept, but values come from there: Session.field; "), "\(answer.text)")
            #expect(answer.text.contains("2 values of other nodes went, too"), "\(answer.text)")
            #expect(try !found(copy).contains("text"))
            let recording = try Recording(reading: copy)
            #expect(recording.emissions(of: "Session.field") == [.withheld, .string("x")])
            #expect(recording.emissions(of: "Session.public1") == [.string("still here"), .withheld])
            #expect(recording.events.contains { $0.kind == .stimulusBegan && $0.text == "type" })
            let (kept, _) = try redact(file, "--node", "Session.secret", "--keep", "field")
            #expect(try Recording(reading: kept).emissions(of: "Session.field").first == .string(Canary.text))
        }

        @Test func `What a flight recorder has left is copied as it is`() throws {
            let numbers = Observable(0)
            let file = try TemporaryTrace()
            try Trace.start(
                writingTo: file.path, limit: .bytes(TraceFormat.headerLength + 8 * TraceFormat.chunkSize),
                clock: VirtualClock(), snapshots: .none)
            numbers.subscribe { _ in }
            for number in 0..<100_000 {
                if number % 1000 == 0 { Trace.stimulus("s") { numbers.value = -number } }
                numbers.value = number
            }
            Trace.stop()
            let copy = file.folder + "/copy.weir"
            _ = try BuiltProgram("weir").output(["redact", file.path, "-o", copy, "--all"])
            let (before, after) = (try Recording(reading: file.path), try Recording(reading: copy))
            #expect(before.header.overwrittenEvents ?? 0 > 0)
            #expect(after.header.overwrittenEvents == before.header.overwrittenEvents)
            #expect(after.damage.isEmpty)
            #expect(after.events.count == before.events.count)
            let isSame = zip(before.events, after.events).allSatisfy { old, new in
                var old = old
                (old.text, old.value) = (new.text, new.value)
                return old == new
            }
            #expect(isSame)
        }

        @Test func `Keys go with the values of their collection`() throws {
            guard #available(iOS 17, macOS 14, *) else { return }
            Trace.observe(Purse.self, \.amount, on: .immediate)
            let wallet = Wallet()
            wallet.byCard = [Canary.number: Purse()]
            let file = try RecordedFile {
                Trace.observe(wallet, \.byCard, on: .immediate)
                Trace.adopt(wallet)
                for purse in wallet.byCard.values { purse.amount = 3 }
            }
            #expect(try found(file.file.path).contains("digits"))
            for choice in [["--all"], ["--node", "Wallet.byCard"], ["--node", "amount"]] {
                let copy = file.file.folder + "/\(UUID().uuidString).weir"
                let answer = try BuiltProgram("weir").output(["redact", file.file.path, "-o", copy] + choice)
                #expect(try found(copy) == [], "\(choice)")
                let names = try Recording(reading: copy).definitions.nodes.values.map(\.name)
                #expect(names.contains("Wallet.byCard[private].amount"), "\(names) \(answer)")
            }
        }

        @Test func `A snapshot tells no size that might count a removed value`() throws {
            let session = Session()
            let file = try record(session, texts: true)
            let (copy, _) = try redact(file, "--all")
            let reader = try TraceReader(path: copy)
            var numbers: [UInt32] = []
            reader.forEachEvent { event in
                if event.kind == .snapshotTaken { numbers.append(event.subject) }
                return true
            }
            #expect(!numbers.isEmpty)
            for number in numbers {
                let snapshot = try #require(reader.snapshot(number))
                #expect(!snapshot.objects.isEmpty)
                #expect(snapshot.walkedBytes == 0 && snapshot.walkedObjects == 0)
                #expect(snapshot.objects.allSatisfy { $0.retainedSize == 0 })
                let nodes = snapshot.objects.filter { if case .node = $0.identity { true } else { false } }
                #expect(!nodes.isEmpty && nodes.allSatisfy { $0.isPrivate })
            }
            #expect(reader.isIntact)
        }

        @Test func `A copy of a copy is the same bytes`() throws {
            let session = Session()
            let file = try record(session, texts: true)
            for choice in [["--all"], ["--node", "secret"], ["--type", "String", "--keep-texts"]] {
                let paths = [file.file.path, file.file.folder + "/1.weir", file.file.folder + "/2.weir"]
                for (from, to) in zip(paths, paths.dropFirst()) {
                    _ = try BuiltProgram("weir").output(["redact", from, "-o", to] + choice)
                }
                let bytes = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
                #expect(bytes[1] == bytes[2], "\(choice)")
                #expect(bytes[0] != bytes[1])
                for path in paths.dropFirst() { try FileManager.default.removeItem(atPath: path) }
            }
        }
    }
}
