/// Shortens the description of a structure to a limit, so that its last fields are recorded, too.
///
/// The end of a long text says as much about a change as its beginning. Therefore long literals are shortened first:
/// `State(text: "lorem ips…#7f3a", isLoading: true)`. The number is a hash of the whole literal: two literals that
/// begin alike remain different. If that is not enough, the rest is cut off.
enum ShortDescription {
    /// The most bytes that are kept of a literal, from the most generous on.
    private static let lengths = [64, 32, 16, 8]
    private static let quote = UInt8(ascii: "\""), backslash = UInt8(ascii: "\\")

    /// At most `limit` bytes for a longer description; they end with a whole character.
    static func bytes(of text: UnsafeBufferPointer<UInt8>, limit: Int) -> [UInt8] {
        var short: [UInt8] = []
        if text.contains(quote) {
            for length in lengths {
                short = shortened(text, literals: length, limit: limit)
                if short.count <= limit { return short }
            }
            return short.withUnsafeBufferPointer { Array($0[..<EncodedValue.characters($0, limit: limit)]) }
        }
        return Array(text[..<EncodedValue.characters(text, limit: limit)])
    }

    /// The text with literals of at most `length` bytes; stops soon after `limit`.
    private static func shortened(_ text: UnsafeBufferPointer<UInt8>, literals length: Int, limit: Int) -> [UInt8] {
        var short: [UInt8] = []
        short.reserveCapacity(limit + length)
        var place = 0
        while place < text.count, short.count <= limit {
            short.append(text[place])
            place += 1
            guard text[place - 1] == quote else { continue }
            let start = place
            // The last position within `length` that ends a character or an escape.
            var kept = start
            while place < text.count, text[place] != quote {
                if place - start <= length, text[place] & 0xC0 != 0x80 { kept = place }
                place += text[place] == backslash ? 2 : 1
            }
            place = min(place, text.count)
            if place - start <= length {
                short += text[start..<place]
            } else {
                short += text[start..<kept]
                short += "…#".utf8
                short += digits(of: text[start..<place])
            }
            guard place < text.count else { break }
            short.append(quote)
            place += 1
        }
        return short
    }

    /// Four hexadecimal digits: the FNV-1a hash, folded to 16 bits, so that each run of the program writes the same.
    private static func digits(of literal: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        var hash: UInt32 = 2_166_136_261
        for byte in literal { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        let folded = UInt16(truncatingIfNeeded: hash ^ hash >> 16)
        return (0..<4).map { digit in
            let value = UInt8(folded >> (12 - 4 * digit) & 0xF)
            return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
    }
}
