/// Unsigned LEB128 numbers, as in the trace file.
public enum Varint {
    /// The maximum length of a varint in bytes.
    public static let longest = 10

    /// Writes `number` at `cursor` and advances the cursor; the memory must have room for `longest` bytes.
    @inlinable @inline(__always)
    public static func write(_ number: UInt64, _ cursor: inout UnsafeMutableRawPointer) {
        var rest = number
        while _slowPath(rest >= 0x80) {
            cursor.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            cursor += 1
            rest >>= 7
        }
        cursor.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        cursor += 1
    }

    /// The same, with shorter paths for numbers of two and three bytes.
    @inlinable @inline(__always)
    static func writeShort(_ number: UInt64, _ cursor: inout UnsafeMutableRawPointer) {
        if _fastPath(number < 0x80) {
            cursor.storeBytes(of: UInt8(truncatingIfNeeded: number), as: UInt8.self)
            cursor += 1
        } else if _fastPath(number < 0x4000) {
            let bytes = UInt16(truncatingIfNeeded: number & 0x7F | number &<< 1 & 0x7F00 | 0x80)
            cursor.storeBytes(of: bytes.littleEndian, as: UInt16.self)
            cursor += 2
        } else if number < 0x20_0000 {
            let low = UInt32(truncatingIfNeeded: number & 0x7F | number &<< 1 & 0x7F00 | number &<< 2 & 0x7F_0000)
            // Four bytes are stored, of which the last is overwritten by what follows.
            cursor.storeBytes(of: (low | 0x8080).littleEndian, as: UInt32.self)
            cursor += 3
        } else {
            write(number, &cursor)
        }
    }

    /// Appends `number` to `bytes`.
    public static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Maps a signed number to an unsigned one that is small when the number is near zero.
    @inlinable @inline(__always)
    public static func zigzag(_ number: Int64) -> UInt64 {
        UInt64(bitPattern: (number << 1) ^ (number >> 63))
    }

    /// The inverse of `zigzag`.
    @inlinable @inline(__always)
    public static func unzigzag(_ number: UInt64) -> Int64 {
        Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}
