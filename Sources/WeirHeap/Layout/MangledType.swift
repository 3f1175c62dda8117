/// The name of a type as the compiler leaves it in reflection metadata: text in which references to descriptors stand.
struct MangledType {
    /// Where it begins.
    let address: UInt
    /// Bytes, without the zero at its end.
    let length: UInt

    /// The name at `address`; nil: there is none.
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

    /// Bytes that what begins with `byte` takes: references have an offset of four bytes or a pointer of eight.
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

    /// The descriptor that the reference at `place` leads to; nil: it is not one to a descriptor.
    func descriptor(_ place: UInt) -> TypeDescriptor? {
        let kind = byte(place)
        guard kind == 1 || kind == 2 else { return nil }
        let target = Memory.relative(address &+ place &+ 1)
        let descriptor = kind == 1 || target == 0 ? target : Memory.word(target)
        return descriptor < Memory.leastAddress ? nil : TypeDescriptor(descriptor)
    }

    /// Whether the type was left out: it can be asked of a function only, which does not tell noncopyable types.
    var isAccessFunction: Bool { byte(0) == 9 }

    /// Whether it keeps its target alive, which its ending says.
    var ownership: HeapReference.Ownership {
        switch ending {
        case "Xw": .weak
        case "Xo": .unowned
        case "Xu": .unmanaged
        default: .strong
        }
    }

    /// Whether it is a box for a variable, which its ending says: what comes before is what lies in the box.
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

    /// For a reader: references are shown by the names of what they lead to.
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
