import Testing

@testable import WeirTrace

@Suite struct ChunkAllocatorTests {
    /// The expected content of a chunk, by the index under which the test last received it.
    private struct Content {
        var generation: UInt32
        var isEvents: Bool
    }

    @Test func `Random recordings keep the invariants, and no definition goes before its events`() {
        var recycled = 0
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(state: seed)
            let limit = Int.random(in: ChunkAllocator.leastLimit...40, using: &generator)
            var allocator = ChunkAllocator(limit: limit, generation: 1)
            var open: [Int] = []
            var contents: [Int: Content] = [:]
            for _ in 0..<400 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0 where allocator.growth(3) > 0:
                    let count = allocator.growth(3)
                    let first = allocator.grown
                    allocator.grow(by: count)
                    for index in first..<first + count { allocator.makeReady(index) }
                case 1, 2:
                    let isEvents = Bool.random(using: &generator)
                    let taker = isEvents ? ChunkAllocator.Taker.events(after: allocator.generation) : .definitions
                    for _ in 0..<allocator.beginnings(for: taker, isOfAge: true) {
                        allocator.beginGeneration(allocator.generation + 1)
                    }
                    guard let (index, _) = allocator.take(isEvents ? .events : .definitions) else { continue }
                    open.append(index)
                    contents[index] = Content(generation: allocator.generation, isEvents: isEvents)
                case 3, 4:
                    guard let index = open.randomElement(using: &generator) else { continue }
                    open.removeAll { $0 == index }
                    allocator.retire(index)
                default:
                    guard let index = allocator.recycle()?.index, let content = contents.removeValue(forKey: index)
                    else { continue }
                    recycled += 1
                    #expect(content.generation + 2 <= allocator.generation)
                    if !content.isEvents {
                        let explained = contents.values.filter {
                            $0.isEvents
                                && ($0.generation == content.generation || $0.generation + 1 == content.generation)
                        }
                        #expect(explained.isEmpty, "seed \(seed): definitions went before events of their generation")
                    }
                    allocator.makeReady(index)
                }
                allocator.checkInvariants()
            }
        }
        #expect(recycled > 1000, "hardly anything was recycled")
    }

    @Test func `A recording without a bound overwrites nothing`() {
        var allocator = ChunkAllocator(limit: nil, generation: 1)
        allocator.grow(by: 3)
        for index in 0..<3 { allocator.makeReady(index) }
        for serial in 1...3 as ClosedRange<UInt64> { #expect(allocator.take(.events)?.serial == serial) }
        for index in 0..<3 { allocator.retire(index) }
        allocator.beginGeneration(9)
        #expect(allocator.recycle() == nil)
        #expect(allocator.beginnings(for: .events(after: 9), isOfAge: true) == 0)
    }

    @Test func `On a full disk a thread goes on although all chunks are of one generation`() throws {
        var allocator = ChunkAllocator(limit: 1024, generation: 1)
        allocator.grow(by: 15)
        for index in 0..<15 { allocator.makeReady(index) }
        for index in 0..<15 {
            _ = allocator.take(.events)
            allocator.retire(index)
        }
        allocator.diskIsFull()
        // Twice: the second time, no chunk of the new generation has been handed out.
        for _ in 0..<2 {
            let taker = ChunkAllocator.Taker.events(after: allocator.generation)
            for _ in 0..<allocator.beginnings(for: taker, isOfAge: false) {
                allocator.beginGeneration(allocator.generation + 1)
            }
            for _ in 0..<15 {
                let recycled = allocator.recycle()
                let old = try #require(recycled)
                allocator.makeReady(old.index)
                _ = allocator.take(.events)
                allocator.retire(old.index)
            }
        }
    }

    @Test func `On a full disk a small file is not overwritten, a larger one in smaller parts`() {
        var small = ChunkAllocator(limit: 4096, generation: 1)
        small.grow(by: 6)
        small.diskIsFull()
        #expect(!small.mayOverwrite)
        var larger = ChunkAllocator(limit: 4096, generation: 1)
        larger.grow(by: 16)
        larger.diskIsFull()
        #expect(larger.mayOverwrite && larger.quota == 6)
    }
}
