import WeirTrace

/// The part of a value that decides whether it equals another one.
///
/// Short contents are kept as they are, longer ones as two hashes of 64 bits. Two different long texts practically never agree
/// in both, unless somebody constructs them.
struct ValueKey: Hashable {
    /// Whether two values are the same, if the trace proves it.
    enum Comparison: Equatable {
        case equal
        case different
        case unknown(UnjudgedTally.Reason)
    }

    /// The form in the file, except for forms unknown here (`unknownForm`) and enum cases with a payload.
    var form: UInt8 = 0
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// The key of an unknown value.
    static let notRecorded = ValueKey()

    /// Whether the value is `()`: an event, each of which counts.
    var isVoid: Bool { form == 2 }

    /// Whether the value is a Bool.
    var isBool: Bool { form == 4 || form == 5 }

    private init() {}

    /// The key of the value in `body`, which is from an emission's record.
    @inline(__always)
    init(_ body: UnsafeRawBufferPointer) {
        guard let base = body.baseAddress, body.count > 0 else { return }
        form = base.load(as: UInt8.self)
        switch form {
        case 6, 7:
            // Kept as a number, because there is more than one way to encode it.
            let (first, last) = (base.load(fromByteOffset: 1, as: UInt8.self), body.count)
            if first < 0x80 { low = UInt64(first) } else { low = Self.varint(base, 1, last) }
        case 8: takeDouble(base)
        case 9: takeFloat(base)
        case 10...14: takeBytes(base, body.count)
        case TraceFormat.ValueForm.enumCase.rawValue: takeCase(base, body.count)
        case TraceFormat.ValueForm.hashedDescription.rawValue: takeFingerprint(base, body.count)
        case 16...: form = Self.unknownForm
        default: break
        }
    }

    private static func varint(_ base: UnsafeRawPointer, _ from: Int, _ end: Int) -> UInt64 {
        var value: UInt64 = 0
        var (place, shift) = (from, UInt64(0))
        // At most ten bytes, the last of which adds one bit.
        while place < end {
            let byte = base.load(fromByteOffset: place, as: UInt8.self)
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { break }
            place &+= 1
            shift &+= 7
        }
        return value
    }

    private mutating func takeDouble(_ base: UnsafeRawPointer) {
        let bits = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        let value = Double(bitPattern: bits)
        low = value == 0 ? 0 : value.isNaN ? Double.nan.bitPattern : bits
    }

    private mutating func takeFloat(_ base: UnsafeRawPointer) {
        let bits = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
        let value = Float(bitPattern: bits)
        low = UInt64(value == 0 ? 0 : value.isNaN ? Float.nan.bitPattern : bits)
    }

    private mutating func takeCase(_ base: UnsafeRawPointer, _ end: Int) {
        var place = 1
        while place < end, base.load(fromByteOffset: place, as: UInt8.self) >= 0x80 { place &+= 1 }
        let payload = place &+ 1 < end ? base.load(fromByteOffset: place &+ 1, as: UInt8.self) : .max
        switch TraceFormat.PayloadForm(rawValue: payload) {
        case .none?: takeBytes(base, end)
        case .fingerprint? where end &- place >= 10:
            form = Self.hashedCaseForm
            low = base.loadUnaligned(fromByteOffset: place &+ 2, as: UInt64.self)
        case .unknown?, .noneOfAnyEnum?:
            form = Self.caseOnlyForm
            takeBytes(base, end)
        default: form = Self.unknownForm
        }
    }

    /// Takes the fingerprint that precedes a description.
    private mutating func takeFingerprint(_ base: UnsafeRawPointer, _ end: Int) {
        var place = 1
        while place < end, base.load(fromByteOffset: place, as: UInt8.self) >= 0x80 { place &+= 1 }
        guard end &- place >= 10 else { return form = Self.unknownForm }
        low = base.loadUnaligned(fromByteOffset: place &+ 1, as: UInt64.self)
    }

