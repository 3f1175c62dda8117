/// Paths, arguments and variables as the system stores them: bytes, which need not be UTF-8.
///
/// A byte that is not part of well-formed UTF-8 is represented in a `String` by a scalar of the last private-use plane:
/// U+10FE80 for 0x80 to U+10FEFF for 0xFF. Python's 'surrogateescape' does the same with surrogates. If a name contains such
/// a scalar, its bytes are represented one by one, too. So every sequence of bytes has a text that converts back to the same
/// bytes.
package enum SystemText {
    private static let base: UInt32 = 0x10FE00

    /// The first byte of each such scalar in UTF-8, and of few others. Without it, well-formed text is its bytes.
    private static let firstByte: UInt8 = 0xF4

    /// The byte that a scalar represents; nil: the scalar is ordinary text.
    static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.value >= base + 0x80, scalar.value <= base + 0xFF else { return nil }
        return UInt8(scalar.value - base)
    }

    /// The text of a null-terminated string.
    package static func text(_ pointer: UnsafePointer<CChar>) -> String {
        var length = 0
        while pointer[length] != 0 { length += 1 }
        return text(UnsafeRawBufferPointer(start: pointer, count: length))
    }

    /// The text of a sequence of bytes.
    package static func text(_ bytes: some RandomAccessCollection<UInt8>) -> String {
        if !bytes.contains(firstByte), let text = String(validating: bytes, as: UTF8.self) { return text }
        var result = String.UnicodeScalarView()
        var rest = Array(bytes)[...]
        while let first = rest.first {
            var parser = Unicode.UTF8.ForwardParser()
            var following = rest.makeIterator()
            if case .valid(let encoded) = parser.parseScalar(from: &following),
                case let scalar = Unicode.UTF8.decode(encoded), byte(of: scalar) == nil
            {
                result.append(scalar)
                rest = rest.dropFirst(encoded.count)
            } else {
                // Every byte of an ill-formed sequence is 0x80 or above.
                if let scalar = Unicode.Scalar(base + UInt32(first)) { result.append(scalar) }
                rest = rest.dropFirst()
            }
        }
        return String(result)
    }

    /// The bytes that a text represents, without a terminating null.
    package static func bytes(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if !bytes.contains(firstByte) { return bytes }
        bytes = []
        for scalar in text.unicodeScalars {
            if let byte = byte(of: scalar) { bytes.append(byte) } else { bytes += UTF8.encode(scalar) ?? .init() }
        }
        return bytes
    }

    /// Runs `body` with the bytes of a text and a terminating null, for a system call.
    package static func withBytes<Result>(of text: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let bytes = bytes(text).map { CChar(bitPattern: $0) } + [0]
        return bytes.withUnsafeBufferPointer { buffer in
            // The null is there, so the buffer is not empty.
            body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}
