import Testing

@testable import WeirTrace

struct ChecksumTests {
    private func checksum(_ parts: [UInt8]...) -> UInt64 {
        switch parts.count {
        case 1: parts[0].withUnsafeBytes { TraceChecksum.of($0) }
        default:
            parts[0].withUnsafeBytes { first in parts[1].withUnsafeBytes { TraceChecksum.of(first, $0) } }
        }
    }

    @Test func `it agrees with its definition at every length, in one part and in two`() {
        var generator = SeededGenerator(state: 1)
        for length in 0...200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let expected = referenceChecksum(bytes)
            #expect(checksum(bytes) == expected)
            for cut in stride(from: 0, through: length, by: 4) {
                #expect(checksum(Array(bytes[..<cut]), Array(bytes[cut...])) == expected)
            }
        }
    }

    @Test func `its low half depends on every bit`() {
        let bytes = [UInt8](repeating: 0x5A, count: 44)
        let low = UInt32(truncatingIfNeeded: checksum(bytes))
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(UInt32(truncatingIfNeeded: checksum(changed)) != low, "bit \(bit)")
        }
    }
}
