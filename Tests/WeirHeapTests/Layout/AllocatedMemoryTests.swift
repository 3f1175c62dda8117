#if canImport(Glibc)
import CWeir
import Foundation
import Glibc
import Testing
import WeirTestSupport

@testable import WeirHeap

/// The blocks that the allocator gave out, and those that it took back.
@Suite(.ahead) struct AllocatedMemoryTests {
    /// A value that other memory does not contain by chance.
    private static let mark: UInt = 0x5EED_0FA_B10C

    private func memory(until end: UInt64 = .max) -> AllocatedMemory {
        AllocatedMemory(of: MemoryMap(), until: end)
    }

    /// The blocks in use that contain `word`; once for each time that they contain it.
    private func blocks(holding word: UInt, in memory: AllocatedMemory) -> [UInt] {
        var blocks: [UInt] = []
        memory.forEachWord(of: [word]) { found in
            #expect(found.value == word && found.address >= found.block)
            blocks.append(found.block)
        }
        #expect(blocks == blocks.sorted())
        return blocks
    }

    // Each test runs in a process of its own, which is alone with its memory: while other tests use the allocator, the
    // examined memory may go away.

    @Test func `a block in use is found from a word of it, and not when it is free`() async {
        await #expect(processExitsWith: .success) {
            for size in [24, 40, 104, 1000, 4096, 70_000, 300_000, 40_000_000] {
                try AllocatedMemoryTests().expectBlocksWhileInUse(size)
            }
        }
    }

    private func expectBlocksWhileInUse(_ size: Int) throws {
        let word = Self.mark &+ UInt(size)
        // More than the seven blocks that a thread keeps for itself, so some go to each of the allocator's lists.
        let used = try (0..<40).map { _ in try #require(malloc(size)) }
        for block in used {
            // Like any program, write to the block from its beginning.
            block.initializeMemory(as: UInt.self, repeating: 0, count: 2)
            // The last word: the allocator may use the others of a free block.
            block.storeBytes(of: word, toByteOffset: size - 8, as: UInt.self)
        }
        let addresses = used.map { UInt(bitPattern: $0) }
        let memory = memory()
        let before = Set(blocks(holding: word, in: memory))
        // Every second one, because neighbours are merged. Large ones are returned to the system and cannot be examined.
        let freed = size > 1 << 17 ? [] : stride(from: 0, to: 40, by: 2).map { addresses[$0] }
        for block in freed { free(UnsafeMutableRawPointer(bitPattern: block)) }
        let after = Set(blocks(holding: word, in: memory))
        let kept = Set(addresses).subtracting(freed)
        for block in kept { free(UnsafeMutableRawPointer(bitPattern: block)) }
        #expect(before.isSuperset(of: addresses) && after.isSuperset(of: kept), "\(size)")
        // The search may reuse some of the small ones without clearing them: those that a thread keeps come first.
        let mistaken = after.intersection(freed).count
        #expect(mistaken < 7, "\(size): \(mistaken)")
    }

    @Test func `a word that occurs very often hides no other`() async {
        await #expect(processExitsWith: .success) { try AllocatedMemoryTests().expectWordAfterManyOthers() }
    }

    private func expectWordAfterManyOthers() throws {
        let (frequent, rare) = (Self.mark &+ 1, Self.mark &+ 2)
        let large = try #require(calloc(20_000, 8))
        large.initializeMemory(as: UInt.self, repeating: frequent, count: 20_000)
        let small = try #require(malloc(64))
        small.initializeMemory(as: UInt.self, repeating: rare, count: 8)
        var counts: [UInt: Int] = [:]
        memory().forEachWord(of: [frequent, rare]) { counts[$0.block, default: 0] += 1 }
        #expect(counts[UInt(bitPattern: large)] == 20_000 && counts[UInt(bitPattern: small)] == 8)
        free(large)
        free(small)
    }

    @Test func `what others allocated is found, and nothing on their stacks`() async {
        await #expect(processExitsWith: .success) { AllocatedMemoryTests().expectBlocksOfThreads() }
    }

    private func expectBlocksOfThreads() {
        let word = Self.mark &+ 7
        let (isReady, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        nonisolated(unsafe) var used: [UInt] = []
        for _ in 0..<4 {
            Thread.detachNewThread {
                withUnsafeTemporaryAllocation(of: UInt.self, capacity: 32) { stack in
                    stack.initialize(repeating: word)
                    let block = malloc(64)
                    block?.initializeMemory(as: UInt.self, repeating: 0, count: 7)
                    block?.storeBytes(of: word, toByteOffset: 56, as: UInt.self)
                    used.append(UInt(bitPattern: block))
                    isReady.signal()
                    mayEnd.wait()
                    free(block)
                    stack[0] = 0
                }
            }
            isReady.wait()
        }
        let memory = memory()
        let blocks = blocks(holding: word, in: memory)
        for _ in 0..<4 { mayEnd.signal() }
        #expect(used.count == 4 && Set(blocks).isSuperset(of: used))
        // 128 words are on stacks. The search may keep a few of its own.
        #expect(blocks.count < 32)
    }

    @Test func `what the system lists as several ranges is one`() throws {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let memory = try #require(
            mmap(nil, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        defer { munmap(memory, 3 * page) }
        let start = UInt(bitPattern: memory)
        // MADV_DONTDUMP marks the page differently, so it is listed separately.
        #expect(madvise(memory + page, page, 16) == 0)
        let map = MemoryMap()
        map.refresh()
        var holding: [Range<UInt>] = []
        map.forEachHeapRange { if $0 <= start, start < $1 { holding.append($0..<$1) } }
        let range = try #require(holding.first)
        #expect(holding.count == 1 && range.upperBound >= start + UInt(3 * page))
    }

    @Test func `where time is over nothing is found`() {
        memory(until: 0).forEachWord(of: [Self.mark]) { _ in Issue.record("something was read") }
    }
}
#endif
