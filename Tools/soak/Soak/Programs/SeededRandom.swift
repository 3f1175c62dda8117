/// Numbers that a seed determines (SplitMix64: Steele, Lea, Flood, 'Fast splittable pseudorandom number generators', 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// A number below `bound`.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Whether an event that happens in `percent` of all cases happens now.
    package mutating func happens(_ percent: Int) -> Bool { below(100) < percent }

    package mutating func element<Value>(of values: [Value]) -> Value { values[below(values.count)] }

    package static func mixed(_ number: UInt64) -> UInt64 {
        var bits = number
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

/// A function of two numbers that gives different results for different arguments, except with a probability of 1 in 2⁶³.
package func mixed(_ a: Int, _ b: Int) -> Int {
    let first = SeededRandom.mixed(UInt64(bitPattern: Int64(a)) &+ 0x9E37_79B9_7F4A_7C15)
    let both = SeededRandom.mixed(first &+ UInt64(bitPattern: Int64(b)) &* 0xD129_0C2C_F32A_7B6D)
    return Int(truncatingIfNeeded: both >> 1)
}
