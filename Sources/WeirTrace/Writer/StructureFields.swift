import CWeir

/// The fields of a structure that a trace keeps under the policy `scalars`, as text: `Counter(value: 3, title: #0f1e2d3c, …)`.
///
/// Numbers, Bool and cases of enums are written as they are; of a string, a date or a UUID only a fingerprint, which shows that it
/// changed. A `…` represents all other fields. Structures inside are followed if they are of the same module; structures of the
/// system are not read at all.
///
/// The layout of a type is found once. Reading a value then runs no code of the program and takes no lock.
final class StructureFields {
    /// A field that is read, and the text before its value: "Counter(value: ".
    ///
    /// A trivial type: copies cost no reference counting.
    private struct Field {
        let lead: Int32
        let leadCount: Int32
        let offset: Int32
        let leaf: Leaf
        /// The metadata of the optional around the leaf; nil: it is not optional.
        let optional: UnsafeRawPointer?
    }

    /// The most bytes of a text.
    static let longest = 240
    /// The sum of what the fields of one value may cost, in units of about 8 ns; see `Leaf.cost`.
    static let mostCost = 6
    private static let deepest = 3
    private static let longestName = 40

    /// The texts before the values and after the last one, each with room to be read in whole words.
    private let text: UnsafeMutableRawPointer
    private let fields: UnsafeMutableBufferPointer<Field>
    private let tail: Int
    private let tailCount: Int
    /// What the leaves refer to.
    private let cases: [CaseNames]

