/// A place in memory at which bytes are being written; there must be room behind it.
///
/// A local cursor stays in registers. Calls that are not inlined therefore take a place and return the place behind what they
/// wrote.
struct ByteCursor {
    /// The place of the next byte.
    private(set) var place: UnsafeMutablePointer<UInt8>

    @inline(__always)
    init(_ place: UnsafeMutablePointer<UInt8>) { self.place = place }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        place.pointee = byte
        place += 1
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        place.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        place += text.utf8CodeUnitCount
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        place.update(from: start, count: bytes.count)
        place += bytes.count
    }

    /// Appends bytes in steps of 16; those behind the last one are overwritten later.
    @inline(__always)
    mutating func append(_ prepared: PreparedBytes) {
        let (source, target) = (UnsafeRawPointer(prepared.start), UnsafeMutableRawPointer(place))
        var offset = 0
        repeat {
            let block = source.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
            target.storeBytes(of: block, toByteOffset: offset, as: SIMD16<UInt8>.self)
            offset += 16
        } while offset < prepared.count
        place += prepared.count
    }

    /// Appends a number in decimal digits, at most 20.
    @inline(__always)
    mutating func append(decimal number: UInt64) {
        if number < 10 {
            append(0x30 | UInt8(truncatingIfNeeded: number))
        } else {
            place = Self.digits(number, at: place)
        }
    }

    /// Appends an event's id in quotation marks.
    @inline(__always)
    mutating func append(thread: UInt32, sequence: UInt64) {
        append("\"")
        append(decimal: UInt64(thread))
        append(":")
        append(decimal: sequence)
        append("\"")
    }

    /// Appends a signed number in decimal digits.
    @inline(__always)
    mutating func append(decimal number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: number.magnitude)
    }

    private static let pairs: StaticString = """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """

    @inline(never)
    private static func digits(
        _ number: UInt64, at start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        let end = start + digitCount(number)
        let pairs = UnsafeRawPointer(pairs.utf8Start)
        var target = UnsafeMutableRawPointer(end)
        var rest = number
        while rest >= 100 {
            let next = rest / 100
            let pair = Int(truncatingIfNeeded: rest &- next &* 100)
            target -= 2
            target.storeBytes(of: pairs.loadUnaligned(fromByteOffset: 2 &* pair, as: UInt16.self), as: UInt16.self)
            rest = next
        }
        if rest >= 10 {
            let pair = Int(truncatingIfNeeded: rest)
            target -= 2
            target.storeBytes(of: pairs.loadUnaligned(fromByteOffset: 2 &* pair, as: UInt16.self), as: UInt16.self)
        } else {
            start.pointee = 0x30 | UInt8(truncatingIfNeeded: rest)
        }
        return end
    }

    @inline(__always)
    private static func digitCount(_ number: UInt64) -> Int {
        var (rest, count) = (number, 1)
        while rest >= 10_000 {
            rest /= 10_000
            count &+= 4
        }
        return count &+ (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
    }
}

/// Bytes that are written often, in memory of `PreparedMemory`.
struct PreparedBytes {
    fileprivate(set) var start: UnsafePointer<UInt8>
    fileprivate(set) var count: Int
}

/// Owns prepared bytes.
final class PreparedMemory {
    private static let blockSize = 1 << 16
    private var blocks: [UnsafeMutablePointer<UInt8>] = []
    private var used = 0, size = 0

    deinit { for block in blocks { block.deallocate() } }

    /// Keeps a copy of the bytes, followed by so many others that it can be read in steps of 16.
    func keep(_ bytes: [UInt8]) -> PreparedBytes {
        let length = max(16, (bytes.count + 15) / 16 * 16)
        if used + length > size {
            (used, size) = (0, max(Self.blockSize, length))
            blocks.append(.allocate(capacity: size))
        }
        let start = blocks[blocks.count - 1] + used
        used += length
        start.initialize(repeating: 0, count: length)
        for (place, byte) in bytes.enumerated() { start[place] = byte }
        return PreparedBytes(start: start, count: bytes.count)
    }
}
