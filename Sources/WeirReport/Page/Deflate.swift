/// Compresses bytes as RFC 1951 defines it ('deflate'), with the fixed codes; browsers decompress them as 'deflate-raw'.
///
/// The columns of a trace repeat themselves: short matches at short distances save most of their bytes.
struct Deflate {
    private var output: [UInt8] = []
    private var bits: UInt64 = 0
    private var bitCount: UInt64 = 0

    /// The compressed form of some bytes.
    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var deflate = Deflate()
        deflate.output.reserveCapacity(bytes.count / 3 + 16)
        // One block, the last one, with the fixed codes.
        deflate.put(0b011, 3)
        bytes.withUnsafeBufferPointer { deflate.encode($0) }
        deflate.putSymbol(256)
        deflate.put(0, 7)
        return deflate.output
    }

    private static let shortest = 4
    private static let longest = 258
    private static let window = 32768

    private mutating func encode(_ bytes: UnsafeBufferPointer<UInt8>) {
        // By hash of four bytes: their last place, plus one; by place: the place before with the same hash.
        var last = [Int32](repeating: 0, count: 1 << 15)
        var before = [Int32](repeating: 0, count: Self.window)
        var place = 0
        func note(_ place: Int) -> Int {
            let key = Int(Self.hash(bytes, place))
            let found = Int(last[key])
            before[place & (Self.window - 1)] = last[key]
            last[key] = Int32(truncatingIfNeeded: place + 1)
            return found
        }
        while place < bytes.count {
            guard place + Self.shortest <= bytes.count else {
                putSymbol(Int(bytes[place]))
                place += 1
                continue
            }
            var candidate = note(place)
            var (length, distance) = (0, 0)
            var tries = 8
            while candidate > 0, place - (candidate - 1) <= Self.window - 1, tries > 0 {
                let match = Self.match(bytes, candidate - 1, place)
                if match > length { (length, distance) = (match, place - (candidate - 1)) }
                if length >= 64 { break }
                candidate = Int(before[(candidate - 1) & (Self.window - 1)])
                tries -= 1
            }
            if length >= Self.shortest {
                putMatch(length, distance)
                // Noting each place of a long match costs more than it saves.
                let noted = min(place + min(length, 16), bytes.count - Self.shortest)
                for inner in stride(from: place + 1, to: noted, by: 1) { _ = note(inner) }
                place += length
            } else {
                putSymbol(Int(bytes[place]))
                place += 1
            }
        }
    }

    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> UInt32 {
        let word =
            UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
            | UInt32(bytes[place + 3]) << 24
        return (word &* 2_654_435_761) >> 17
    }

    private static func match(_ bytes: UnsafeBufferPointer<UInt8>, _ first: Int, _ second: Int) -> Int {
        let limit = min(longest, bytes.count - second)
        var length = 0
        while length < limit, bytes[first + length] == bytes[second + length] { length += 1 }
        return length
    }

    // MARK: codes

    private mutating func put(_ value: UInt64, _ count: UInt64) {
        bits |= value << bitCount
        bitCount += count
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }

    /// Huffman codes begin with their highest bit.
    private mutating func putCode(_ code: Int, _ count: Int) {
        var reversed: UInt64 = 0
        for bit in 0..<count where code >> bit & 1 == 1 { reversed |= 1 << UInt64(count - 1 - bit) }
        put(reversed, UInt64(count))
    }

    private mutating func putSymbol(_ symbol: Int) {
        switch symbol {
        case ..<144: putCode(0x30 + symbol, 8)
        case ..<256: putCode(0x190 + symbol - 144, 9)
        case ..<280: putCode(symbol - 256, 7)
        default: putCode(0xC0 + symbol - 280, 8)
        }
    }

    private mutating func putMatch(_ length: Int, _ distance: Int) {
        let lengthCode = Self.lengthCodes[length]
        putSymbol(257 + lengthCode)
        put(UInt64(length - Self.lengthBases[lengthCode]), UInt64(Self.lengthBits[lengthCode]))
        var (low, high) = (0, Self.distanceBases.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if Self.distanceBases[middle] <= distance { low = middle } else { high = middle - 1 }
        }
        putCode(low, 5)
        put(UInt64(distance - Self.distanceBases[low]), UInt64(low < 4 ? 0 : low / 2 - 1))
    }

    private static let lengthBits = (0..<28).map { $0 < 8 ? 0 : $0 / 4 - 1 } + [0]
    private static let lengthBases: [Int] = {
        var bases = [3]
        for code in 0..<27 { bases.append(bases[code] + (1 << lengthBits[code])) }
        return bases + [258]
    }()
    private static let lengthCodes: [Int] = (0...longest).map { length in
        lengthBases.lastIndex { $0 <= length } ?? 0
    }
    private static let distanceBases: [Int] = {
        var bases = [1]
        for code in 0..<29 { bases.append(bases[code] + (1 << (code < 4 ? 0 : code / 2 - 1))) }
        return bases
    }()
}
