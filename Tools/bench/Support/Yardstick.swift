/// A loop of plain arithmetic and stores, which has nothing to do with Weir.
///
/// On shared machines a processor's speed changes in phases that last milliseconds to seconds. Alternating measurements
/// with this loop separates these phases from the measured code.
final class Yardstick {
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 64)
    private var state: UInt64 = 1

    deinit { memory.deallocate() }

    /// How long the loop takes now: about a twentieth of a millisecond.
    func nanoseconds() -> Double {
        var (a, b, c) = (state, state ^ 0x5555, state &+ 7)
        let time = Stopwatch.nanoseconds {
            var offset = 0
            for _ in 0..<20_000 {
                a &+= b
                b ^= c
                c &+= a << 3 | a >> 61
                memory.storeBytes(of: a, toByteOffset: offset, as: UInt64.self)
                memory.storeBytes(of: UInt8(truncatingIfNeeded: b), toByteOffset: offset + 8, as: UInt8.self)
                memory.storeBytes(of: UInt32(truncatingIfNeeded: c), toByteOffset: offset + 9, as: UInt32.self)
                offset = offset > 65_000 ? 0 : offset + 13
            }
        }
        state = a ^ b ^ c
        return time
    }
}
