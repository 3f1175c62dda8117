/// An id as it is stored in records: its varint, lowest byte first, in one word.
///
/// It is encoded once, when the id is assigned; a record then stores four bytes and advances by `length`.
public enum TraceCode {
    /// The largest id that a code holds (28 bits).
    public static let largest: UInt32 = (1 << 28) - 1

    /// The code for no id.
    public static let none: UInt32 = 0

    @inline(__always)
    static func encode(_ id: UInt32) -> UInt32 {
        if _fastPath(id < 1 << 7) { return id }
        if _fastPath(id < 1 << 14) { return id & 0x7F | 0x80 | (id &>> 7) &<< 8 }
        if _fastPath(id < 1 << 21) {
            return id & 0x7F | 0x8080 | (id &>> 7 & 0x7F) &<< 8 | (id &>> 14) &<< 16
        }
        return encodeLong(id)
    }

    /// Writes the id at `cursor` and advances the cursor; the memory must have room for four bytes.
    @inline(__always)
    static func write(_ code: UInt32, _ cursor: inout UnsafeMutableRawPointer) {
        cursor.storeBytes(of: code.littleEndian, as: UInt32.self)
        cursor += length(code)
    }

    @inline(never)
    private static func encodeLong(_ id: UInt32) -> UInt32 {
        var rest = min(id, largest)
        var code: UInt32 = 0
        var shift: UInt32 = 0
        while rest >= 0x80 {
            code |= (rest & 0x7F | 0x80) << shift
            rest >>= 7
            shift += 8
        }
        return code | rest << shift
    }

    package static func decode(_ code: UInt32) -> UInt32 {
        (code & 0x7F) | (code >> 8 & 0x7F) << 7 | (code >> 16 & 0x7F) << 14 | (code >> 24 & 0x7F) << 21
    }

    /// The length of the encoded id in bytes.
    @inlinable @inline(__always)
    public static func length(_ code: UInt32) -> Int {
        ((~code & 0x8080_8080).trailingZeroBitCount &>> 3) &+ 1
    }
}
