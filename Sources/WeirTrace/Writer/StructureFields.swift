import CWeir

/// The fields of a structure or tuple that a trace keeps under the policy `scalars`, as text:
/// `Counter(value: 3, title: #0f1e2d3c, …)`.
///
/// Numbers, Bool and cases of enums are written as they are; of a string, a date or a UUID only a fingerprint, which shows that it
/// changed. A `…` represents all other fields. Structures inside are followed if they are of the same module; structures of the
/// system are not read at all. The field of a property wrapper has the property's name and the wrapped value.
///
/// The layout of a type is found once. Reading a value then runs no code of the program and takes no lock.
final class StructureFields {
    /// A field that is read, and the text before its value: "Counter(value: ".
    ///
    /// A trivial type: copies cost no reference counting.
    private struct Field {
        /// Where the text begins, in the text of the type.
        let lead: Int32
        let leadCount: Int32
        var offset: Int32 = 0
        /// The number of the fields that follow for what is in the optional, which are passed over if it is nil.
        var content: Int32 = 0
        var form = FieldForm.text
        /// Nil: the value is not optional.
        var optional: CaseTag?
    }

    /// The most bytes of a text.
    static let longest = 240
    /// The sum of what the fields of one value may cost, in units of about 8 ns; see `FieldForm.cost`.
    static let mostCost = 6
    private static let deepest = 3
    private static let longestName = 40

    /// The texts before the values and after the last one, each with room to be read in whole words.
    private let text: UnsafeMutableRawPointer
    private let fields: UnsafeMutableBufferPointer<Field>
    private let tail: Int
    private let tailCount: Int
    /// The targets of the leaves.
    private let cases: [CaseNames]

