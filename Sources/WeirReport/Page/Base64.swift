/// Base 64, as HTML and security policies use it.
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
}