    /// The fields of a type; nil: it is no structure of the program, or none of its fields is kept.
    init?(of type: Any.Type) {
        let module = Self.module(of: type)
        guard Self.isStructure(type), !Self.isOfSystem(module) else { return nil }
        var search = Search(module: module)
        let root = search.structure(type, at: 0, depth: 1)
        guard !root.parts.isEmpty else { return nil }
        var rendering = Rendering()
        rendering.add(root)
        // A name may be long in bytes.
        let most = rendering.fields.reduce(rendering.text.count) { $0 + $1.leaf.longest }
        guard most <= Self.longest else { return nil }
        cases = search.cases
        text = .allocate(byteCount: rendering.text.count + Self.word, alignment: 8)
        rendering.text.withUnsafeBytes { [text] in
            text.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count)
        }
        fields = .allocate(capacity: rendering.fields.count)
        _ = fields.initialize(from: rendering.fields)
        (tail, tailCount) = (rendering.start, rendering.text.count - rendering.start)
    }

    deinit {
        text.deallocate()
        fields.deallocate()
    }

    // MARK: Reading

    /// The bytes that are copied at once.
    fileprivate static let word = 16
    /// The room that `write` needs.
    static let room = longest + word

    /// Writes the text for a value at `end`, which has `room`.
    func write(_ value: UnsafeRawPointer, _ end: inout UnsafeMutableRawPointer, _ keeper: ThreadKeeper) {
        for field in UnsafeBufferPointer(fields) {
            copy(Int(field.lead), Int(field.leadCount), &end)
            let place = value + Int(field.offset)
            if let optional = field.optional, EnumCase.tag(of: place, optional) != 0 {
                FieldText.put("nil", &end)
            } else {
                field.leaf.write(place, &end, keeper)
            }
        }
        copy(tail, tailCount, &end)
    }

    /// Copies part of the text in words, faster than a call would.
    @inline(__always)
    private func copy(_ start: Int, _ count: Int, _ end: inout UnsafeMutableRawPointer) {
        var copied = 0
        while copied < count {
            let word = (text + start + copied).loadUnaligned(as: SIMD16<UInt8>.self)
            (end + copied).storeBytes(of: word, as: SIMD16<UInt8>.self)
            copied &+= Self.word
        }
        end += count
    }

    // MARK: Finding

    private indirect enum Part {
        case leaf(String, Leaf, offset: Int, optional: UnsafeRawPointer?)
        case structure(String, Structure)
    }

    private struct Structure {
        let name: String
        var parts: [Part] = []
        /// Whether some of its fields are left out.
        var omits = false
    }

    private struct Search {
        let module: Substring
        /// The cost and bytes that may still be added.
        private var costLeft = StructureFields.mostCost
        private var bytesLeft = StructureFields.longest - StructureFields.longestName - 16
        private(set) var cases: [CaseNames] = []

        init(module: Substring) { self.module = module }

        mutating func structure(_ type: Any.Type, at offset: Int, depth: Int) -> Structure {
            let name = RuntimeNames.name(of: type)
            let isLong = name.utf8.count > StructureFields.longestName
            var found = Structure(name: isLong ? String(name.prefix { $0 != "<" }.prefix(20)) : name)
            for field in RuntimeFields.all(of: type) {
                if let part = part(field, at: offset + field.offset, depth) {
                    found.parts.append(part)
                } else {
                    found.omits = true
                }
            }
            return found
        }

        private mutating func part(_ field: RuntimeFields.Field, at offset: Int, _ depth: Int) -> Part? {
            if let leaf = leaf(field.type) { return part(field.name, leaf, at: offset, nil) }
            if let optional = field.type as? any OptionalValue.Type {
                let metadata = unsafeBitCast(field.type, to: UnsafeRawPointer.self)
                guard EnumCase.givesTags(metadata), let leaf = leaf(optional.wrapped) else { return nil }
                return part(field.name, leaf, at: offset, metadata)
            }
            guard depth < StructureFields.deepest, StructureFields.isStructure(field.type),
                StructureFields.module(of: field.type) == module
            else { return nil }
            let before = self
            let inner = structure(field.type, at: offset, depth: depth + 1)
            bytesLeft -= field.name.utf8.count + inner.name.utf8.count + 12
            if !inner.parts.isEmpty, bytesLeft >= 0 { return .structure(field.name, inner) }
            self = before
            return nil
        }

        private mutating func leaf(_ type: Any.Type) -> Leaf? { Leaf(type) { cases.append($0) } }

        private mutating func part(
            _ name: String, _ leaf: Leaf, at offset: Int, _ optional: UnsafeRawPointer?
        ) -> Part? {
            let bytes = name.utf8.count + 4 + leaf.longest
            guard leaf.cost <= costLeft, bytes <= bytesLeft else { return nil }
            costLeft -= leaf.cost
            bytesLeft -= bytes
            return .leaf(name, leaf, offset: offset, optional: optional)
        }
    }

    private struct Rendering {
        var text: [UInt8] = []
        var fields: [Field] = []
        /// Where the text after the last value begins.
        var start = 0

        mutating func add(_ structure: Structure) {
            text += "\(structure.name)(".utf8
            for (place, part) in structure.parts.enumerated() {
                if place > 0 { text += ", ".utf8 }
                switch part {
                case .leaf(let name, let leaf, let offset, let optional):
                    text += "\(name): ".utf8
                    fields.append(
                        Field(
                            lead: Int32(start), leadCount: Int32(text.count - start), offset: Int32(offset), leaf: leaf,
                            optional: optional))
                    start = text.count
                case .structure(let name, let inner):
                    text += "\(name): ".utf8
                    add(inner)
                }
            }
            text += (structure.omits ? ", …)" : ")").utf8
        }
    }

    private static func isStructure(_ type: Any.Type) -> Bool {
        TypeKind(of: type) == .structure
    }

    private static func module(of type: Any.Type) -> Substring {
        RuntimeNames.qualifiedName(of: type).prefix { $0 != "." }
    }

    /// Whether the fields of a module's structures are not what these show, or are keys.
    private static func isOfSystem(_ module: Substring) -> Bool {
        systemModules.contains(module) || module.hasPrefix("_") || module.hasPrefix("Foundation")
    }

    private static let systemModules: Set<Substring> = [
        "Swift", "Dispatch", "Observation", "Combine", "Synchronization", "Distributed", "RegexBuilder", "SwiftUI",
        "SwiftUICore", "SwiftData", "UIKit", "UIKitCore", "AppKit", "CoreData", "Crypto", "CryptoKit", "Security",
        "LocalAuthentication", "Network", "System", "Weir",
    ]
}

/// How the bytes of a field become text.
private enum Leaf {
    case signed(Int)
    case unsigned(Int)
    case bool
    case double
    case float
    case string
    /// So many bytes, of which a fingerprint is kept.
    case bits(Int)
    case cases(Unmanaged<CaseNames>)

