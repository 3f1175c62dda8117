import Foundation
import Testing
import WeirTestSupport

@testable import WeirTrace

/// The fields of structures that the policy `scalars` records.
@Suite(.ahead) struct StructureFieldsTests {
    @Test func `Numbers, Bool and cases are text, strings and dates are fingerprints, the rest is left out`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                #expect(text(Counter(count: -3, isOpen: true)) == "Counter(count: -3, isOpen: true)")
                #expect(text(Optional(Counter(count: 12_345, isOpen: false))) == "Counter(count: 12345, isOpen: false)")
                let state = text(State(nil)) ?? ""
                #expect(
                    state.replacing(/#[0-9a-f]{8}/, with: "#…")
                        == "State(name: #…, mode: dark, level: nil, load: loaded(…), …)"
                )
                #expect(state.matches(of: /#[0-9a-f]{8}/).count == 1)
                let task = text(Task()) ?? ""
                #expect(
                    task.replacing(/#[0-9a-f]{8}/, with: "#…")
                        == "Task(counter: Counter(count: 7, isOpen: true), due: #…, …)")
                #expect(text(Task(due: Date(timeIntervalSince1970: 2))) != task)
                #expect(text(Task()) == task)
                #expect(text(State(.max))?.contains("level: 255, ") == true)
                #expect(
                    text(Sizes())
                        == "Sizes(a: -128, b: 65535, c: -2147483648, d: 18446744073709551615, e: 0.5, f: -0.1)")
            }
        }
    }

    private struct Offset { var x: CGFloat = 1.5, y: CGFloat? = -20 }

    @Test func `Coordinates are numbers`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars { #expect(text(Offset()) == "Offset(x: 1.5, y: -20.0)") }
        }
    }

    private struct Masked: TraceValueConvertible {
        var cents = 4711
        var traceDescription: String { "••••" }
    }
    private enum Secret: TraceValueConvertible {
        case pregnant
        var traceDescription: String { "•" }
    }
    private struct Patient {
        var number = 7
        var masked = Masked()
        var secret = Secret.pregnant
        var optional: Secret? = .pregnant
        var inner = Inner()
        struct Inner { var masked: Masked? = Masked(), isOpen = true }
    }

    @Test func `A field whose type says what to record of it is left out`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                #expect(text(Patient()) == "Patient(number: 7, inner: Inner(isOpen: true, …), …)")
            }
        }
    }

    @Test func `A fingerprint shows that a string changed, and nothing of it`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                let words = ["", "swordfish", "swordfisk", String(repeating: "ä", count: 100)]
                let texts = words.map { text(Holder(value: $0)) ?? "" }
                #expect(Set(texts).count == words.count)
                #expect(texts.allSatisfy { $0.wholeMatch(of: /Holder<String>\(value: #[0-9a-f]{8}\)/) != nil })
                #expect(text(Holder(value: "swordfish")) == texts[1])
                // Hashing all of it would cost more than the rest of the emission.
                let long = String(repeating: "a", count: 400)
                let longTexts = [long, long + "a", "b" + long.dropFirst(), long.dropLast() + "b"].map {
                    text(Holder(value: $0)) ?? ""
                }
                #expect(Set(longTexts).count == 4)
                #expect(longTexts.allSatisfy { $0.wholeMatch(of: /Holder<String>\(value: #[0-9a-f]{8}…\)/) != nil })
            }
        }
    }

    @Test func `An optional structure inside is nil, or its fields`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                let counter = Counter(count: 3, isOpen: true)
                let full = Account(counter: counter, place: Account.Place(x: 1.5, counter: counter), number: 4)
                #expect(
                    text(full)
                        == "Account(counter: Counter(count: 3, isOpen: true), place: Place(x: 1.5, …), number: 4)")
                let empty = Account(counter: nil, place: nil, number: 4)
                #expect(text(empty) == "Account(counter: nil, place: nil, number: 4)")
            }
        }
    }

    @Test func `The elements of a tuple are recorded like fields, and hashed if all are hashable`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                #expect(text((1, true)) == "(1, true)")
                #expect(text((page: 1, isOpen: true)) == "(page: 1, isOpen: true)")
                #expect(text((1, "a"))?.wholeMatch(of: /\(1, #[0-9a-f]{8}\)/) != nil)
                #expect(text((1, "a")) != text((1, "b")))
                #expect(text((1, (2, 3.5))) == "(1, (2, 3.5))")
                #expect(text((1, Counter(count: 2, isOpen: true))) == "(1, Counter(count: 2, isOpen: true))")
                #expect(text((1, nil as Counter?)) == "(1, nil)")
                #expect(text(Optional((1, true))) == "(1, true)")
                #expect(text((1, Masked())) == "(1, …)")
                #expect(text((1, [2], ())) == "(1, …)")
                #expect(text((1, [2])) == text((1, [3])), "only the fingerprint differs")
                let hashed = [
                    fingerprint((1, [2])), fingerprint((1, [3])), fingerprint((2, [2])), fingerprint(([2], 1)),
                    fingerprint(((1, [2]), 1)), fingerprint(("a", "b")), fingerprint(("b", "a")),
                    fingerprint((nil as Int?, [1])), fingerprint((1 as Int?, [1])),
                ]
                #expect(!hashed.contains(nil) && Set(hashed).count == hashed.count)
                #expect(fingerprint((1, [2])) == fingerprint((1, [2])))
                #expect(fingerprint(([1], [2])) != nil && text(([1], [2])) == nil)
                #expect(fingerprint((1, Masked())) == nil)
                #expect(fingerprint((1, CocoaError(.fileNoSuchFile))) == nil)
                #expect(fingerprint((1, CocoaError.self)) == nil)
            }
        }
    }

    @Test func `The field of a property wrapper is the property`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                let rest = "counter: Counter(count: 1, isOpen: true), _other: Plain<Int>(value: 2))"
                #expect(text(Settings()) == "Settings(volume: 7, " + rest)
                #expect(text(Settings(volume: 8)) == "Settings(volume: 8, " + rest)
            }
        }
    }

    @Test func `Structures of the system, and those of other modules inside, are not read`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                #expect(StructureFields(of: Date.self) == nil)
                #expect(StructureFields(of: String.self) == nil)
                #expect(StructureFields(of: [Int].self) == nil)
                #expect(StructureFields(of: Range<Int>.self) == nil)
                #expect(StructureFields(of: Decimal.self) == nil)
                #expect(StructureFields(of: Holder<[String]>.self) == nil)
                #expect(StructureFields(of: Holder<Substring>.self) == nil)
                #expect(StructureFields(of: Holder<Data>.self) == nil)
                #expect(StructureFields(of: Holder<URL>.self) == nil)
                #expect(StructureFields(of: Holder<Decimal>.self) == nil)
                #expect(StructureFields(of: Holder<TraceSite>.self) == nil)
                #expect(StructureFields(of: Holder<any Hashable>.self) == nil)
                #expect(StructureFields(of: Holder<Int>.self) != nil)
            }
        }
    }

    @Test func `A structure with many fields keeps those that fit`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                #expect(
                    text(Many()) == "Many(f0: 0, f1: 1, f2: 2, f3: 3, f4: 4, f5: 5, …)")
                let long = text(LongNames()) ?? ""
                #expect(long.hasSuffix("…)"))
                #expect(long.utf8.count <= StructureFields.longest)
                #expect(StructureFields(of: Holder<Holder<Holder<Holder<Int>>>>.self) == nil)
            }
        }
    }

    @Test func `Numbers are written as the standard library writes them`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                var random = SystemRandomNumberGenerator()
                var numbers: [Double] = [
                    0, -0.0, 0.1, 1.0 / 3, 1e15, 1e16, 123_456_789.123456, 999_999_999.999999, 1e-4, 1e-5, 0.000123,
                    .leastNonzeroMagnitude, .infinity,
                    -.infinity, .nan, .greatestFiniteMagnitude, 100, 4_503_599_627.370496,
                ]
                for _ in 0..<2000 {
                    numbers.append(Double(Int.random(in: -10_000_000...10_000_000, using: &random)) / 1000)
                    numbers.append(Double.random(in: -1e9...1e9, using: &random))
                    numbers.append(Double(bitPattern: .random(in: 0...UInt64.max, using: &random)))
                }
                for number in numbers {
                    #expect(text(Holder(value: number)) == "Holder<Double>(value: \(number.description))")
                    let single = Float(number)
                    #expect(text(Holder(value: single)) == "Holder<Float>(value: \(single.description))")
                    let integer =
                        UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64.random(in: 0...63, using: &random)
                    #expect(text(Holder(value: integer)) == "Holder<UInt64>(value: \(integer))")
                }
            }
        }
    }

    @Test func `Recording a structure allocates nothing`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                let keeper = ThreadKeeper.ofCallingThread()
                let value = LongNames()
                withUnsafeTemporaryAllocation(byteCount: EncodedValue.memory, alignment: 8) { memory in
                    withUnsafePointer(to: value) { value in
                        var encoded = EncodedValue(in: memory)
                        keeper.encode(UnsafeRawPointer(value), of: LongNames.self, to: &encoded)
                        #expect(encoded.isInMemory)
                        #expect(encoded.isLong)
                    }
                }
            }
        }
    }
}

