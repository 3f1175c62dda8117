/// How values are written in debug information. Source: 'DWARF Debugging Information Format', version 5, chapter 7.5.6.
enum DebugForm {
    /// Reads a value of this form; for a text or block, only its offset or length. Nil if the form is unknown.
    ///
    /// `implicit` is the value of a form that stores none.
    static func value(
        _ form: UInt64, _ cursor: inout ByteCursor, isLong: Bool, addressSize: UInt8 = 8, implicit: UInt64 = 1
    ) -> UInt64? {
        switch form {
        case 0x01: return cursor.number(size: addressSize)
        case 0x0b, 0x0c, 0x11, 0x25, 0x29: return UInt64(cursor.byte())
        case 0x05, 0x12, 0x26, 0x2a: return UInt64(cursor.half())
        case 0x06, 0x13, 0x1c, 0x28, 0x2c: return UInt64(cursor.word())
        case 0x07, 0x14, 0x20, 0x24: return cursor.long()
        case 0x0f, 0x15, 0x1a, 0x1b, 0x22, 0x23: return cursor.variable()
        case 0x0d: return UInt64(bitPattern: cursor.signedVariable())
        case 0x0e, 0x10, 0x17, 0x1d, 0x1f: return cursor.number(size: isLong ? 8 : 4)
        case 0x19, 0x21: return implicit
        case 0x08: return UInt64(cursor.text().count)
        case 0x0a: return skipped(UInt64(cursor.byte()), &cursor)
        case 0x03: return skipped(UInt64(cursor.half()), &cursor)
        case 0x04: return skipped(UInt64(cursor.word()), &cursor)
        case 0x09, 0x18: return skipped(cursor.variable(), &cursor)
        case 0x1e: return skipped(16, &cursor)
        case 0x27, 0x2b: return skipped(3, &cursor)
        default: return nil
        }
    }

    private static func skipped(_ count: UInt64, _ cursor: inout ByteCursor) -> UInt64 {
        cursor.skip(count)
        return count
    }
}
