/// Base64 (RFC 4648), with padding.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                result.append(
                    place <= group.count ? alphabet[Int(bits >> UInt32(18 - 6 * place)) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes; nil: it is no base64.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        let padding = digits.suffix(2).count { $0 == UInt8(ascii: "=") }
        var result: [UInt8] = []
        result.reserveCapacity(digits.count / 4 * 3)
        var (bits, count) = (UInt32(0), 0)
        for digit in digits.dropLast(padding) {
            guard let value = values[Int(digit)] else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return result
    }
}
