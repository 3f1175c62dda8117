/// A message of Protocol Buffers under construction: fields in the order in which they are added.
struct Protobuf {
    private(set) var bytes: [UInt8] = []

    private mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A field of type `uint64`, `uint32`, `int64` (not negative), `bool` or an enumeration.
    mutating func add(_ field: UInt64, _ number: UInt64) {
        append(varint: field << 3)
        append(varint: number)
    }

    /// A field of type `fixed64`.
    mutating func add(_ field: UInt64, fixed number: UInt64) {
        append(varint: field << 3 | 1)
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    /// A field of type `string`.
    mutating func add(_ field: UInt64, _ text: String) {
        append(varint: field << 3 | 2)
        append(varint: UInt64(text.utf8.count))
        bytes += text.utf8
    }

    /// A field that is a message.
    mutating func add(_ field: UInt64, _ message: Protobuf) {
        append(varint: field << 3 | 2)
        append(varint: UInt64(message.bytes.count))
        bytes += message.bytes
    }
}
