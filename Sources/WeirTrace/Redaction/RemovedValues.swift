/// The removed values, to find equal values elsewhere, which would disclose them.
///
/// This is a Bloom filter of 16 MiB, whatever the size of the trace. Below five million values, its rate of false positives
/// is less than one in a thousand. Values that many nodes have by chance (`true`, 7, "a", the case of an enum) are not
/// stored.
package struct RemovedValues: Sendable {
    private static let bits: UInt64 = 1 << 27
    private static let probes: UInt64 = 4
    private var words: [UInt64]

    package init() { words = [UInt64](repeating: 0, count: Int(Self.bits / 64)) }

    package mutating func insert(_ value: TraceValue) {
        for hash in Self.hashes(of: value) {
            for probe in 0..<Self.probes {
                let (word, bit) = Self.place(hash, probe)
                words[word] |= bit
            }
        }
    }

    package func contains(_ value: TraceValue) -> Bool {
        Self.hashes(of: value).contains { hash in
            (0..<Self.probes).allSatisfy { probe in
                let (word, bit) = Self.place(hash, probe)
                return words[word] & bit != 0
            }
        }
    }

    private static func place(_ hash: UInt64, _ probe: UInt64) -> (word: Int, bit: UInt64) {
        let place = (hash &+ probe &* (hash >> 32 | 1)) % bits
        return (Int(place / 64), 1 << (place % 64))
    }

    /// The hashes of the facts about a value: its text, its fingerprint, or both.
    private static func hashes(of value: TraceValue) -> [UInt64] {
        guard case .hashedDescription(let text, let isCut, let whole) = value else {
            return hash(of: value).map { [$0] } ?? []
        }
        return (isCut ? nil : hash(of: text)).map { [$0, mixed(whole)] } ?? [mixed(whole)]
    }

    /// A hash that is equal for equal values, in whatever form they are recorded; nil: the value discloses nothing.
    private static func hash(of value: TraceValue) -> UInt64? {
        switch value {
        case .string(let text), .described(let text): hash(of: text)
        case .signed(let number): number.magnitude < 1000 ? nil : mixed(UInt64(bitPattern: number))
        case .unsigned(let number): number < 1000 ? nil : mixed(number)
        case .double(let number): isDistinctive(number) ? mixed(number.bitPattern) : nil
        case .float(let number): isDistinctive(Double(number)) ? mixed(UInt64(number.bitPattern)) : nil
        case .fingerprint(let number), .cutString(_, let number), .cutDescription(_, let number),
            .hashedDescription(_, _, let number), .enumCase(_, .fingerprint(let number)):
            mixed(number)
        case .notRecorded, .withheld, .void, .nil, .bool, .enumCase, .opaque, .unknown: nil
        }
    }

    private static func isDistinctive(_ number: Double) -> Bool {
        number.isFinite && (number.magnitude >= 1000 || number != number.rounded())
    }

    private static func hash(of text: String) -> UInt64? {
        var text = text
        return text.withUTF8 { $0.count < 2 ? nil : mixed(TraceChecksum.of(UnsafeRawBufferPointer($0))) }
    }

    /// Spreads differences in a few bits over all bits (the finalizer of SplitMix64).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Numbers that replace removed texts in a copy; equal texts get equal numbers.
struct RemovedTexts {
    /// The most texts with different numbers, so that memory does not grow with the trace.
    static let most = 65_536

    private var numbers: [String: UInt64] = [:]

    /// The number of a text: from 1, in the order of first appearance.
    mutating func number(of text: String) -> UInt64 {
        if let known = numbers[text] { return known }
        let number = UInt64(numbers.count) + 1
        if numbers.count < Self.most { numbers[text] = number }
        return number
    }
}
