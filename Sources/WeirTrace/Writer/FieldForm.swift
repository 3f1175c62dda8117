import CWeir

/// How the bytes of a field become text.
enum FieldForm {
    case signed(Int)
    case unsigned(Int)
    case bool
    case double
    case float
    case string
    /// So many bytes, of which a fingerprint is kept.
    case bits(Int)
    case cases(Unmanaged<CaseNames>)
    /// No value, only the text before it.
    case text

    /// - Parameter keep: keeps the names of cases, to which the form refers.
    init?(_ type: Any.Type, keep: (CaseNames) -> Void) {
        let integers: [(Any.Type, FieldForm)] = [
            (Int.self, .signed(8)), (Int8.self, .signed(1)), (Int16.self, .signed(2)), (Int32.self, .signed(4)),
            (Int64.self, .signed(8)), (UInt.self, .unsigned(8)), (UInt8.self, .unsigned(1)),
            (UInt16.self, .unsigned(2)), (UInt32.self, .unsigned(4)), (UInt64.self, .unsigned(8)),
        ]
        if let known = integers.first(where: { $0.0 == type }) {
            self = known.1
        } else if type == Bool.self {
            self = .bool
        } else if type == Double.self {
            self = .double
        } else if type == Float.self {
            self = .float
        } else if Self.doubles.contains(RuntimeNames.qualifiedName(of: type)), Self.size(of: type) == 8 {
            self = .double
        } else if type == String.self {
            self = .string
        } else if let count = Self.bits[RuntimeNames.qualifiedName(of: type)], Self.size(of: type) == count {
            self = .bits(count)
        } else if TypeKind(of: type) == .enumeration, let cases = CaseNames(type) {
            keep(cases)
            self = .cases(.passUnretained(cases))
        } else {
            return nil
        }
    }

    /// Types that hold one `Double`.
    private static let doubles: Set = ["CoreFoundation.CGFloat", "Foundation.CGFloat", "FoundationEssentials.CGFloat"]
    /// Types whose equal values have equal bytes.
    private static let bits = [
        "Foundation.Date": 8, "FoundationEssentials.Date": 8, "Foundation.UUID": 16, "FoundationEssentials.UUID": 16,
    ]

    private static func size(of type: Any.Type) -> Int {
        func size<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
        return _openExistential(type, do: size)
    }

    /// The cost of writing a value; 1: that of a number.
    var cost: Int {
        switch self {
        case .string, .bits: 3
        default: 1
        }
    }

    /// The most bytes of a value's text.
    var longest: Int {
        switch self {
        case .signed, .unsigned: 20
        case .bool: 5
        case .double, .float: FieldText.longestNumber
        case .string: 12
        case .bits: 9
        case .cases: CaseNames.longest + 5
        case .text: 3
        }
    }

    @inline(__always)
    func write(_ value: UnsafeRawPointer, _ end: inout UnsafeMutableRawPointer, _ keeper: ThreadKeeper) {
        switch self {
        case .signed(8): FieldText.put(value.loadUnaligned(as: Int64.self), &end)
        case .signed(4): FieldText.put(Int64(value.loadUnaligned(as: Int32.self)), &end)
        case .signed(2): FieldText.put(Int64(value.loadUnaligned(as: Int16.self)), &end)
        case .signed: FieldText.put(Int64(value.load(as: Int8.self)), &end)
        case .unsigned(8): FieldText.put(value.loadUnaligned(as: UInt64.self), &end)
        case .unsigned(4): FieldText.put(UInt64(value.loadUnaligned(as: UInt32.self)), &end)
        case .unsigned(2): FieldText.put(UInt64(value.loadUnaligned(as: UInt16.self)), &end)
        case .unsigned: FieldText.put(UInt64(value.load(as: UInt8.self)), &end)
        case .bool: FieldText.put(value.load(as: UInt8.self) & 1 == 1 ? "true" : "false", &end)
        case .double: FieldText.put(value.loadUnaligned(as: Double.self), &end)
        case .float: FieldText.put(value.loadUnaligned(as: Float.self), &end)
        case .string: FieldText.putFingerprint(value.assumingMemoryBound(to: String.self).pointee, &end, keeper)
        case .bits(let count):
            FieldText.putFingerprint(UnsafeRawBufferPointer(start: value, count: count), &end, keeper)
        case .cases(let cases): cases._withUnsafeGuaranteedRef { $0.write(value, &end) }
        case .text: break
        }
    }
}

/// The names of an enum's cases, by tag.
final class CaseNames {
    static let longest = 24
    private static let mostCases = 200

    private let type: UnsafeRawPointer
    @exclusivity(unchecked) private var known: [EnumCase?] = []

    /// Nil if the type does not provide the tags of its cases.
    init?(_ type: Any.Type) {
        self.type = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard EnumCase.givesTags(self.type) else { return nil }
    }

