import Foundation
import Testing
import WeirTestSupport

@testable import WeirTrace

/// The per-type cached encoding equals the encoding that examines each value anew.
@Suite(.ahead) struct ValueEncoderTests {
    @Test func `every type is encoded as if each value were asked`() async {
        await #expect(processExitsWith: .success) {
            for policy in [ValuePolicy.scalars, .described, .none, .scalars] {
                try await recording(policy) {
                    for round in 0..<3 { #expect(Samples.differences(round) == []) }
                }
            }
        }
    }

    @Test func `a conformance that is isolated is used nowhere else, and one that is not everywhere`() async {
        await #expect(processExitsWith: .success) {
            try await recording(.scalars) {
                for _ in 0..<20 {
                    #expect(Samples.isolatedDifferences() == [])
                    #expect(await Screens.shared.run { Samples.isolatedDifferences() } == [])
                    #expect(await MainActor.run { Samples.isolatedDifferences() } == [])
                    #expect(await Screens.shared.run { Samples.differences(1) } == [])
                    await Task.yield()
                }
                let form = TraceFormat.ValueForm.self
                #expect(await MainActor.run { Samples.form(OnMain(x: 1)) } == form.hashedDescription.rawValue)
                #expect(await MainActor.run { Samples.form(OnScreens(x: 1)) } == form.description.rawValue)
                #expect(await Screens.shared.run { Samples.form(OnScreens(x: 1)) } == form.hashedDescription.rawValue)
                #expect(await Screens.shared.run { Samples.form(OnMain(x: 1)) } == form.description.rawValue)
                #expect(
                    await Screens.shared.run { Samples.form(Optional(Whole(x: 1))) } == form.hashedDescription.rawValue)
            }
        }
    }

    @Test func `a type's needs are found once, and its values are asked for no more than their hash`() async {
        await #expect(processExitsWith: .success) {
            try await recording(.scalars) {
                let keeper = Samples.keeper
                #expect(Samples.encoder(of: Whole(x: 1)) == Samples.encoder(of: Whole(x: 2)))
                #expect(Samples.encoder(of: Whole(x: 1)) != Samples.encoder(of: Optional(Whole(x: 1))))
                Counted.hashes.withLock { $0 = 0 }
                for x in 0..<10 { _ = ValueEncoding.bytes(of: Counted(x: x), keeper: keeper) }
                #expect(Counted.hashes.withLock { $0 } == 10)
            }
        }
    }

    @Test func `nil inside other optionals is another value than nil`() async {
        await #expect(processExitsWith: .success) {
            try await recording(.scalars) {
                let values: [Int???] = [.none, .some(.none), .some(.some(.none)), .some(.some(.some(3)))]
                let recorded = values.map { Samples.value($0) }
                #expect(
                    recorded == [
                        .nil, .enumCase("some(nil)", .none), .enumCase("some(.some(nil))", .none), .signed(3),
                    ])
                for deep in [Int?????.some(.some(.some(.none))), .some(.some(.some(.some(.none))))] {
                    #expect(Samples.value(deep) == .enumCase("some(.some(.some(nil)))", .none))
                }
            }
        }
    }
}

// MARK: The values

private enum Samples {
    /// The keeper of the calling thread, which may be new to the recording.
    static var keeper: ThreadKeeper {
        _ = ThreadLog().isReady(TraceWriter.active?.firstGeneration ?? 0)
        return ThreadKeeper.ofCallingThread()
    }

    static func encoder<Value>(of value: Value) -> UnsafeMutableRawPointer {
        withUnsafePointer(to: value) {
            let keeper = Samples.keeper
            return keeper.encoders.encoder(of: $0, Value.self, .whole, keeper).toOpaque()
        }
    }

    static func form<Value>(_ value: Value) -> UInt8? {
        ValueEncoding.bytes(of: value, keeper: keeper).first
    }

