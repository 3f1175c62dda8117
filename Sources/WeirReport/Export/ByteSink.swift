/// Bytes on their way to a file; numbers and texts are appended without intermediate strings.
///
/// It keeps at most a row more than its capacity: call `flushIfFull` after each row.
public final class ByteSink {
    private static let capacity = 1 << 17

    private var base = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * ByteSink.capacity)
    private var room = 2 * ByteSink.capacity
    private var count = 0
    private let write: (UnsafeRawBufferPointer) throws -> Void

    /// A sink that passes full buffers to `write`.
    public init(_ write: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.write = write }

    deinit { base.deallocate() }

    /// Passes the bytes on if there are many.
    @inline(__always)
    func flushIfFull() throws { if count >= Self.capacity { try flush() } }

    /// Passes all bytes on.
    public func flush() throws {
        let filled = count
        count = 0
        if filled > 0 { try write(UnsafeRawBufferPointer(start: base, count: filled)) }
    }

    @inline(__always)
    private func reserve(_ more: Int) { if count + more > room { grow(more) } }

    private func grow(_ more: Int) {
        room = max(2 * room, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: room)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    @inline(__always)
    func append(_ text: StaticString) {
        reserve(text.utf8CodeUnitCount)
        (base + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        count += text.utf8CodeUnitCount
    }

    @inline(__always)
    func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).update(from: start, count: bytes.count)
        count += bytes.count
    }

    func append(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append($0) } }

    func append(text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends a number in decimal digits.
    func append(decimal number: UInt64) {
        reserve(20)
        var rest = number
        var end = 20
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                end -= 1
                digits[end] = 0x30 + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest > 0
            append(UnsafeBufferPointer(rebasing: digits[end..<20]))
        }
    }

    /// Appends a signed number in decimal digits.
    func append(decimal number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: number.magnitude)
    }

    /// Appends a JSON string; characters that could control a terminal are escaped.
    func append(json text: String) {
        var text = text
        append(UInt8(ascii: "\""))
        let isPlain = text.withUTF8 { bytes in
            for byte in bytes where byte < 0x20 || byte > 0x7E || byte == 0x22 || byte == 0x5C { return false }
            append(bytes)
            return true
        }
        if !isPlain { append(text: String(JSONValue.string(text).text.dropFirst().dropLast())) }
        append(UInt8(ascii: "\""))
    }
}