    /// - Parameter keep: keeps the names of cases, to which the leaf refers.
    init?(_ type: Any.Type, keep: (CaseNames) -> Void) {
        let integers: [(Any.Type, Leaf)] = [
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

    /// Types whose equal values have equal bytes.
    private static let bits = [
        "Foundation.Date": 8, "FoundationEssentials.Date": 8, "Foundation.UUID": 16, "FoundationEssentials.UUID": 16,
    ]

    private static func size(of type: Any.Type) -> Int {
        func size<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
        return _openExistential(type, do: size)
    }

    /// What writing a value costs, beside a number.
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
        case .string, .bits: 9
        case .cases: CaseNames.longest + 5
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
        }
    }
}

/// The names of an enum's cases, by tag.
private final class CaseNames {
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

/// The fields that a type declares, from the functions of the Swift runtime that serve mirrors.
private enum RuntimeFields {
    struct Field {
        let name: String
        let type: Any.Type
        let offset: Int
    }

    private static let most = 64

    /// Empty if the runtime does not tell.
    static func all(of type: Any.Type) -> [Field] {
        #if _ptrauth(_arm64e)
        return []
        #else
        guard let functions else { return [] }
        return RuntimeNames.lock.withLock { functions.fields(unsafeBitCast(type, to: UnsafeRawPointer.self)) }
        #endif
    }

    private static let functions = Functions()

    private struct Functions {
        private typealias Count = @convention(c) (UnsafeRawPointer) -> Int
        private typealias Metadata =
            @convention(c) (UnsafeRawPointer, Int, UnsafeMutableRawPointer) -> UnsafeRawPointer?
        private typealias Offset = @convention(c) (UnsafeRawPointer, Int) -> Int
        private typealias Free = @convention(c) (UnsafePointer<CChar>) -> Void
        private let count: Count
        private let metadata: Metadata
        private let offset: Offset

        init?() {
            guard let count = weir_exported_address("swift_reflectionMirror_recursiveCount"),
                let metadata = weir_exported_address("swift_reflectionMirror_recursiveChildMetadata"),
                let offset = weir_exported_address("swift_reflectionMirror_recursiveChildOffset")
            else { return nil }
            self.count = unsafeBitCast(count, to: Count.self)
            self.metadata = unsafeBitCast(metadata, to: Metadata.self)
            self.offset = unsafeBitCast(offset, to: Offset.self)
        }

        /// A name, the function that frees it (nil: it need not be freed), and two flags.
        private typealias Details = (UnsafePointer<CChar>?, Free?, Bool, Bool)

        func fields(_ type: UnsafeRawPointer) -> [Field] {
            var fields: [Field] = []
            for place in 0..<max(0, min(count(type), RuntimeFields.most)) {
                var details: Details = (nil, nil, false, false)
                guard
                    let found = withUnsafeMutablePointer(
                        to: &details, { metadata(type, place, UnsafeMutableRawPointer($0)) })
                else { continue }
                let name = details.0.map { String(cString: $0) } ?? ""
                if let text = details.0, let free = details.1 { free(text) }
                // A weak or unowned reference has flags of its own; none is kept.
                guard !name.isEmpty else { continue }
                let lazy = "$__lazy_storage_$_"
                fields.append(
                    Field(
                        name: name.hasPrefix(lazy) ? String(name.dropFirst(lazy.count)) : name,
                        type: unsafeBitCast(found, to: Any.Type.self), offset: offset(type, place)))
            }
            return fields
        }
    }
}

/// Writes the values of fields.
private enum FieldText {
    static let longestNumber = 24
    /// Strings with more bytes than this are not hashed.
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
        let isShort = text.utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.count <= longestString else { return false }
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            return true
        }
        guard isShort == true else { return put("…", &end) }
        putFingerprint(hasher, &end, keeper)
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
        // Of those above 9, the sum with 6 has bit 4.
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let text = digits &+ 0x3030_3030_3030_3030 &+ letters &* 39
        end.storeBytes(of: text.littleEndian, as: UInt64.self)
        end += 8
    }
}
