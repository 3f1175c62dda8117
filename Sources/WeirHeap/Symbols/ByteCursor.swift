#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads numbers and texts from untrusted bytes.
///
/// Invariant: nothing outside `bytes` is ever read. After the first attempt to do so, `isBroken` stays true, and all results are
/// 0 or empty.
struct ByteCursor {
    /// The bytes to read.
    let bytes: UnsafeRawBufferPointer
    /// The start of the next read; at most `bytes.count`.
    private(set) var position = 0
    /// Whether a read has failed.
    private(set) var isBroken = false

    init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
        self.bytes = bytes
        move(to: position)
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The bytes that were not read yet.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position...]) }

    mutating func move(to place: Int) {
        if place < 0 || place > bytes.count { breakOff() } else { position = place }
    }

    mutating func skip(_ count: UInt64) {
        if count > UInt64(bytes.count - position) { breakOff() } else { position += Int(count) }
    }

    /// The next `count` bytes, in a cursor of their own.
    mutating func slice(_ count: UInt64) -> ByteCursor {
        let start = position
        skip(count)
        return ByteCursor(UnsafeRawBufferPointer(rebasing: bytes[(isBroken ? position : start)..<position]))
    }

    mutating func byte() -> UInt8 { fixed(UInt8.self) }
    mutating func half() -> UInt16 { fixed(UInt16.self) }
    mutating func word() -> UInt32 { fixed(UInt32.self) }
    mutating func long() -> UInt64 { fixed(UInt64.self) }

    /// A number of 1, 2, 4 or 8 bytes.
    mutating func number(size: UInt8) -> UInt64 {
        switch size {
        case 1: return UInt64(byte())
        case 2: return UInt64(half())
        case 4: return UInt64(word())
        case 8: return long()
        default:
            breakOff()
            return 0
        }
    }

    private mutating func fixed<Number: FixedWidthInteger>(_: Number.Type) -> Number {
        let size = MemoryLayout<Number>.size
        guard bytes.count - position >= size else {
            breakOff()
            return 0
        }
        defer { position += size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    }

    /// An unsigned number in seven bits per byte (ULEB128); bits beyond the 64th are dropped.
    mutating func variable() -> UInt64 {
        var result: UInt64 = 0, shift: UInt64 = 0
        while true {
            let next = byte()
            if shift < 64 { result |= UInt64(next & 0x7f) << shift }
            shift += 7
            if next & 0x80 == 0 { return result }
        }
    }

    /// A signed number in seven bits per byte (SLEB128).
    mutating func signedVariable() -> Int64 {
        var result: UInt64 = 0, shift: UInt64 = 0
        while true {
            let next = byte()
            if shift < 64 { result |= UInt64(next & 0x7f) << shift }
            shift += 7
            guard next & 0x80 == 0 else { continue }
            if shift < 64, next & 0x40 != 0 { result |= ~0 << shift }
            return Int64(bitPattern: result)
        }
    }

    /// The bytes up to the next zero byte, which is skipped.
    mutating func text() -> UnsafeRawBufferPointer {
        guard position < bytes.count, let start = bytes.baseAddress?.advanced(by: position),
            let end = memchr(start, 0, bytes.count - position)
        else {
            breakOff()
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let length = UnsafeRawPointer(end) - start
        position += length + 1
        return UnsafeRawBufferPointer(start: start, count: length)
    }

    private mutating func breakOff() {
        isBroken = true
        position = bytes.count
    }
}
