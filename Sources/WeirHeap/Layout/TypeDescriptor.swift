/// The compiler's description of a class, structure or enum: its name and its fields.
struct TypeDescriptor: Hashable {
    /// The kind of declaration.
    enum Kind: UInt32 {
        case module = 0
        case `class` = 16
        case structure = 17
        case enumeration = 18
        case other = 0xff
    }

    /// The address of the descriptor.
    let address: UInt

    init(_ address: UInt) { self.address = address }

    private var flags: UInt32 { Memory.half(address) }

    /// The kind of declaration that it describes.
    var kind: Kind { Kind(rawValue: flags & 0x1f) ?? .other }

    /// Whether it has generic parameters, its own or those of an enclosing type.
    var isGeneric: Bool { flags & 0x80 != 0 }

    /// The name, without its module.
    var name: String { Memory.text(Memory.relative(address &+ 8)) }

    /// The name of its module.
    var module: String {
        var context = self
        for _ in 0..<64 {
            if context.kind == .module { return context.name }
            let parent = Memory.relativeOrIndirect(context.address &+ 4)
            if parent < Memory.leastAddress { break }
            context = TypeDescriptor(parent)
        }
        return ""
    }

    /// The names of the enclosing types, each with a dot: "Outer.".
    var outerNames: String {
        var names = ""
        var context = self
        for _ in 0..<64 {
            let parent = Memory.relativeOrIndirect(context.address &+ 4)
            if parent < Memory.leastAddress { break }
            context = TypeDescriptor(parent)
            switch context.kind {
            case .class, .structure, .enumeration: names = context.name + "." + names
            case .module: return names
            case .other: continue
            }
        }
        return names
    }

    /// Whether it is one of the types `names` of the module `module`.
    func `is`(_ module: String, _ names: String...) -> Bool { names.contains(name) && self.module == module }

    /// The fields, or the cases with payload before those without; nil if built without reflection metadata.
    var fields: [FieldRecord]? {
        let descriptor = Memory.relative(address &+ 16)
        if descriptor == 0 { return nil }
        let count = min(UInt(Memory.half(descriptor &+ 12)), 1 << 20)
        return (0..<count).map { FieldRecord(address: descriptor &+ 16 &+ $0 &* 12) }
    }
}

extension TypeDescriptor {
    /// The offset of the field at `place` in values of a structure.
    func fieldOffset(_ place: Int, of structure: Metadata) -> UInt {
        let offsets = structure.address &+ UInt(Memory.half(address &+ 24)) &* 8
        return UInt(Memory.half(offsets &+ UInt(place) &* 4))
    }

    /// The number of enum cases with a payload; they come first.
    var payloadCaseCount: Int { Int(Memory.half(address &+ 20) & 0xff_ffff) }

    /// The number of enum cases without a payload.
    var emptyCaseCount: Int { Int(Memory.half(address &+ 24)) }
}

extension TypeDescriptor {
    private var hasResilientSuperclass: Bool { flags >> 16 & 1 << 13 != 0 }
    private var hasNegativeMembers: Bool { flags >> 16 & 1 << 12 != 0 }

    /// The number of words that the metadata of a class adds to that of its superclass.
    var immediateMemberCount: Int { Int(Memory.half(address &+ 32)) }

    /// The address of those words, which begin with the generic arguments.
    func immediateMembers(of metadata: Metadata) -> UInt {
        let words: Int
        if hasResilientSuperclass {
            return metadata.address &+ Memory.word(Memory.relative(address &+ 24))
        } else if hasNegativeMembers {
            words = -Int(Memory.half(address &+ 24))
        } else {
            words = Int(Memory.half(address &+ 28)) - immediateMemberCount
        }
        return metadata.address &+ UInt(bitPattern: words &* 8)
    }

    /// The offset of the field at `place` in instances of a class.
    func fieldOffset(_ place: Int, ofClass metadata: Metadata) -> UInt {
        let start = hasResilientSuperclass ? immediateMembers(of: metadata) : metadata.address
        return Memory.word(start &+ (UInt(Memory.half(address &+ 40)) &+ UInt(place)) &* 8)
    }
}

/// One field of a structure or class, or one case of an enum.
struct FieldRecord {
    let address: UInt

    /// Whether the payload of a case is in a box.
    var isIndirect: Bool { Memory.half(address) & 1 != 0 }

    /// The name as the compiler stores it.
    var name: String { Memory.text(Memory.relative(address &+ 8)) }

    /// The name of its type; nil for a case without payload.
    var type: MangledType? { MangledType(at: Memory.relative(address &+ 4)) }
}

/// A stored property that a class or a structure declares itself, read from reflection metadata.
package struct StoredProperty {
    /// Whether the property may be read: its target is alive and stays alive.
    ///
    /// False for weak references, which lead back to the holder of this object. Also false for unowned ones, whose target may be
    /// gone: reading one would end the program.
    package let isStrong: Bool
    private let field: FieldRecord
    private let descriptor: TypeDescriptor
    private let arguments: UInt
    /// The offset in a value of a structure; nil for a property of an object.
    package let offset: Int?

    /// The properties of `type` in the order of their declaration, without inherited ones.
    ///
    /// Nil if they are unknown: the type is neither a class nor a structure of Swift, or has no reflection metadata.
    package static func all(of type: Any.Type) -> [StoredProperty]? {
        let metadata = Metadata(type)
        let descriptor: TypeDescriptor
        let arguments: UInt
        switch metadata.kind {
        case .class:
            guard let found = metadata.classDescriptor else { return nil }
            descriptor = found
            arguments = found.isGeneric ? found.immediateMembers(of: metadata) : 0
        case .structure:
            descriptor = metadata.valueDescriptor
            arguments = metadata.valueArguments
        default: return nil
        }
        return descriptor.fields?.enumerated().map { place, field in
            StoredProperty(
                isStrong: field.type.map { $0.ownership == .strong } ?? true, field: field, descriptor: descriptor,
                arguments: arguments,
                offset: metadata.kind == .structure ? Int(descriptor.fieldOffset(place, of: metadata)) : nil)
        }
    }

    /// The stored name. For a property with a macro or wrapper it begins with '_'.
    package var name: String { field.name }

    /// The type; nil if it cannot be found.
    package var type: Any.Type? {
        field.type.flatMap { TypeResolver.resolve($0, in: descriptor, arguments: arguments) }?.type
    }
}
