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
        let lead: Int32
        let leadCount: Int32
        var offset: Int32 = 0
        var form = FieldForm.text
        /// The metadata of the optional around the value; nil: it is not optional.
        var optional: UnsafeRawPointer?
        /// The number of the fields that follow for what is in the optional, which are passed over if it is nil.
        var content = 0
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
        var next = 0
        while next < fields.count {
            let field = fields[next]
            next &+= 1
            copy(Int(field.lead), Int(field.leadCount), &end)
            let place = value + Int(field.offset)
            if let optional = field.optional, EnumCase.tag(of: place, optional) != 0 {
                FieldText.put("nil", &end)
                next &+= field.content
            } else {
                field.form.write(place, &end, keeper)
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
        case leaf(String, FieldForm, offset: Int, optional: UnsafeRawPointer?)
        case structure(String, Structure, offset: Int, optional: UnsafeRawPointer?)
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
            let optional = wrapped.map { _ in unsafeBitCast(field.type, to: UnsafeRawPointer.self) }
            if let optional, !EnumCase.givesTags(optional) { return nil }
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
            _ name: String, _ leaf: FieldForm, at offset: Int, _ optional: UnsafeRawPointer?
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
                    fields[first - 1].content = fields.count - first
                }
            }
            text += (structure.omits ? ", …)" : ")").utf8
        }

        private mutating func addName(_ name: String) {
            // An element of a tuple without a label has a number.
            if !name.hasPrefix(".") { text += "\(name): ".utf8 }
        }

        /// A field after the text that no field has yet.
        private mutating func addField(_ offset: Int, _ form: FieldForm, _ optional: UnsafeRawPointer?) {
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
