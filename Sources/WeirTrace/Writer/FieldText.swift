/// Writes the values of fields, each at a place, and returns its end.
///
/// Numbers are written in words, so that few branches depend on their lengths. A word may reach beyond the text; see
/// `StructureFields.room`.
enum FieldText {
    static let longestNumber = 24
    /// The most bytes of a string that is hashed as a whole; of a longer one, the length, beginning and end are hashed.
    private static let longestString = 256

    @inline(__always)
    static func put(_ text: StaticString, _ end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        end.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        return end + text.utf8CodeUnitCount
    }

    /// 'true' or 'false'.
    @inline(__always)
    static func put(_ value: Bool, _ end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        put(word: value ? 0x6575_7274 : 0x65_736C_6166, value ? 4 : 5, end)
    }

    /// The first bytes of a word, the lowest first.
    @inline(__always)
    private static func put(
        word: UInt64, _ count: Int, _ end: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        end.storeBytes(of: word.littleEndian, as: UInt64.self)
        return end + count
    }

    // MARK: Numbers

    @inline(__always)
    static func put(_ number: Int64, _ end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        put(number.magnitude, putSign(number < 0, end))
    }

    /// The digits replace the '-' of a number that has none.
    @inline(__always)
    private static func putSign(_ isNegative: Bool, _ end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        end.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
        return end + (isNegative ? 1 : 0)
    }

    @inline(__always)
    static func put(_ number: UInt64, _ end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        if _slowPath(number >= 10_000) { return putLong(number, end) }
        let digits = fourDigits(number)
        // The last digit is written, even if it is 0.
        let leading = (digits | 1 << 24).trailingZeroBitCount & 0x18
        let text = (digits | 0x3030_3030) &>> UInt32(truncatingIfNeeded: leading)
        end.storeBytes(of: text.littleEndian, as: UInt32.self)
        return end + (4 &- leading >> 3)
    }

    private static var wordLimit: UInt64 { 100_000_000 }
    private static var zeros: UInt64 { 0x3030_3030_3030_3030 }

    @inline(never)
    private static func putLong(_ number: UInt64, _ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        if number < wordLimit {
            let digits = eightDigits(number)
            let leading = (digits | 1 << 56).trailingZeroBitCount & 0x38
            return put(word: (digits | zeros) &>> UInt64(truncatingIfNeeded: leading), 8 &- leading >> 3, start)
        }
        let (high, low) = number.quotientAndRemainder(dividingBy: wordLimit)
        return put(word: eightDigits(low) | zeros, 8, put(high, start))
    }

    /// The four decimal digits of a number below 10,000 as bytes, the first one lowest.
    @inline(__always)
    private static func fourDigits(_ number: UInt64) -> UInt32 {
        let number = UInt32(truncatingIfNeeded: number)
        let hundreds = (number &* 5243) >> 19
        return UInt32(truncatingIfNeeded: pairs(UInt64(hundreds | (number &- hundreds &* 100) << 16)))
    }

    /// The eight decimal digits of a number below 100,000,000 as bytes, the first one lowest.
    @inline(__always)
    private static func eightDigits(_ number: UInt64) -> UInt64 {
        // Each step divides all parts at once: 4 digits in 32 bits, 2 in 16, 1 in 8. The products stay inside their parts.
        let high = number / 10_000
        let fours = high | (number &- high &* 10_000) << 32
        let hundreds = (fours &* 10_486) >> 20 & 0x0000_007F_0000_007F
        return pairs(hundreds | (fours &- hundreds &* 100) << 16)
    }