    func write(_ value: UnsafeRawPointer, _ end: inout UnsafeMutableRawPointer) {
        guard let tag = EnumCase.tag(of: value, type).map(Int.init), tag < Self.mostCases else {
            return FieldText.put("…", &end)
        }
        while known.count <= tag { known.append(nil) }
        guard let found = known[tag] ?? EnumCase.found(value, type), found.name.count <= Self.longest,
            let name = found.name.baseAddress
        else { return FieldText.put("…", &end) }
        known[tag] = found
        end.copyMemory(from: name, byteCount: found.name.count)
        end += found.name.count
        if found.hasPayload { FieldText.put("(…)", &end) }
    }
}

/// Writes the values of fields.
enum FieldText {
    static let longestNumber = 24
    /// The most bytes of a string that is hashed as a whole; of a longer one, the length, beginning and end are hashed.
    private static let longestString = 256

    @inline(__always)
    static func put(_ text: StaticString, _ end: inout UnsafeMutableRawPointer) {
        end.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        end += text.utf8CodeUnitCount
    }

    @inline(__always)
    private static func put(_ byte: UInt8, _ end: inout UnsafeMutableRawPointer) {
        end.storeBytes(of: byte, as: UInt8.self)
        end += 1
    }

    @inline(__always)
    static func put(_ number: Int64, _ end: inout UnsafeMutableRawPointer) {
        if number < 0 { put(UInt8(ascii: "-"), &end) }
        put(number.magnitude, &end)
    }

    @inline(__always)
    static func put(_ number: UInt64, _ end: inout UnsafeMutableRawPointer) {
        var (count, limit) = (1, 10 as UInt64)
        while number >= limit {
            count &+= 1
            if count == 20 { break }
            limit &*= 10
        }
        putDigits(number, count, &end)
    }

    /// Exactly so many decimal digits.
    private static func putDigits(_ number: UInt64, _ count: Int, _ end: inout UnsafeMutableRawPointer) {
        var (place, rest) = (count, number)
        while place > 0 {
            place &-= 1
            end.storeBytes(
                of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10), toByteOffset: place, as: UInt8.self)
            rest /= 10
        }
        end += count
    }

    /// As the standard library writes it; numbers with at most six decimals without its help.
    static func put(_ number: Double, _ end: inout UnsafeMutableRawPointer) {
        let size = number.magnitude
        guard size < 1e9, size == 0 || size >= 0.0001 else { return put(number.description, &end) }
        let millionths = UInt64(size * 1_000_000 + 0.5)
        // Fewer than 16 digits: no other number with as many is as near.
        guard Double(millionths) / 1_000_000 == size else { return put(number.description, &end) }
        put(millionths: millionths, isNegative: number.sign == .minus, &end)
    }

    static func put(_ number: Float, _ end: inout UnsafeMutableRawPointer) {
        let size = Double(number.magnitude)
        guard size < 1000 else { return put(number.description, &end) }
        let thousandths = UInt64(size * 1000 + 0.5)
        guard Float(Double(thousandths) / 1000) == number.magnitude else { return put(number.description, &end) }
        put(millionths: thousandths * 1000, isNegative: number.sign == .minus, &end)
    }

    private static func put(millionths: UInt64, isNegative: Bool, _ end: inout UnsafeMutableRawPointer) {
        if isNegative { put(UInt8(ascii: "-"), &end) }
        put(millionths / 1_000_000, &end)
        put(UInt8(ascii: "."), &end)
        var (decimals, count) = (millionths % 1_000_000, 6)
        while count > 1, decimals % 10 == 0 { (decimals, count) = (decimals / 10, count &- 1) }
        putDigits(decimals, count, &end)
    }

    private static func put(_ text: String, _ end: inout UnsafeMutableRawPointer) {
        var text = text
        let place = end
        end += text.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            let count = min(bytes.count, longestNumber)
            place.copyMemory(from: base, byteCount: count)
            return count
        }
    }

    static func putFingerprint(_ text: String, _ end: inout UnsafeMutableRawPointer, _ keeper: ThreadKeeper) {
        var hasher = Hasher()
        let isWhole = text.utf8.withContiguousStorageIfAvailable { bytes in
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
        guard let isWhole else { return put("…", &end) }
        putFingerprint(hasher, &end, keeper)
        if !isWhole { put("…", &end) }
    }

    static func putFingerprint(
        _ bytes: UnsafeRawBufferPointer, _ end: inout UnsafeMutableRawPointer, _ keeper: ThreadKeeper
    ) {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        putFingerprint(hasher, &end, keeper)
    }

    /// '#' and eight hexadecimal digits.
    private static func putFingerprint(_ hasher: Hasher, _ end: inout UnsafeMutableRawPointer, _ keeper: ThreadKeeper) {
        let hash = keeper.fingerprint(of: UInt64(bitPattern: Int64(hasher.finalize())))
        put(UInt8(ascii: "#"), &end)
        // The digits of a number as bytes of a word, the first one lowest: each half of the digits moves away from the other.
        var digits = UInt64(UInt32(truncatingIfNeeded: hash).byteSwapped)
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits >> 4 & 0x000F_000F_000F_000F) | (digits & 0x000F_000F_000F_000F) << 8
        // The sum with 6 sets bit 4 for digits above 9.
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let text = digits &+ 0x3030_3030_3030_3030 &+ letters &* 39
        end.storeBytes(of: text.littleEndian, as: UInt64.self)
        end += 8
    }
}
