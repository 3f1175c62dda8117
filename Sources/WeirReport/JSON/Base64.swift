/// Base64 (RFC 4648), with padding.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The digits of some bytes, with their padding.
    static func text(of bytes: [UInt8]) -> String {
        let length = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: length) { output in
            var (place, target) = (0, 0)
            while place < bytes.count {
                let rest = min(3, bytes.count - place)
                var group = UInt32(bytes[place]) << 16
                if rest > 1 { group |= UInt32(bytes[place + 1]) << 8 }
                if rest > 2 { group |= UInt32(bytes[place + 2]) }
                for digit in 0..<4 {
                    output[target + digit] =
                        digit <= rest ? digits[Int(group >> (18 - 6 * UInt32(digit)) & 63)] : UInt8(ascii: "=")
                }
                place += 3
                target += 4
            }
            return length
        }
    }

    /// The bytes; nil: it is no base64.
    static func bytes(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count % 4 == 0 else { return nil }
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 4 * 3)
        var (bits, count) = (UInt32(0), 0)
        for digit in text.dropLast(padding) {
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
