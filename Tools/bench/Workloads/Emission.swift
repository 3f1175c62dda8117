import Weir

/// A kind of emission, measured with recording off and on.
struct Emission: Sendable {
    let name: String
    /// The limit in nanoseconds when traced, for types that need a lookup.
    var atMost: Double?
    /// The limit in bytes for each event.
    var mostBytes = 8.0
    /// Makes an emitter with its subscriber; the returned closure emits the given number of values.
    let make: @Sendable () -> (Int) -> Void

    static let all = [
        Emission(name: "Int") { emissions(of: integers) },
        Emission(name: "Bool") { emissions(of: integers.map { $0 % 2 == 0 }) },
        Emission(name: "Double") { emissions(of: integers.map { Double($0) / 7 }) },
        Emission(name: "String") { emissions(of: integers.map { "name \($0)" }) },
        Emission(name: "Int, unheard") { emissions(of: integers, isHeard: false) },
        typed("Int?") { $0 % 3 == 0 ? nil : $0 },
        typed("String?") { "name \($0)" as String? },
        typed("Int16") { Int16($0) },
        typed("tuple", mostBytes: 16) { ($0, $0 + 1) },
        typed("struct", mostBytes: 16) { Point(x: $0, y: 1) },
        typed("struct, not hashable", mostBytes: 16) { Opaque(x: $0, y: 1) },
        typed("enum") { $0 % 2 == 0 ? Load.idle : .busy },
        typed("enum with payload") { $0 % 2 == 0 ? Load.idle : .loaded($0) },
        typed("struct, seven fields", mostBytes: 32) {
            Screen(row: $0, column: 1, isOpen: true, ratio: Double($0) / 8)
        },
        typed("struct with a string", mostBytes: 32) { Person(id: $0, name: "name \($0)") },
        typed("struct in a struct", mostBytes: 32) { Segment(from: Opaque(x: $0, y: 1), length: 3) },
        typed("struct?", mostBytes: 16) { Point(x: $0, y: 1) as Point? },
        typed("array") { [$0, 1, 2] },
        typed("class") { _ in Thing() },
        typed("class, hashed") { HashedThing(x: $0) },
        typed("any") { $0 % 2 == 0 ? $0 as Any : Point(x: $0, y: 1) as Any },
        typed("description") { Described(x: $0) },
    ]

    private static func typed<Value>(
        _ name: String, mostBytes: Double = 8, _ value: @escaping @Sendable (Int) -> Value
    ) -> Emission {
        Emission(name: name, atMost: 60, mostBytes: mostBytes) { emissions(of: integers.map(value)) }
    }
}

private struct Point: Hashable { let x, y: Int }
private struct Opaque { let x, y: Int }
private struct Person { let id: Int, name: String }
private struct Segment { let from: Opaque, length: Int }
private struct Screen {
    let row, column: Int, isOpen: Bool, ratio: Double
    var text = "text", items: [Int] = [], width = 3
}
private enum Load: Hashable { case idle, busy, loaded(Int) }
private class Thing {}
private final class HashedThing: Hashable {
    let x: Int
    init(x: Int) { self.x = x }
    static func == (a: HashedThing, b: HashedThing) -> Bool { a.x == b.x }
    func hash(into hasher: inout Hasher) { hasher.combine(x) }
}
private struct Described: TraceValueConvertible {
    let x: Int
    var traceDescription: String { x % 2 == 0 ? "even" : "odd" }
}

/// As many as fit the cache; they take one, two and three bytes in a trace.
private let integers = (0..<256).map { $0 % 3 == 0 ? $0 / 5 : $0 * 90 }

@inline(__always)
private func emissions<Value>(of values: [Value], isHeard: Bool = true) -> (Int) -> Void {
    let emitter = Emitter<Value>()
    let tally = Tally()
    if isHeard { emitter.subscribe { _ in tally.add(1) } }
    return { count in
        for index in 0..<count { emitter.emit(values[index & 255]) }
    }
}