/// Structures whose text is written straight into the record; see `StructurePlan`.
@Suite(.ahead) struct StructurePlanTests {
    @Test func `A structure is recorded at once as it would be if it were encoded first`() async {
        await #expect(processExitsWith: .success) {
            for isVirtual in [false, true] {
                let path = NSTemporaryDirectory() + "weir-\(UUID().uuidString).weir"
                defer { unlink(path) }
                try start(path, isVirtual: isVirtual)
                // Three times: the first value of a type is encoded first.
                let emit = CheckedEmissions()
                for _ in 0..<3 {
                    emit(Counter(count: -3, isOpen: true))
                    emit(Counter(count: 12_345_678_901, isOpen: false))
                    emit(Optional(Counter(count: 3, isOpen: true)))
                    emit(Counter?.none)
                    emit(Optional(Optional(Counter(count: 3, isOpen: true))))
                    emit(Counter??.some(nil))
                    emit((1, "a"))
                    emit(Optional((7, "b")))
                    emit(State(nil))
                    emit(State(9))
                    emit(Optional(State(9)))
                    emit(Account(counter: nil, place: Account.Place(x: -1.25, counter: nil), number: 4))
                    emit(Sizes())
                    emit(Settings())
                    emit(Many())
                    emit(LongNames())
                    emit(Bare(x: 1))
                    emit(Holder(value: String(repeating: "ä", count: 300)))
                }
                TraceWriter.stop()
                let reader = try TraceReader(path: path)
                #expect(reader.isIntact)
                #expect(reader.allEvents.map(\.value) == emit.expected)
            }
        }
    }

    @Test func `Structures, tuples and optionals of them are recorded at once, and nothing else`() async {
        await #expect(processExitsWith: .success) {
            try recordingScalars {
                #expect(isRecordedAtOnce(Counter(count: 1, isOpen: true)))
                #expect(isRecordedAtOnce(Optional(Counter(count: 1, isOpen: true))))
                #expect(isRecordedAtOnce((1, "a")))
                #expect(isRecordedAtOnce(Optional((1, "a"))))
                #expect(isRecordedAtOnce(LongNames()))
                #expect(!isRecordedAtOnce(Optional(Optional(Counter(count: 1, isOpen: true)))))
                #expect(!isRecordedAtOnce(Counter(count: 1, isOpen: true) as Any))
                #expect(!isRecordedAtOnce(Masked()))
                #expect(!isRecordedAtOnce(Optional(Masked())))
                #expect(!isRecordedAtOnce(Failed(code: 1)))
                #expect(!isRecordedAtOnce([1]))
                #expect(!isRecordedAtOnce(Mode.dark))
                #expect(!isRecordedAtOnce(Date()))
            }
        }
    }

    @Test func `A structure whose hash stops the recording is not recorded`() async {
        await #expect(processExitsWith: .success) {
            let path = NSTemporaryDirectory() + "weir-\(UUID().uuidString).weir"
            defer { unlink(path) }
            try start(path, isVirtual: false)
            for _ in 0..<3 {
                #expect(ThreadLog().emitted(TraceCode.encode(1), Stopping(number: 1), isPrivate: false, redefine: {}))
            }
            #expect(!ThreadLog().emitted(TraceCode.encode(1), Stopping(number: 2), isPrivate: false, redefine: {}))
            let reader = try TraceReader(path: path)
            #expect(reader.allEvents.count == 3)
            #expect(reader.isIntact)
        }
    }

    private struct Bare { var x: Int }
    private struct Failed: Error { var code: Int }
    private struct Masked: TraceValueConvertible {
        var cents = 4711
        var traceDescription: String { "••••" }
    }
    private struct Stopping: Hashable {
        var number: Int
        func hash(into hasher: inout Hasher) {
            if number == 2 { TraceWriter.stop() }
            hasher.combine(number)
        }
    }
}

