/// FNV-1a of 64 bits over texts, each followed by a byte that never occurs in UTF-8: the same in every run.
package struct StableHash: Hashable {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        add(0xFF)
    }

    private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

    /// The hash of texts as 16 hexadecimal digits.
    package static func digits(of texts: [String]) -> String {
        var hash = StableHash()
        for text in texts { hash.add(text) }
        return digits(hash.value)
    }

    /// A hash as 16 hexadecimal digits.
    static func digits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