    /// The two digits of each number below 100 in 16 bits.
    @inline(__always)
    private static func pairs(_ numbers: UInt64) -> UInt64 {
        let tens = (numbers &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (numbers &- tens &* 10) << 8
    }

    /// As the standard library writes it; numbers with at most six decimals without its help.
    static func put(_ number: Double, _ end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        let size = number.magnitude
        guard size < 1e9, size == 0 || size >= 0.0001 else { return put(number.description, end) }
        let millionths = UInt64(size * 1_000_000 + 0.5)
        // Fewer than 16 digits: no other number with as many is as near.
        guard Double(millionths) / 1_000_000 == size else { return put(number.description, end) }
        return put(millionths: millionths, isNegative: number.sign == .minus, end)
    }

    static func put(_ number: Float, _ end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        let size = Double(number.magnitude)
        guard size < 1000 else { return put(number.description, end) }
        let thousandths = UInt64(size * 1000 + 0.5)
        guard Float(Double(thousandths) / 1000) == number.magnitude else { return put(number.description, end) }
        return put(millionths: thousandths * 1000, isNegative: number.sign == .minus, end)
    }

    @inline(__always)
    private static func put(
        millionths: UInt64, isNegative: Bool, _ end: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        let whole = millionths / 1_000_000
        let point = put(whole, putSign(isNegative, end))
        point.storeBytes(of: UInt8(ascii: "."), as: UInt8.self)
        // Two zeros follow the six decimals; those at the end are left out.
        let decimals = eightDigits((millionths &- whole &* 1_000_000) &* 100)
        return put(word: decimals | zeros, 8 &- min(7, decimals.leadingZeroBitCount >> 3), point + 1)
    }

    @inline(never)
    private static func put(_ text: String, _ end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        var text = text
        return end
            + text.withUTF8 { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                let count = min(bytes.count, longestNumber)
                end.copyMemory(from: base, byteCount: count)
                return count
            }
    }

    // MARK: Fingerprints

    @inline(never)
    static func putFingerprint(
        _ text: UnsafePointer<String>, _ end: UnsafeMutableRawPointer, _ keeper: ThreadKeeper
    ) -> UnsafeMutableRawPointer {
        var hasher = keeper.newHasher
        let isWhole = text.pointee.utf8.withContiguousStorageIfAvailable { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            if bytes.count <= longestString {
                hasher.combine(bytes: bytes)
                return true
            }
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(longestString / 2)))
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.suffix(longestString / 2)))
            return false
        }
        guard let isWhole else { return put("…", end) }
        let stop = putFingerprint(hasher, end, keeper)
        return isWhole ? stop : put("…", stop)
    }

    @inline(never)
    static func putFingerprint(
        _ bytes: UnsafeRawBufferPointer, _ end: UnsafeMutableRawPointer, _ keeper: ThreadKeeper
    ) -> UnsafeMutableRawPointer {
        var hasher = keeper.newHasher
        hasher.combine(bytes: bytes)
        return putFingerprint(hasher, end, keeper)
    }

    /// '#' and eight hexadecimal digits.
    @inline(__always)
    private static func putFingerprint(
        _ hasher: Hasher, _ end: UnsafeMutableRawPointer, _ keeper: ThreadKeeper
    ) -> UnsafeMutableRawPointer {
        let hash = keeper.fingerprint(of: UInt64(bitPattern: Int64(hasher.finalize())))
        end.storeBytes(of: UInt8(ascii: "#"), as: UInt8.self)
        // The digits of a number as bytes of a word, the first one lowest: each half of the digits moves away from the other.
        var digits = UInt64(UInt32(truncatingIfNeeded: hash).byteSwapped)
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits >> 4 & 0x000F_000F_000F_000F) | (digits & 0x000F_000F_000F_000F) << 8
        // The sum with 6 sets bit 4 for digits above 9.
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return put(word: digits &+ zeros &+ letters &* 39, 8, end + 1)
    }
}

/// Numbers fingerprints in the order of their first appearance.
///
/// Hash values differ from run to run. Under a virtual clock, a trace must have the same bytes on every run, so its
/// fingerprints are these numbers.
final class FingerprintNumbers: @unchecked Sendable {
    private let lock = SystemLock()
    private var numbers: [UInt64: UInt64] = [:]

    func number(of hash: UInt64) -> UInt64 {
        lock.withLock {
            let next = UInt64(numbers.count) + 1
            let number = numbers[hash] ?? next
            numbers[hash] = number
            return number
        }
    }
}