/// Records values, and keeps what their encoding by examining each says.
private final class CheckedEmissions {
    private(set) var expected: [TraceValue] = []

    func callAsFunction<Value>(_ value: Value) {
        #expect(ThreadLog().emitted(TraceCode.encode(1), value, isPrivate: false, redefine: {}))
        AskedEncoding.bytes(of: value, keeper: .ofCallingThread()).withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var scanner = ByteScanner(base, from: 0, to: bytes.count)
            if let value = TraceValue(from: &scanner) { expected.append(value) }
        }
    }
}

private func isRecordedAtOnce<Value>(_ value: Value) -> Bool {
    let keeper = ThreadKeeper.ofCallingThread()
    _ = ValueEncoding.bytes(of: value, keeper: keeper)
    // Not the one used last in its slot: that may be the encoder of a part, depending on the addresses of types.
    return withUnsafeBytes(of: value) { bytes in
        guard let start = bytes.baseAddress else { return false }
        let encoder = keeper.encoders.encoder(of: start, Value.self, .whole, keeper)
        return encoder._withUnsafeGuaranteedRef { $0.plan } != nil
    }
}

/// The text that is recorded for a value; nil: none is.
private func text<Value>(_ value: Value) -> String? {
    let bytes = ValueEncoding.bytes(of: value, keeper: .ofCallingThread())
    return bytes.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return nil }
        var scanner = ByteScanner(base, from: 0, to: bytes.count)
        return switch TraceValue(from: &scanner) {
        case .described(let text), .hashedDescription(let text, false, _): text
        default: nil
        }
    }
}