    /// Takes all bytes after the form; those of a text include its length.
    private mutating func takeBytes(_ base: UnsafeRawPointer, _ end: Int) {
        if end <= 16 {
            for place in 1..<end {
                let byte = UInt64(base.load(fromByteOffset: place, as: UInt8.self))
                if place <= 8 {
                    low |= byte << UInt64((place - 1) * 8)
                } else {
                    high |= byte << UInt64((place - 9) * 8)
                }
            }
            // The last byte holds the length, so that texts that differ in a trailing zero byte have different keys.
            high |= UInt64(end) << 56
            return
        }
        var (first, second): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325 ^ UInt64(end), 0x9E37_79B9_7F4A_7C15)
        var place = 1
        while place &+ 8 <= end {
            let word = base.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            first = (first ^ word) &* 0x100_0000_01B3
            first ^= first >> 29
            second = (second &+ word) &* 0xBF58_476D_1CE4_E5B9
            second ^= second >> 31
            place &+= 8
        }
        while place < end {
            let byte = UInt64(base.load(fromByteOffset: place, as: UInt8.self))
            first = (first ^ byte) &* 0x100_0000_01B3
            second = (second &+ byte) &* 0xBF58_476D_1CE4_E5B9
            second ^= second >> 31
            place &+= 1
        }
        low = first
        high = second
    }

    /// Compares two values by what the trace proves.
    @inline(__always)
    static func compare(_ left: ValueKey, _ right: ValueKey) -> Comparison {
        // Nearly all values have one of the forms whose keys say everything.
        guard _fastPath(left.form == right.form && left.form &- 2 <= 10) else { return compareOthers(left, right) }
        return left.low == right.low && left.high == right.high ? .equal : .different
    }

    @inline(never)
    private static func compareOthers(_ left: ValueKey, _ right: ValueKey) -> Comparison {
        if let reason = left.reasonOfIgnorance(right) { return .unknown(reason) }
        guard left.isSame(as: right) else { return .different }
        if left.form == caseOnlyForm { return .unknown(.unrecordable) }
        return left.form == 13 || left.form == 14 ? .unknown(.sameDescription) : .equal
    }

    private func reasonOfIgnorance(_ other: ValueKey) -> UnjudgedTally.Reason? {
        if isKnown && other.isKnown { return nil }
        if form == 1 || other.form == 1 { return .withheld }
        if form == 0 || other.form == 0 { return .notRecorded }
        return .unrecordable
    }

    private static let unknownForm: UInt8 = 15
    // No forms of the file.
    private static let caseOnlyForm: UInt8 = 254
    private static let hashedCaseForm: UInt8 = 255

    /// Whether the form is known; forms of later versions are not.
    private var isKnown: Bool { form > 1 && form != Self.unknownForm }

    // MARK: For replays

    /// How much of the value the key identifies.
    enum Certainty {
        case nothing
        /// The description, which two different values may share.
        case description
        case whole
    }

    var certainty: Certainty {
        switch form {
        case 0, 1, Self.unknownForm: .nothing
        case 13, 14, Self.caseOnlyForm: .description
        default: .whole
        }
    }

    @inline(__always)
    func isSame(as other: ValueKey) -> Bool { form == other.form && low == other.low && high == other.high }

    /// One number that combines all parts.
    var mixed: UInt64 { (low ^ UInt64(form) << 56) &* 0x9E37_79B9_7F4A_7C15 ^ high }

    /// The key of a value in the definitions, equal to the key of its record.
    init(_ value: TraceValue) {
        let bytes = value.recordedBytes
        self = bytes.withUnsafeBytes { ValueKey($0) }
    }
}

extension TraceValue {
    /// The value encoded as in an emission's record.
    fileprivate var recordedBytes: [UInt8] {
        func little(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        func varint(_ number: UInt64) -> [UInt8] {
            var (bytes, rest): ([UInt8], UInt64) = ([], number)
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            return bytes + [UInt8(rest)]
        }
        func text(_ text: String) -> [UInt8] { varint(UInt64(text.utf8.count)) + Array(text.utf8) }
        return switch self {
        case .notRecorded: [0]
        case .withheld: [1]
        case .void: [2]
        case .nil: [3]
        case .bool(let value): [value ? 5 : 4]
        case .signed(let value): [6] + varint(UInt64(bitPattern: value << 1 ^ value >> 63))
        case .unsigned(let value): [7] + varint(value)
        case .double(let value): [8] + little(value.bitPattern)
        case .float(let value): [9] + little(value.bitPattern)
        case .string(let value): [10] + text(value)
        case .cutString(let value, let whole): [11] + text(value) + little(whole)
        case .fingerprint(let whole): [12] + little(whole)
        case .described(let value): [13] + text(value)
        case .cutDescription(let value, let whole): [14] + text(value) + little(whole)
        case .hashedDescription(let value, let isCut, let whole):
            [33] + varint(UInt64(value.utf8.count + 9)) + little(whole) + [isCut ? 1 : 0] + Array(value.utf8)
        case .enumCase(let name, .none): [32] + varint(UInt64(name.utf8.count + 1)) + [0] + Array(name.utf8)
        case .enumCase(let name, .fingerprint(let whole)):
            [32] + varint(UInt64(name.utf8.count + 9)) + [1] + little(whole) + Array(name.utf8)
        case .enumCase(let name, .unknown): [32] + varint(UInt64(name.utf8.count + 1)) + [2] + Array(name.utf8)
        case .enumCase(let name, .noneOfAnyEnum): [32] + varint(UInt64(name.utf8.count + 1)) + [3] + Array(name.utf8)
        case .opaque, .unknown: [15]
        }
    }
}
