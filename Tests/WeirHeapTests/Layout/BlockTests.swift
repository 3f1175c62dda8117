import CWeir
import Testing
import WeirTestSupport

@testable import WeirHeap

/// Blocks of C, real ones and memory that only looks like one.
struct BlockTests {
    private static func word(_ block: @escaping @convention(block) () -> Void) -> UInt {
        unsafeBitCast(block, to: UInt.self)
    }

    @Test func `the closure of a block is read while the block has a single owner`() {
        let leaf = Leaf()
        let memory = MemoryMap()
        let block: @convention(block) () -> Void = { leaf.number += 1 }
        memory.refresh()
        let address = Self.word(block)
        withExtendedLifetime(block) {
            let flags = Memory.half(address &+ 8)
            func read(_ flags: UInt32) -> UInt? {
                let pointer = UnsafeMutablePointer<UInt32>(bitPattern: address &+ 8)
                let former = pointer?.pointee
                pointer?.pointee = flags
                defer { if let former { pointer?.pointee = former } }
                return Block(address, memory)?.closure
            }
            #expect(read(flags & ~0xfffe | 2).map { Memory.word($0 &+ 8) } == self.address(of: leaf))
            for other in [0, 4, 6, 0xfffe] as [UInt32] { #expect(read(flags & ~0xfffe | other) == nil) }
        }
    }

    private func address(of leaf: Leaf) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(leaf).toOpaque()) }

    @Test func `whatever stands in a block, reading it comes to an end`() {
        let leaf = Leaf()
        let block: @convention(block) () -> Void = { leaf.number += 1 }
        let memory = MemoryMap()
        memory.refresh()
        var random = SeededGenerator(seed: 3)
        withExtendedLifetime(block) {
            let words = (0..<6).map { Memory.word(Self.word(block) &+ UInt($0) &* 8) }
            withUnsafeTemporaryAllocation(of: UInt.self, capacity: 16) { copy in
                copy.initialize(repeating: 0)
                let start = UInt(bitPattern: copy.baseAddress)
                for _ in 0..<5000 {
                    for place in 0..<16 { copy[place] = place < 6 ? words[place] : 0 }
                    // The block of Dispatch that calls itself, and any other word.
                    if Bool.random(using: &random) { (copy[4], copy[9]) = (0xD159_B10C, start) }
                    let choices: [UInt] = [
                        .random(in: 0...(.max), using: &random), .random(in: 0...0x7fff_ffff_ffff, using: &random),
                        start, start &+ 8, 0, .max,
                    ]
                    copy[.random(in: 0..<12, using: &random)] = choices.randomElement(using: &random) ?? 0
                    if let closure = Block(start, memory)?.closure { #expect(memory.isReadable(closure, 16)) }
                }
            }
        }
    }
}
