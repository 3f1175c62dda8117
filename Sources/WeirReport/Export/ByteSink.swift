/// Bytes on their way to a file; numbers and texts are appended without intermediate strings.
///
/// It keeps at most a row more than its capacity: call `flushIfFull` after each row.
package final class ByteSink {
    private static let capacity = 1 << 17
    /// How many bytes fit behind any place that `place` returns: all fields of a row, without its texts.
    static let margin = 4096

    private var base = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * ByteSink.capacity)
    private var room = 2 * ByteSink.capacity
    private var count = 0
    private let write: (UnsafeRawBufferPointer) throws -> Void

    /// A sink that passes full buffers to `write`.
    package init(_ write: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.write = write }

    deinit { base.deallocate() }

    /// Passes the bytes on if there are many.
    @inline(__always)
    func flushIfFull() throws { if count >= Self.capacity { try flush() } }

    /// Passes all bytes on.
    package func flush() throws {
        let filled = count
        count = 0
        if filled > 0 { try write(UnsafeRawBufferPointer(start: base, count: filled)) }
    }

    // MARK: A row

    /// The place of the next row; valid until the sink is used in any other way.
    @inline(__always)
    var place: UnsafeMutablePointer<UInt8> {
        if count + Self.margin > room { grow(Self.margin) }
        return base + count
    }

    /// Takes the bytes of a row, which ends at a place.
    @inline(__always)
    func end(at place: UnsafeMutablePointer<UInt8>) { count = place - base }

    /// A place for `more` bytes in the row that has come to `place`: the same, or one in new memory.
    @inline(__always)
    func place(_ place: UnsafeMutablePointer<UInt8>, for more: Int) -> UnsafeMutablePointer<UInt8> {
        place - base + more + Self.margin <= room ? place : movedPlace(place, for: more)
    }

    @inline(never)
    private func movedPlace(_ place: UnsafeMutablePointer<UInt8>, for more: Int) -> UnsafeMutablePointer<UInt8> {
        count = place - base
        grow(more + Self.margin)
        return base + count
    }

    private func grow(_ more: Int) {
        room = max(2 * room, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: room)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }

    /// The bytes that `body` appends, apart from all others.
    static func bytes(_ body: (ByteSink) -> Void) -> [UInt8] {
        let sink = ByteSink { _ in }
        body(sink)
        return Array(UnsafeBufferPointer(start: sink.base, count: sink.count))
    }

    // MARK: Single pieces

    @inline(__always)
    private func append(upTo length: Int, _ body: (inout ByteCursor) -> Void) {
        if count + length > room { grow(length) }
        var cursor = ByteCursor(base + count)
        body(&cursor)
        end(at: cursor.place)
    }

    func append(_ byte: UInt8) { append(upTo: 1) { $0.append(byte) } }

    @inline(__always)
    func append(_ text: StaticString) { append(upTo: text.utf8CodeUnitCount) { $0.append(text) } }

    func append(_ bytes: UnsafeBufferPointer<UInt8>) { append(upTo: bytes.count) { $0.append(bytes) } }

    func append(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append($0) } }

    func append(text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends a number in decimal digits.
    func append(decimal number: UInt64) { append(upTo: 20) { $0.append(decimal: number) } }

    /// Appends a signed number in decimal digits.
    func append(decimal number: Int64) { append(upTo: 20) { $0.append(decimal: number) } }

    /// Appends a JSON string; characters that could control a terminal are escaped.
    func append(json text: String) { end(at: append(json: text, at: place)) }
}

extension ByteSink {
    /// Writes a JSON string in the row that has come to `place`, and returns the place behind it.
    func append(json text: String, at place: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        var text = text
        return text.withUTF8 { bytes in
            // An escape of a byte takes six; of a longer character, no more.
            var cursor = ByteCursor(self.place(place, for: bytes.count))
            cursor.append(UInt8(ascii: "\""))
            let plain = Self.plainPrefix(bytes)
            cursor.append(UnsafeBufferPointer(rebasing: bytes[..<plain]))
            if plain < bytes.count {
                let rest = UnsafeBufferPointer(rebasing: bytes[plain...])
                cursor = ByteCursor(self.place(cursor.place, for: 6 * rest.count))
                Self.escape(rest, &cursor)
            }
            cursor.append(UInt8(ascii: "\""))
            return cursor.place
        }
    }

    /// How many bytes at the beginning are printable ASCII without quotation marks and backslashes.
    private static func plainPrefix(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.firstIndex { !isPlain($0) } ?? bytes.count
    }

    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C }

    /// Appends well-formed UTF-8 as the content of a JSON string.
    private static func escape(_ bytes: UnsafeBufferPointer<UInt8>, _ cursor: inout ByteCursor) {
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            if isPlain(byte) {
                cursor.append(byte)
                place += 1
                continue
            }
            let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            switch byte {
            case UInt8(ascii: "\""): cursor.append("\\\"")
            case UInt8(ascii: "\\"): cursor.append("\\\\")
            case UInt8(ascii: "\n"): cursor.append("\\n")
            case UInt8(ascii: "\r"): cursor.append("\\r")
            case UInt8(ascii: "\t"): cursor.append("\\t")
            default:
                let scalar = scalar(bytes, place, length)
                if TerminalText.mustBeEscaped(scalar) {
                    for unit in UTF16.encode(scalar) ?? .init() { escape(unit, &cursor) }
                } else {
                    for offset in 0..<length { cursor.append(bytes[place + offset]) }
                }
            }
            place += length
        }
    }

    private static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int, _ length: Int) -> Unicode.Scalar {
        var value = UInt32(bytes[place]) & (length == 1 ? 0x7F : 0x7F >> UInt32(length))
        for offset in 1..<max(1, length) { value = value << 6 | UInt32(bytes[place + offset]) & 0x3F }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private static func escape(_ unit: UInt16, _ cursor: inout ByteCursor) {
        cursor.append("\\u")
        for shift in [12, 8, 4, 0] as [UInt16] {
            let digit = UInt8(truncatingIfNeeded: unit >> shift & 15)
            cursor.append(digit < 10 ? 0x30 | digit : 0x57 + digit)
        }
    }
}