    static func value<Value>(_ value: Value) -> TraceValue? {
        let bytes = ValueEncoding.bytes(of: value, keeper: keeper)
        return bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.flatMap { base in
                var scanner = ByteScanner(base, from: 0, to: bytes.count)
                return TraceValue(from: &scanner)
            }
        }
    }

    private static func difference<Value>(_ value: Value) -> [String] {
        let keeper = Samples.keeper
        let asked = AskedEncoding.bytes(of: value, keeper: keeper)
        let found = ValueEncoding.bytes(of: value, keeper: keeper)
        return asked == found ? [] : ["\(Value.self) \(value): \(found), asked \(asked)"]
    }

    /// The value alone, and inside everything that can hold it.
    private static func wrapped<Value>(_ value: Value) -> [String] {
        difference(value) + difference(Optional(value)) + difference(Optional(Optional(value)))
            + difference(Value?.none) + difference(Value??.some(nil)) + difference(value as Any)
            + difference(Optional(value as Any)) + difference(Optional(value) as Any) + difference([value])
            + difference((value, 1)) + difference(Holder(value: value)) + difference(Held.one(value))
            + difference(Held<Value>.nothing) + difference(value as AnyObject) + difference(["a": value])
    }

    private static func hashed<Value: Hashable>(_ value: Value) -> [String] {
        wrapped(value) + difference(AnyHashable(value)) + difference(Optional(AnyHashable(value)))
            + difference(AnyHashable(value) as Any) + difference(Set([value])) + difference(value as any Hashable)
            + difference(HeldHashable.one(value)) + difference(HeldHashable<Value>.nothing)
            + difference(Optional(HeldHashable.one(value)))
    }

    private static func failed<Failure: Error>(_ error: Failure) -> [String] {
        wrapped(error) + difference(error as any Error) + difference(Optional(error as any Error))
            + difference(Result<Int, Failure>.failure(error)) + difference([error as any Error])
    }

    static func differences(_ round: Int) -> [String] {
        var all: [String] = []
        all += hashed(round) + hashed(-round) + hashed(true) + hashed(2.5) + hashed(Float(1.5)) + wrapped(())
        all += hashed(Int8(-3)) + hashed(Int16(-3)) + hashed(Int32.min) + hashed(Int64.min)
        all += hashed(UInt8(200)) + hashed(UInt16(60_000)) + hashed(UInt32.max) + hashed(UInt64.max) + hashed(UInt(7))
        all +=
            hashed("short") + hashed("") + hashed(String(repeating: "ä", count: 40 + round)) + hashed("sub".prefix(2))
        all += hashed(Whole(x: round)) + wrapped(Bare(x: round)) + hashed(Said(x: round)) + wrapped(Long(x: round))
        all += wrapped(Filled(round)) + wrapped([Filled(round)].first) + wrapped(Pair(first: round, second: "b"))
        all += hashed(Tab.home) + hashed(Tab.away) + hashed(Choice.none) + hashed(Choice.some(round))
        all += wrapped(Load.idle) + wrapped(Load.retried(.idle)) + wrapped(Load.loaded([round]))
        all += hashed(Named.aCaseWhoseNameIsSoLongThatItHasNoRoomBesideTheOtherPartsOfARecordThatIsCompact)
        all += hashed(SaidCase.one) + hashed(Only.one)
        all += failed(Refusal.wrong) + failed(Refusal.code(round)) + failed(Offline()) + failed(Worded.busy)
        all += failed(CancellationError())
        // Hashing one stops the program.
        all += difference(CocoaError(.fileNoSuchFile)) + difference(CocoaError(.fileNoSuchFile) as any Error)
        all += wrapped(Thing()) + wrapped(Child()) + wrapped(Child() as Thing) + wrapped(HashedThing(round))
        all += wrapped(HashedThing(round) as Thing) + hashed(HashedThing(round)) + wrapped(SaidThing() as Thing)
        all += wrapped(Thing() as any Marked) + wrapped(Whole(x: round) as any Marked)
        all += wrapped(Thing() as any MarkedObject) + wrapped(HashedThing(round) as any MarkedObject & Sendable)
        all +=
            hashed(NSString(string: "text")) + hashed(NSNumber(value: round)) + hashed(Date(timeIntervalSince1970: 1))
        all += wrapped({ (x: Int) in x }) + wrapped(Int.self) + wrapped(Int.self as Any.Type) + wrapped(\Whole.x)
        all += wrapped((1, "a")) + wrapped((x: 1, y: Optional(2))) + hashed(0..<3) + wrapped([1, 2].makeIterator())
        all += wrapped(ObjectIdentifier(Thing.self)) + wrapped(UnsafeRawPointer(bitPattern: 16)) + hashed(Wide(round))
        return all
    }

    static func isolatedDifferences() -> [String] {
        wrapped(OnMain(x: 1)) + wrapped(OnScreens(x: 1)) + wrapped(SaidOnScreens(x: 1))
            + wrapped(Held.one(OnMain(x: 1)))
            + difference([OnScreens(x: 1)]) + difference([OnMain(x: 1)]) + difference(Optional([OnScreens(x: 1)]))
            + wrapped(Parted.one(OnScreens(x: 1)))
    }
}

private func recording(_ policy: ValuePolicy, _ body: () async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "weir-\(UUID().uuidString).weir"
    defer { unlink(path) }
    try TraceWriter.start(
        .init(path: path, policy: policy, descriptionLimit: 9, byteLimit: nil, isVirtualClock: false))
    #expect(ThreadLog().isReady(TraceWriter.active?.firstGeneration ?? 0))
    try await body()
    TraceWriter.stop()
}

// MARK: Types

