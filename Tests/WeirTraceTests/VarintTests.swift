import Testing
import WeirTestSupport

@testable import WeirTrace

/// All ways to write a varint give the same bytes.
@Suite(.ahead) struct VarintTests {
    @Test func `numbers of every length are written the same by the short paths`() {
        for bits in 0..<64 {
            let power = UInt64(1) << UInt64(bits)
            for number in [power - 1, power, power | power >> 3 | 1] {
                var expected: [UInt8] = []
                Varint.append(number, to: &expected)
                #expect(written { Varint.write(number, &$0) } == expected)
                #expect(written { Varint.writeShort(number, &$0) } == expected)
            }
        }
    }

    private func written(_ write: (inout UnsafeMutableRawPointer) -> Void) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: Varint.longest, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return [] }
            var end = base
            write(&end)
            return Array(UnsafeRawBufferPointer(start: base, count: end - base))
        }
    }
}
