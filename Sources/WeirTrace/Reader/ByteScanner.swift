/// Reads consecutive fields and never goes beyond `end`, whatever the bytes contain.
///
/// A failed read returns `nil` or false and leaves the position within bounds.
struct ByteScanner {
    let base: UnsafeRawPointer
    var position: Int
    let end: Int

    init(_ base: UnsafeRawPointer, from position: Int, to end: Int) {
        self.base = base
        self.position = position
        self.end = end
    }

    var isAtEnd: Bool { position >= end }

    mutating func byte() -> UInt8? {
        guard position < end else { return nil }
        defer { position += 1 }
        return base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// An unsigned LEB128 number of at most 10 bytes that fits 64 bits.
    mutating func varint() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let next = byte() {
            if shift == 63 && next > 1 { return nil }
            number |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return number }
            shift += 7
        }
        return nil
    }

    /// An id as a varint; ids fit 32 bits.
    mutating func id() -> UInt32? { varint().flatMap(UInt32.init(exactly:)) }

    mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard end - position >= size else { return nil }
        defer { position += size }
        return Number(littleEndian: base.loadUnaligned(fromByteOffset: position, as: type))
    }

    mutating func skip(_ count: UInt64) -> Bool {
        guard count <= UInt64(end - position) else { return false }
        position += Int(count)
        return true
    }

    /// A scanner for the next `count` bytes.
    mutating func part(_ count: UInt64) -> ByteScanner? {
        let start = position
        return skip(count) ? ByteScanner(base, from: start, to: position) : nil
    }

    /// Skips a varint count of bytes and the bytes themselves.
    mutating func skipText() -> Bool { varint().map { skip($0) } ?? false }

    mutating func text() -> String? {
        guard let count = varint() else { return nil }
        let start = position
        guard skip(count) else { return nil }
        return string(from: start, to: position)
    }

    /// The name of a stimulus or checkpoint; a placeholder if it was removed from a copy.
    mutating func name() -> String? {
        guard let text = text() else { return nil }
        guard text.isEmpty, let number = varint(), number > 0 else { return text }
        return "[\(TraceFormat.removedKey) \(number)]"
    }

    /// The rest of the bytes as UTF-8; ill-formed sequences are replaced.
    mutating func remainingText() -> String {
        defer { position = end }
        return string(from: position, to: end)
    }

    /// The rest of the bytes as UTF-8, but at most `limit` bytes, cut between two characters.
    mutating func remainingText(atMost limit: Int) -> String {
        var cut = min(end, position + limit)
        while cut < end, cut > position, base.load(fromByteOffset: cut, as: UInt8.self) & 0xC0 == 0x80 { cut -= 1 }
        defer { position = end }
        return string(from: position, to: cut)
    }

    private func string(from start: Int, to end: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: base + start, count: end - start), as: UTF8.self)
    }
}
