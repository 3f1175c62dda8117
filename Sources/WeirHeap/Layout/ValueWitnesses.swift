/// How the values of a type lie in memory, and the functions that read enums.
struct ValueWitnesses {
    /// Where the table is; 0: the type has none.
    let table: UInt

    /// Bytes of a value.
    var size: UInt { Memory.word(table &+ 64) }
    /// Bytes from one value to the next in an array.
    var stride: UInt { Memory.word(table &+ 72) }
    private var flags: UInt32 { Memory.half(table &+ 80) }
    /// How many bit patterns stand for no value.
    var extraInhabitants: UInt32 { Memory.half(table &+ 84) }
    /// The alignment of a value, less one.
    var alignMask: UInt { UInt(flags & 0xff) }
    /// It can be copied byte by byte: it holds no reference.
    var isPlain: Bool { flags & 0x1_0000 == 0 }
    /// An existential holds it in itself, and not in a box.
    var isInline: Bool { flags & 0x2_0000 == 0 }
    /// It has raw storage, of which the table says nothing.
    var isRawOrNoncopyable: Bool { flags & 0x180_0000 != 0 }

    private typealias SinglePayloadTag = @convention(c) (UInt, UInt32, UInt) -> UInt32
    private typealias EnumTag = @convention(c) (UInt, UInt) -> UInt32
    private typealias Project = @convention(c) (UInt, UInt) -> Void

    /// 0: the value of type `payload` is there; else the number of the empty case, from 1.
    func singlePayloadTag(_ value: UInt, emptyCases: UInt32, payload: UInt) -> UInt32 {
        unsafeBitCast(Memory.word(table &+ 48), to: SinglePayloadTag.self)(value, emptyCases, payload)
    }

    /// Which case the enum at `value` is: cases with payload first, in the order of its fields.
    func enumTag(_ value: UInt, of metadata: UInt) -> UInt32 {
        unsafeBitCast(Memory.word(table &+ 88), to: EnumTag.self)(value, metadata)
    }

    /// Turns the enum at `value` into the bare payload of its case.
    func projectDestructively(_ value: UInt, of metadata: UInt) {
        unsafeBitCast(Memory.word(table &+ 96), to: Project.self)(value, metadata)
    }
}