/// The fingerprint of a value as a whole; nil: it has none.
private func fingerprint<Value>(_ value: Value) -> UInt64? {
    let bytes = ValueEncoding.bytes(of: value, keeper: .ofCallingThread())
    return bytes.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return nil }
        var scanner = ByteScanner(base, from: 0, to: bytes.count)
        return switch TraceValue(from: &scanner) {
        case .hashedDescription(_, _, let number), .fingerprint(let number): number
        default: nil
        }
    }
}

private func start(_ path: String, isVirtual: Bool) throws {
    try TraceWriter.start(
        .init(path: path, policy: .scalars, descriptionLimit: 9, byteLimit: nil, isVirtualClock: isVirtual))
    #expect(ThreadLog().isReady(TraceWriter.active?.firstGeneration ?? 0))
}

private func recordingScalars(_ body: () throws -> Void) throws {
    let path = NSTemporaryDirectory() + "weir-\(UUID().uuidString).weir"
    defer { unlink(path) }
    try TraceWriter.start(
        .init(path: path, policy: .scalars, descriptionLimit: 9, byteLimit: nil, isVirtualClock: false))
    #expect(ThreadLog().isReady(TraceWriter.active?.firstGeneration ?? 0))
    try body()
    TraceWriter.stop()
}

private struct Counter: Hashable { var count: Int, isOpen: Bool }
private enum Mode { case light, dark }
private enum Load { case idle, loaded([Int]) }
private struct State {
    var name = "Maruko", list = [1], mode = Mode.dark, level: UInt8?, load = Load.loaded([2])
    init(_ level: UInt8?) { self.level = level }
}
private struct Task {
    var counter = Counter(count: 7, isOpen: true), due = Date(timeIntervalSince1970: 1), handler: () -> Void = {}
}
private struct Sizes {
    var a = Int8.min, b = UInt16.max, c = Int32.min, d = UInt64.max, e: Float = 0.5, f = -0.1
}
private struct Holder<Value> { var value: Value }
private struct Account {
    struct Place { var x = 0.0, list = [1], counter: Counter? }
    var counter: Counter?, place: Place?, number = 0
}
@propertyWrapper private struct Clamped<Value> {
    var wrappedValue: Value
    var changes = 0
}
@propertyWrapper private struct Plain<Value> {
    var value: Value
    var wrappedValue: Value { value }
    init(wrappedValue: Value) { value = wrappedValue }
}
private struct Settings {
    @Clamped var volume = 7
    @Clamped var counter = Counter(count: 1, isOpen: true)
    @Plain var other = 2
    init(volume: Int = 7) { self.volume = volume }
}
private struct Many {
    var f0 = 0, f1 = 1, f2 = 2, f3 = 3, f4 = 4, f5 = 5, f6 = 6, f7 = 7, f8 = 8, f9 = 9
}
private struct LongNames {
    var aFieldWithANameThatIsAsLongAsASentenceOfSeveralWords = 1
    var aFieldWithANameThatIsAsLongAsASentenceOfSeveralWordsToo = 2
    var aFieldWithANameThatIsAsLongAsASentenceOfSeveralWordsAgain = 3
    var aFieldWithANameThatIsAsLongAsASentenceOfSeveralWordsAtLast = 4
}
