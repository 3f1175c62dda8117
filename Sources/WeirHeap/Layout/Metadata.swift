/// The runtime's metadata of a type, by its address.
struct Metadata: Hashable {
    /// The kinds of metadata: of types, and of heap objects without a type.
    enum Kind: UInt {
        case `class` = 0
        case structure = 0x200
        case enumeration = 0x201
        case optional = 0x202
        case foreignClass = 0x203
        case foreignReference = 0x204
        case builtin = 0x300
        case tuple = 0x301
        case function = 0x302
        case existential = 0x303
        case metatype = 0x304
        case objectiveCClass = 0x305
        case existentialMetatype = 0x306
        case extendedExistential = 0x307
        case fixedArray = 0x308
        /// The captures of a closure, or a variable that closures share.
        case context = 0x400
        /// A box for a value whose type was unknown to the code that made it.
        case genericBox = 0x500
        case errorBox = 0x501
        case task = 0x502
        case job = 0x503
        case unknown = 0x7ff
    }

    /// The address of the metadata.
    let address: UInt

    init(_ address: UInt) { self.address = address }

    init(_ type: Any.Type) { address = unsafeBitCast(type, to: UInt.self) }

    /// The kind of type or object that it describes.
    var kind: Kind {
        let raw = Memory.word(address)
        #if canImport(ObjectiveC)
        // Classes visible to Objective-C have a pointer here.
        if raw > Kind.unknown.rawValue { return .class }
        #endif
        return Kind(rawValue: raw) ?? .unknown
    }

    /// The type itself.
    var type: Any.Type { unsafeBitCast(address, to: Any.Type.self) }

    /// The name without its module, but with the enclosing types: "Outer.Inner", "Array<Int>".
    var name: String {
        let name = _typeName(type, qualified: false)
        switch kind {
        case .class: return (classDescriptor?.outerNames ?? "") + name
        case .structure, .enumeration: return valueDescriptor.outerNames + name
        default: return name
        }
    }

    /// The memory layout of its values, and the functions that inspect them.
    var witnesses: ValueWitnesses { ValueWitnesses(table: Memory.word(address &- 8)) }

    /// Whether its values may hold references; an instance of a class is one itself.
    var mayHoldReferences: Bool {
        kind == .class || (witnesses.table != 0 && !witnesses.isPlain)
    }

    /// The number of bytes in a value; 0 if it is unknown.
    var size: UInt { witnesses.table == 0 ? 0 : witnesses.size }

    /// The descriptor of a structure or an enum.
    var valueDescriptor: TypeDescriptor { TypeDescriptor(Memory.word(address &+ 8)) }

    /// The address of the generic arguments of a structure or an enum.
    var valueArguments: UInt { address &+ 16 }
}

extension Metadata {
    // Offsets in the metadata of a class. With an Objective-C runtime, three more words precede them.
    #if canImport(ObjectiveC)
    private static let interop: UInt = 24
    #else
    private static let interop: UInt = 0
    #endif

    /// The superclass of a class; nil if it has none.
    var superclass: Metadata? {
        let address = Memory.word(address &+ 8)
        return address < Memory.leastAddress ? nil : Metadata(address)
    }

    /// The number of bytes in an instance of a class, without its tail allocation.
    var instanceSize: UInt { UInt(Memory.half(address &+ 24 &+ Metadata.interop)) }

    /// Whether the sizes in the metadata of a class are plausible.
    var hasPlausibleSizes: Bool {
        let size = Memory.half(address &+ 32 &+ Metadata.interop)
        let before = Memory.half(address &+ 36 &+ Metadata.interop)
        return instanceSize >= 16 && instanceSize < 1 << 28 && before >= 16 && before < size && size < 1 << 24
    }

    /// The address of the word that points to the descriptor of a class.
    var classDescriptorPlace: UInt { address &+ 40 &+ Metadata.interop }

    /// The descriptor of a class; nil if the class is not written in Swift.
    var classDescriptor: TypeDescriptor? {
        #if canImport(ObjectiveC)
        // The Objective-C runtime marks Swift classes in the word of their constant data.
        if Memory.word(address &+ 32) & 2 == 0 { return nil }
        #endif
        let descriptor = Memory.word(classDescriptorPlace)
        return descriptor < Memory.leastAddress ? nil : TypeDescriptor(descriptor)
    }

    /// The class and its superclasses with their descriptors, up to the first one that is not written in Swift.
    var classChain: [(metadata: Metadata, descriptor: TypeDescriptor)] {
        var chain: [(metadata: Metadata, descriptor: TypeDescriptor)] = []
        var next: Metadata? = self
        while let metadata = next, chain.count < 256, let descriptor = metadata.classDescriptor {
            chain.append((metadata, descriptor))
            next = metadata.superclass
        }
        return chain
    }

    /// The generic argument at `place`. For a class without arguments, it comes from its first generic superclass.
    func genericArgument(_ place: Int) -> Metadata? {
        var argument: UInt = 0
        switch kind {
        case .class:
            guard let (owner, descriptor) = classChain.first(where: { $0.descriptor.isGeneric }) else { return nil }
            guard place < descriptor.immediateMemberCount else { return nil }
            argument = Memory.word(descriptor.immediateMembers(of: owner) &+ UInt(place) &* 8)
        case .structure, .enumeration, .optional: argument = Memory.word(valueArguments &+ UInt(place) &* 8)
        default: return nil
        }
        return argument < Memory.leastAddress ? nil : Metadata(argument)
    }
}

/// The memory layout of the values of a type, and the functions that read enums.
struct ValueWitnesses {
    /// The address of the table; 0 if the type has none.
    let table: UInt

    /// The number of bytes in a value.
    var size: UInt { Memory.word(table &+ 64) }
    /// The number of bytes from one value to the next in an array.
    var stride: UInt { Memory.word(table &+ 72) }
    private var flags: UInt32 { Memory.half(table &+ 80) }
    /// The number of bit patterns that represent no value.
    var extraInhabitants: UInt32 { Memory.half(table &+ 84) }
    /// The alignment of a value, minus one.
    var alignMask: UInt { UInt(flags & 0xff) }
    /// Whether a value can be copied byte by byte because it holds no reference.
    var isPlain: Bool { flags & 0x1_0000 == 0 }
    /// Whether an existential holds the value inline and not in a box.
    var isInline: Bool { flags & 0x2_0000 == 0 }
    /// Whether a value has raw storage that the table does not describe.
    var isRawOrNoncopyable: Bool { flags & 0x180_0000 != 0 }

    private typealias SinglePayloadTag = @convention(c) (UInt, UInt32, UInt) -> UInt32
    private typealias EnumTag = @convention(c) (UInt, UInt) -> UInt32
    private typealias Project = @convention(c) (UInt, UInt) -> Void

    /// 0 if the value of type `payload` is present; otherwise the number of the empty case, from 1.
    func singlePayloadTag(_ value: UInt, emptyCases: UInt32, payload: UInt) -> UInt32 {
        unsafeBitCast(Memory.word(table &+ 48), to: SinglePayloadTag.self)(value, emptyCases, payload)
    }

    /// The index of the case of the enum at `value`: cases with payload first, in the order of its fields.
    func enumTag(_ value: UInt, of metadata: UInt) -> UInt32 {
        unsafeBitCast(Memory.word(table &+ 88), to: EnumTag.self)(value, metadata)
    }

    /// Turns the enum at `value` into the bare payload of its case.
    func projectDestructively(_ value: UInt, of metadata: UInt) {
        unsafeBitCast(Memory.word(table &+ 96), to: Project.self)(value, metadata)
    }
}
