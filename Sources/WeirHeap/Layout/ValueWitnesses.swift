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
