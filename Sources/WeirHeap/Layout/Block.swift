/// A block of C that the compiler made of a closure, as the blocks runtime lays it out on 64-bit platforms.
///
/// A block has a reference count of its own, which a walk does not subtract. So only a block with a single owner is read: a queue
/// that has yet to call it, for example, is another one.
struct Block {
    /// The address of the closure: its function and its context.
    let closure: UInt

    /// Reads the block at an address; nil: it has several owners, no closure, or another layout.
    ///
    /// The block of a `DispatchWorkItem` is one of Dispatch, which owns the program's.
    init?(_ address: UInt, _ memory: MemoryMap) {
        guard let size = Self.size(of: address, memory) else { return nil }
        if size == Self.closureSize {
            closure = address &+ Self.captures
        } else {
            guard size >= Self.innerBlock &+ 8, Memory.word(address &+ Self.captures) == Self.mark else { return nil }
            let inner = Memory.word(address &+ Self.innerBlock)
            guard Self.size(of: inner, memory) == Self.closureSize, Memory.word(inner) == Memory.word(address) else {
                return nil
            }
            closure = inner &+ Self.captures
        }
        guard memory.mayBeCode(Memory.word(closure)) else { return nil }
    }

    /// The offset of what a block captures, and the size of one that captures a function and its context.
    private static let (captures, closureSize): (UInt, UInt) = (32, 48)
    /// The first word that a block of Dispatch captures, and the offset of the block that it calls.
    private static let (mark, innerBlock): (UInt, UInt) = (0xD159_B10C, 72)
    /// In the flags: the reference count, and that the block was allocated and releases what it captures.
    private static let (counts, single, isAllocated): (UInt32, UInt32, UInt32) = (0xfffe, 2, 3 << 24)

    /// The size of the block at an address; nil: it is no block with a single owner.
    private static func size(of address: UInt, _ memory: MemoryMap) -> UInt? {
        guard address & 7 == 0, memory.isReadable(address, captures) else { return nil }
        let flags = Memory.half(address &+ 8)
        let (function, descriptor) = (Memory.word(address &+ 16), Memory.word(address &+ 24))
        guard flags & counts == single, flags & isAllocated == isAllocated, memory.mayBeCode(function),
            descriptor & 7 == 0, memory.isReadable(descriptor, 16)
        else { return nil }
        let size = Memory.word(descriptor &+ 8)
        return size >= captures && memory.isReadable(address, size) ? size : nil
    }
}
