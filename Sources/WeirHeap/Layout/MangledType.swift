/// The name of a type as the compiler stores it in reflection metadata: text with embedded references to descriptors.
struct MangledType {
    /// The address of its first byte.
    let address: UInt
    /// The number of bytes, without the zero at the end.
    let length: UInt

    /// The name at `address`; nil if there is none.
    init?(at address: UInt) {
        if address == 0 { return nil }
        var length: UInt = 0
        while Memory.byte(address &+ length) != 0 { length &+= MangledType.width(Memory.byte(address &+ length)) }
        if length == 0 { return nil }
        self.init(address: address, length: length)
    }

    init(address: UInt, length: UInt) {
        self.address = address
        self.length = length
    }

    /// The number of bytes in the item that begins with `byte`: a reference has a four-byte offset or an eight-byte pointer.
    static func width(_ byte: UInt8) -> UInt {
        switch byte {
        case 1...0x17: 5
        case 0x18...0x1f: 9
        default: 1
        }
    }

    /// The byte at `place`; 0 beyond the end.
    func byte(_ place: UInt) -> UInt8 { place < length ? Memory.byte(address &+ place) : 0 }

    /// The part from `start` to `end`.
    func part(_ start: UInt, _ end: UInt) -> MangledType {
        MangledType(address: address &+ start, length: end &- start)
    }

    /// The descriptor that the reference at `place` leads to; nil if it leads to something else.
    func descriptor(_ place: UInt) -> TypeDescriptor? {
        let kind = byte(place)
        guard kind == 1 || kind == 2 else { return nil }
        let target = Memory.relative(address &+ place &+ 1)
        let descriptor = kind == 1 || target == 0 ? target : Memory.word(target)
        return descriptor < Memory.leastAddress ? nil : TypeDescriptor(descriptor)
    }

    /// Whether an access function replaces the type. The function does not return noncopyable types.
    var isAccessFunction: Bool { byte(0) == 9 }

    /// The ownership of a reference of this type, read from the ending of the name.
    var ownership: HeapReference.Ownership {
        switch ending {
        case "Xw": .weak
        case "Xo": .unowned
        case "Xu": .unmanaged
        default: .strong
        }
    }

    /// Whether it is a box for a variable, read from the ending. The type before the ending is that of the variable.
    var isBox: Bool { ending == "Xx" || ending == "XX" }

    /// The last two letters.
    private var ending: String {
        var place: UInt = 0
        var last: (UInt8, UInt8) = (0, 0)
        while place < length {
            let byte = byte(place)
            let width = MangledType.width(byte)
            last = width == 1 ? (last.1, byte) : (0, 0)
            place &+= width
        }
        return String(decoding: [last.0, last.1], as: UTF8.self)
    }

    /// A readable form, which shows the names of referenced descriptors.
    var text: String {
        var place: UInt = 0
        var text = ""
        while place < length {
            let byte = byte(place)
            if let descriptor = descriptor(place) {
                text += descriptor.name
            } else if MangledType.width(byte) > 1 {
                text += "?"
            } else {
                text.unicodeScalars.append(UnicodeScalar(byte))
            }
            place &+= MangledType.width(byte)
        }
        return text
    }
}
