import Weir

/// One kind of emission, to be measured with recording off and on.
struct Emission: Sendable {
    let name: String
    /// Makes an emitter with its subscriber; the result emits so many values.
    let make: @Sendable () -> (Int) -> Void

    static let all = [
        Emission(name: "Int") { emissions(of: integers) },
        Emission(name: "Bool") { emissions(of: integers.map { $0 % 2 == 0 }) },
        Emission(name: "Double") { emissions(of: integers.map { Double($0) / 7 }) },
        Emission(name: "String") { emissions(of: integers.map { "name \($0)" }) },
        Emission(name: "Int, unheard") { emissions(of: integers, isHeard: false) },
    ]
}

/// As many as fit the cache, of one, two and three bytes in a trace.
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
