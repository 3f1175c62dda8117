/// What may be done with a piece of memory.
struct MappingRights: OptionSet {
    let rawValue: UInt8

    static let read = MappingRights(rawValue: 1)
    static let write = MappingRights(rawValue: 2)
    static let execute = MappingRights(rawValue: 4)
}

/// A line of the system's list: `7f00-7f80 r-xp 00000000 08:01 123 /lib/libc.so`.
struct MappingLine {
    private(set) var start: UInt = 0
    private(set) var end: UInt = 0
    private(set) var rights: MappingRights = []
    /// Memory of the system's, such as `[vvar]`, that must not be read.
    private(set) var isSystem = false
    /// It is of a file.
    private(set) var isFile = false
    private var field = 0
    private var placeInField = 0
    private var sawBracket = false
    private var isStack = false

    /// Memory that is allocated: written, of no file and no stack.
    var isHeap: Bool { rights.isSuperset(of: [.read, .write]) && !isFile && !isStack && !isSystem }

    /// Takes the next byte; true: that was the last one of the line.
    mutating func take(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\n"): return true
        case UInt8(ascii: " "):
            if placeInField > 0 { field += 1 }
            placeInField = 0
            return false
        default: break
        }
        switch field {
        case 0 where byte == UInt8(ascii: "-"): (start, end) = (end, 0)
        case 0: end = end << 4 | UInt(MappingLine.digit(byte))
        case 1:
            switch byte {
            case UInt8(ascii: "r"): rights.insert(.read)
            case UInt8(ascii: "w"): rights.insert(.write)
            case UInt8(ascii: "x"): rights.insert(.execute)
            default: break
            }
        case 5:
            if placeInField == 0 { sawBracket = byte == UInt8(ascii: "[") }
            if placeInField == 0 { isFile = byte == UInt8(ascii: "/") }
            if placeInField == 1 { isSystem = sawBracket && byte == UInt8(ascii: "v") }
            if placeInField == 1 { isStack = sawBracket && byte == UInt8(ascii: "s") }
        default: break
        }
        placeInField += 1
        return false
    }

    private static func digit(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 48...57: byte - 48
        case 97...102: byte - 87
        default: 0
        }
    }
}
