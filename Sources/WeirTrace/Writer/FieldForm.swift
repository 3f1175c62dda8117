import CWeir

/// How the bytes of a field become text.
enum FieldForm {
    case int8, int16, int32, int64
    case uint8, uint16, uint32, uint64
    case bool, double, float, string
    /// So many bytes, of which a fingerprint is kept.
    case bits8, bits16
    case cases(Unmanaged<CaseNames>)
    /// No value, only the text before it.
    case text

    /// - Parameter keep: keeps the names of cases, to which the form refers.
    init?(_ type: Any.Type, keep: (CaseNames) -> Void) {
        let integers: [(Any.Type, FieldForm)] = [
            (Int.self, .int64), (Int8.self, .int8), (Int16.self, .int16),
            (Int32.self, .int32), (Int64.self, .int64), (UInt.self, .uint64),
            (UInt8.self, .uint8), (UInt16.self, .uint16), (UInt32.self, .uint32), (UInt64.self, .uint64),
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
            self = count == 8 ? .bits8 : .bits16
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
        case .string, .bits8, .bits16: 3
        default: 1
        }
    }

    /// The most bytes of a value's text.
    var longest: Int {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: 20
        case .bool: 5
        case .double, .float: FieldText.longestNumber
        case .string: 12
        case .bits8, .bits16: 9
        case .cases: CaseNames.longest + 5
        case .text: 3
        }
    }

    /// Writes the text for the value at `value`; returns its end.
    @inline(__always)
    func write(
        _ value: UnsafeRawPointer, _ end: UnsafeMutableRawPointer, _ keeper: ThreadKeeper
    ) -> UnsafeMutableRawPointer {
        switch self {
        case .int64: FieldText.put(value.loadUnaligned(as: Int64.self), end)
        case .int32: FieldText.put(Int64(value.loadUnaligned(as: Int32.self)), end)
        case .int16: FieldText.put(Int64(value.loadUnaligned(as: Int16.self)), end)
        case .int8: FieldText.put(Int64(value.load(as: Int8.self)), end)
        case .uint64: FieldText.put(value.loadUnaligned(as: UInt64.self), end)
        case .uint32: FieldText.put(UInt64(value.loadUnaligned(as: UInt32.self)), end)
        case .uint16: FieldText.put(UInt64(value.loadUnaligned(as: UInt16.self)), end)
        case .uint8: FieldText.put(UInt64(value.load(as: UInt8.self)), end)
        case .bool: FieldText.put(value.load(as: UInt8.self) & 1 == 1, end)
        case .double: FieldText.put(value.loadUnaligned(as: Double.self), end)
        case .float: FieldText.put(value.loadUnaligned(as: Float.self), end)
        case .string: FieldText.putFingerprint(value.assumingMemoryBound(to: String.self), end, keeper)
        case .bits8: FieldText.putFingerprint(UnsafeRawBufferPointer(start: value, count: 8), end, keeper)
        case .bits16: FieldText.putFingerprint(UnsafeRawBufferPointer(start: value, count: 16), end, keeper)
        case .cases(let names): names._withUnsafeGuaranteedRef { $0.write(value, end) }
        case .text: end
        }
    }
}

/// The names of an enum's cases, by tag.
final class CaseNames {
    static let longest = 24
    private static let mostCases = 200

    /// The text of a case, in as many bytes as are copied at once. A trivial type: copies cost no reference counting.
    private struct Name {
        var count = 0
        var text: (SIMD16<UInt8>, SIMD16<UInt8>) = (.zero, .zero)
    }

    private let tag: CaseTag
    private let type: UnsafeRawPointer
    @exclusivity(unchecked) private var known = UnsafeMutableBufferPointer<Name>(start: nil, count: 0)

    /// Nil if the type does not provide the tags of its cases.
    init?(_ type: Any.Type) {
        self.type = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard let tag = CaseTag(of: type) else { return nil }
        self.tag = tag
    }

    deinit { known.deallocate() }

    /// Writes the name of the value's case; returns its end.
    @inline(__always)
    func write(_ value: UnsafeRawPointer, _ end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        let tag = Int(self.tag(value))
        guard _fastPath(tag < known.count), case let count = known[tag].count, _fastPath(count > 0) else {
            return writeFirst(value, tag, end)
        }
        end.storeBytes(of: known[tag].text.0, as: SIMD16<UInt8>.self)
        end.storeBytes(of: known[tag].text.1, toByteOffset: 16, as: SIMD16<UInt8>.self)
        return end + count
    }

    /// Writes a case that was not written before, and keeps its text.
    @inline(never)
    private func writeFirst(
        _ value: UnsafeRawPointer, _ tag: Int, _ start: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        guard tag < Self.mostCases else { return FieldText.put("…", start) }
        var end = start
        if let found = EnumCase.found(value, type), found.name.count <= Self.longest, let name = found.name.baseAddress
        {
            end.copyMemory(from: name, byteCount: found.name.count)
            end += found.name.count
            if found.hasPayload { end = FieldText.put("(…)", end) }
        } else {
            end = FieldText.put("…", end)
        }
        if tag >= known.count { grow(to: tag + 1) }
        known[tag].count = end - start
        withUnsafeMutableBytes(of: &known[tag].text) { $0.copyMemory(from: .init(start: start, count: end - start)) }
        return end
    }

    private func grow(to count: Int) {
        let larger = UnsafeMutableBufferPointer<Name>.allocate(
            capacity: max(count, min(2 * known.count, Self.mostCases)))
        let rest = larger[larger.update(fromContentsOf: known)...]
        rest.update(repeating: Name())
        known.deallocate()
        known = larger
    }
}
