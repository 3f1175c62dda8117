/// What the compiler wrote down about a class, structure or enum: its name, and its fields.
struct TypeDescriptor: Hashable {
    /// What is described.
    enum Kind: UInt32 {
        case module = 0
        case `class` = 16
        case structure = 17
        case enumeration = 18
        case other = 0xff
    }

    /// Where it is.
    let address: UInt

    init(_ address: UInt) { self.address = address }

    private var flags: UInt32 { Memory.half(address) }

    /// What is described.
    var kind: Kind { Kind(rawValue: flags & 0x1f) ?? .other }

    /// Whether it has generic parameters, of its own or of the type it is declared in.
    var isGeneric: Bool { flags & 0x80 != 0 }

    /// Its name, without module.
    var name: String { Memory.text(Memory.relative(address &+ 8)) }

    /// The name of the module that it belongs to.
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

    /// The names of the types that it is declared in, each with a dot: "Outer.".
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

    /// Whether it is the type `name` of the module `module`.
    func `is`(_ module: String, _ names: String...) -> Bool { names.contains(name) && self.module == module }

    /// Its fields, or its cases with payload followed by those without; nil: built without reflection metadata.
    var fields: [FieldRecord]? {
        let descriptor = Memory.relative(address &+ 16)
        if descriptor == 0 { return nil }
        let count = min(UInt(Memory.half(descriptor &+ 12)), 1 << 20)
        return (0..<count).map { FieldRecord(address: descriptor &+ 16 &+ $0 &* 12) }
    }
}

extension TypeDescriptor {
    /// Where the field at `place` of a structure lies in its values.
    func fieldOffset(_ place: Int, of structure: Metadata) -> UInt {
        let offsets = structure.address &+ UInt(Memory.half(address &+ 24)) &* 8
        return UInt(Memory.half(offsets &+ UInt(place) &* 4))
    }

    /// How many cases of an enum have a payload; they come first.
    var payloadCaseCount: Int { Int(Memory.half(address &+ 20) & 0xff_ffff) }

    /// How many cases of an enum have none.
    var emptyCaseCount: Int { Int(Memory.half(address &+ 24)) }
}

extension TypeDescriptor {
    private var hasResilientSuperclass: Bool { flags >> 16 & 1 << 13 != 0 }
    private var hasNegativeMembers: Bool { flags >> 16 & 1 << 12 != 0 }

    /// How many words the metadata of a class has beyond that of its superclass.
    var immediateMemberCount: Int { Int(Memory.half(address &+ 32)) }

    /// Where those words begin: generic arguments first.
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

    /// Where the field at `place` of a class lies in its instances.
    func fieldOffset(_ place: Int, ofClass metadata: Metadata) -> UInt {
        let start = hasResilientSuperclass ? immediateMembers(of: metadata) : metadata.address
        return Memory.word(start &+ (UInt(Memory.half(address &+ 40)) &+ UInt(place)) &* 8)
    }
}

/// One field of a structure or class, or one case of an enum.
struct FieldRecord {
    let address: UInt

    /// Whether the payload of a case lies in a box.
    var isIndirect: Bool { Memory.half(address) & 1 != 0 }

    /// Its name as the compiler keeps it.
    var name: String { Memory.text(Memory.relative(address &+ 8)) }

    /// The name of its type; nil: a case without payload.
    var type: MangledType? { MangledType(at: Memory.relative(address &+ 4)) }
}