    /// The fields of a type; nil: it is no tuple or structure of the program, or none of its fields is kept.
    init?(of type: Any.Type) {
        let module = Self.module(of: type)
        let isTuple = TypeKind(of: type) == .tuple
        guard isTuple || TypeKind(of: type) == .structure && !Self.isOfSystem(module) else { return nil }
        var search = Search(module: isTuple ? nil : module)
        let root = search.structure(type, at: 0, depth: 1)
        guard !root.parts.isEmpty else { return nil }
        var rendering = Rendering()
        rendering.add(root)
        // A name may be long in bytes.
        let most = rendering.fields.reduce(rendering.text.count) { $0 + $1.form.longest }
        guard most <= Self.longest else { return nil }
        cases = search.cases
        room = most + 12 + Self.word
        text = .allocate(byteCount: rendering.text.count + Self.word, alignment: 8)
        // Bytes copied beyond the text may get into a trace file.
        text.initializeMemory(as: UInt8.self, repeating: 0, count: rendering.text.count + Self.word)
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

    /// The bytes of text that are copied at once.
    fileprivate static let word = 32
    /// The room that `record` needs: form, count, fingerprint, text, and a word that reaches beyond it.
    let room: Int
    /// The most room that the fields of any type need.
    static let mostRoom = longest + 12 + word

    /// Writes the form and contents of a description at `start`, which has `room`, with the fingerprint of the value if it is
    /// hashable; returns its end.
    @inline(__always)
    func record(
        _ value: UnsafeRawPointer, hash: UInt64?, at start: UnsafeMutableRawPointer, _ keeper: ThreadKeeper
    ) -> UnsafeMutableRawPointer {
        let extra = hash == nil ? 0 : 9
        // Before the text: a byte for the form, and one for the count of most texts.
        let text = start + (2 &+ extra)
        let count = write(value, at: text, keeper) - text
        if _slowPath(count &+ extra >= 0x80) { (text + 1).copyMemory(from: text, byteCount: count) }
        var end = start
        ValueEncoding.put(hash == nil ? .description : .hashedDescription, &end)
        Varint.write(UInt64(truncatingIfNeeded: count &+ extra), &end)
        if let hash {
            end.storeBytes(of: keeper.fingerprint(of: hash).littleEndian, as: UInt64.self)
            end.storeBytes(of: 0, toByteOffset: 8, as: UInt8.self)
            end += 9
        }
        return end + count
    }

    /// Writes the text for a value; returns its end.
    private func write(
        _ value: UnsafeRawPointer, at start: UnsafeMutableRawPointer, _ keeper: ThreadKeeper
    ) -> UnsafeMutableRawPointer {
        var end = start
        var field = UnsafePointer(fields.baseAddress.unsafelyUnwrapped)
        let text = UnsafeRawPointer(text)
        let stop = field + fields.count
        while field < stop {
            end = copy(text + Int(field.pointee.lead), Int(field.pointee.leadCount), end)
            let place = value + Int(field.pointee.offset)
            if let optional = field.pointee.optional, optional(place) != 0 {
                end = FieldText.put("nil", end)
                field += Int(field.pointee.content)
            } else {
                end = field.pointee.form.write(place, end, keeper)
            }
            field += 1
        }
        return copy(text + tail, tailCount, end)
    }

    /// Copies part of the text in words, faster than a call would.
    @inline(__always)
    private func copy(
        _ start: UnsafeRawPointer, _ count: Int, _ end: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        copyWord(start, end)
        var copied = Self.word
        while _slowPath(copied < count) {
            copyWord(start + copied, end + copied)
            copied &+= Self.word
        }
        return end + count
    }

    @inline(__always)
    private func copyWord(_ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer) {
        let (first, second) = (
            from.loadUnaligned(as: SIMD16<UInt8>.self), from.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
        )
        to.storeBytes(of: first, as: SIMD16<UInt8>.self)
        to.storeBytes(of: second, toByteOffset: 16, as: SIMD16<UInt8>.self)
    }

    // MARK: Finding

    private indirect enum Part {
        case leaf(String, FieldForm, offset: Int, optional: CaseTag?)
        case structure(String, Structure, offset: Int, optional: CaseTag?)
    }

    private struct Structure {
        let name: String
        var parts: [Part] = []
        /// Whether some of its fields are left out.
        var omits = false
    }

    private struct Search {
        /// The module whose structures are followed; nil in a tuple: each of the program.
        private var module: Substring?
        /// The cost and bytes that may still be added.
        private var costLeft = StructureFields.mostCost
        private var bytesLeft = StructureFields.longest - StructureFields.longestName - 16
        private(set) var cases: [CaseNames] = []

        init(module: Substring?) { self.module = module }

        mutating func structure(_ type: Any.Type, at offset: Int, depth: Int) -> Structure {
            let name = TypeKind(of: type) == .tuple ? "" : RuntimeNames.name(of: type)
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
            let wrapped = (field.type as? any OptionalValue.Type)?.wrapped
            let type = wrapped ?? field.type
            // The type decides what a trace may show of it, and its code is not called here.
            guard !(type is any TraceValueConvertible.Type) else { return nil }
            let optional = wrapped == nil ? nil : CaseTag(of: field.type)
            if wrapped != nil, optional == nil { return nil }
            if let leaf = leaf(type) { return part(field.name, leaf, at: offset, optional) }
            guard isFollowed(type) else { return nil }
            if optional == nil, let value = Self.wrappedValue(of: field) {
                return part(value, at: offset + value.offset, depth)
            }
            guard depth < StructureFields.deepest else { return nil }
            let before = self
            costLeft -= optional == nil ? 0 : 1
            if TypeKind(of: type) == .structure { module = StructureFields.module(of: type) }
            let inner = structure(type, at: offset, depth: depth + 1)
            module = before.module
            bytesLeft -= field.name.utf8.count + inner.name.utf8.count + 12
            if !inner.parts.isEmpty, bytesLeft >= 0 {
                return .structure(field.name, inner, offset: offset, optional: optional)
            }
            self = before
            return nil
        }

        private func isFollowed(_ type: Any.Type) -> Bool {
            let kind = TypeKind(of: type)
            guard kind == .structure else { return kind == .tuple }
            let own = StructureFields.module(of: type)
            return module.map { $0 == own } ?? !StructureFields.isOfSystem(own)
        }

        /// The stored value of the property wrapper of a field, under the name of the property.
        private static func wrappedValue(of field: RuntimeFields.Field) -> RuntimeFields.Field? {
            guard field.name.hasPrefix("_"),
                let value = RuntimeFields.all(of: field.type).first(where: { $0.name == "wrappedValue" })
            else { return nil }
            return RuntimeFields.Field(name: String(field.name.dropFirst()), type: value.type, offset: value.offset)
        }

        private mutating func leaf(_ type: Any.Type) -> FieldForm? { FieldForm(type) { cases.append($0) } }

        private mutating func part(
            _ name: String, _ leaf: FieldForm, at offset: Int, _ optional: CaseTag?
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
        /// The place where the text after the last value begins.
        var start = 0

        mutating func add(_ structure: Structure) {
            text += "\(structure.name)(".utf8
            for (place, part) in structure.parts.enumerated() {
                if place > 0 { text += ", ".utf8 }
                switch part {
                case .leaf(let name, let leaf, let offset, let optional):
                    addName(name)
                    addField(offset, leaf, optional)
                case .structure(let name, let inner, _, nil):
                    addName(name)
                    add(inner)
                case .structure(let name, let inner, let offset, let optional?):
                    addName(name)
                    addField(offset, .text, optional)
                    let first = fields.count
                    add(inner)
                    // The text after the content is not part of it.
                    addField(0, .text, nil)
                    fields[first - 1].content = Int32(fields.count - first)
                }
            }
            text += (structure.omits ? ", …)" : ")").utf8
        }

        private mutating func addName(_ name: String) {
            // An element of a tuple without a label has a number.
            if !name.hasPrefix(".") { text += "\(name): ".utf8 }
        }

        /// A field after the text that no field has yet.
        private mutating func addField(_ offset: Int, _ form: FieldForm, _ optional: CaseTag?) {
            fields.append(
                Field(
                    lead: Int32(start), leadCount: Int32(text.count - start), offset: Int32(offset), form: form,
                    optional: optional))
            start = text.count
        }
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