private protocol Marked {}
private protocol MarkedObject: AnyObject {}
private struct Whole: Hashable, Marked { let x: Int }
private struct Bare { let x: Int }
private struct Pair<First, Second> { let first: First, second: Second }
private struct Filled {
    struct Inner { var ratio: Double, tab: Tab?, token: String }
    var count: Int?, isOn: Bool, inner: Inner, list: [Int], thing = Thing(), optional: Bare?
    init(_ count: Int) {
        optional = count == 0 ? nil : Bare(x: count)
        self.count = count > 1 ? nil : count
        (isOn, list) = (count == 0, [count])
        inner = Inner(ratio: Double(count) / 8, tab: count == 0 ? nil : .away, token: "secret \(count)")
    }
}
private struct Said: Hashable, TraceValueConvertible {
    let x: Int
    var traceDescription: String { "said \(x)" }
}
private struct Long: TraceValueConvertible {
    let x: Int
    var traceDescription: String { String(repeating: "long ", count: 50) }
}
private struct Holder<Value> { let value: Value }
private enum Held<Value> { case nothing, one(Value) }
private enum HeldHashable<Value: Hashable>: Hashable { case nothing, one(Value) }
private enum Parted<Value> { case one(Value) }
extension Parted: Equatable where Value: Equatable {}
extension Parted: Hashable where Value: Hashable {}
private enum Only: Hashable { case one }
private enum Tab: String, CustomStringConvertible {
    case home, away
    var description: String { "not this" }
}
private enum Choice: Hashable { case none, some(Int) }
private enum Named: Hashable {
    case aCaseWhoseNameIsSoLongThatItHasNoRoomBesideTheOtherPartsOfARecordThatIsCompact
}
private enum SaidCase: TraceValueConvertible {
    case one
    var traceDescription: String { "a case" }
}
private enum Load {
    case idle, loaded([Int])
    indirect case retried(Load)
}
private enum Refusal: Error { case wrong, code(Int) }
private struct Offline: Error, Hashable {}
private enum Worded: String, Error { case busy }
private class Thing: Marked, MarkedObject, @unchecked Sendable {}
private final class Child: Thing, @unchecked Sendable {}
private final class HashedThing: Thing, Hashable, @unchecked Sendable {
    let x: Int
    init(_ x: Int) { self.x = x }
    static func == (a: HashedThing, b: HashedThing) -> Bool { a.x == b.x }
    func hash(into hasher: inout Hasher) { hasher.combine(x) }
}
private final class SaidThing: Thing, TraceValueConvertible, @unchecked Sendable {
    var traceDescription: String { "a thing" }
}
/// An integer type from outside the standard library.
private struct Wide: BinaryInteger, Hashable {
    var number: Int
    init(_ number: Int) { self.number = number }
    init?<T: BinaryInteger>(exactly source: T) {
        guard let exact = Int(exactly: source) else { return nil }
        number = exact
    }
    init<T: BinaryInteger>(_ source: T) { number = Int(source) }
    init<T: BinaryInteger>(truncatingIfNeeded source: T) { number = Int(truncatingIfNeeded: source) }
    init<T: BinaryInteger>(clamping source: T) { number = Int(clamping: source) }
    init?<T: BinaryFloatingPoint>(exactly source: T) { number = Int(source) }
    init<T: BinaryFloatingPoint>(_ source: T) { number = Int(source) }
    init(integerLiteral value: Int) { number = value }
    static var isSigned: Bool { true }
    var words: Int.Words { number.words }
    var bitWidth: Int { number.bitWidth }
    var trailingZeroBitCount: Int { number.trailingZeroBitCount }
    var magnitude: UInt { number.magnitude }
    static func < (a: Wide, b: Wide) -> Bool { a.number < b.number }
    func distance(to other: Wide) -> Int { other.number - number }
    func advanced(by count: Int) -> Wide { Wide(number + count) }
    static func + (a: Wide, b: Wide) -> Wide { Wide(a.number + b.number) }
    static func - (a: Wide, b: Wide) -> Wide { Wide(a.number - b.number) }
    static func * (a: Wide, b: Wide) -> Wide { Wide(a.number * b.number) }
    static func / (a: Wide, b: Wide) -> Wide { Wide(a.number / b.number) }
    static func % (a: Wide, b: Wide) -> Wide { Wide(a.number % b.number) }
    static func += (a: inout Wide, b: Wide) { a = a + b }
    static func -= (a: inout Wide, b: Wide) { a = a - b }
    static func *= (a: inout Wide, b: Wide) { a = a * b }
    static func /= (a: inout Wide, b: Wide) { a = a / b }
    static func %= (a: inout Wide, b: Wide) { a = a % b }
    static func &= (a: inout Wide, b: Wide) { a.number &= b.number }
    static func |= (a: inout Wide, b: Wide) { a.number |= b.number }
    static func ^= (a: inout Wide, b: Wide) { a.number ^= b.number }
    static prefix func ~ (a: Wide) -> Wide { Wide(~a.number) }
    static func >>= <Count: BinaryInteger>(a: inout Wide, count: Count) { a.number >>= count }
    static func <<= <Count: BinaryInteger>(a: inout Wide, count: Count) { a.number <<= count }
}

private struct Counted: Hashable {
    static let hashes = Locked(0)
    let x: Int
    func hash(into hasher: inout Hasher) {
        Self.hashes.withLock { $0 += 1 }
        hasher.combine(x)
    }
}

private final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value
    init(_ value: Value) { self.value = value }
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}

// MARK: Isolated

@globalActor private actor Screens {
    static let shared = Screens()
    func run<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
}
private struct OnMain: @MainActor Hashable { let x: Int }
private struct OnScreens: @Screens Hashable { let x: Int }
private struct SaidOnScreens: @Screens TraceValueConvertible {
    let x: Int
    @Screens var traceDescription: String { "on screens" }
}
