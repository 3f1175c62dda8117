#if canImport(Glibc)
    import CWeir
    import Foundation
    import Glibc
    import Testing

    @testable import WeirHeap

    /// What the allocator gave out, and what it took back.
    struct AllocatedMemoryTests {
        /// As in other memory it would not come up by chance.
        private static let mark: UInt = 0x5EED_0FA_B10C

        private func memory(until end: UInt64 = .max) -> AllocatedMemory {
            AllocatedMemory(of: MemoryMap(), until: end)
        }

        private func places(of word: UInt, in memory: AllocatedMemory) -> [UInt] {
            var places: [UInt] = []
            memory.forEachWord(of: [word]) { place, found in
                #expect(found == word)
                places.append(place)
                return true
            }
            #expect(places == places.sorted())
            return places
        }

        /// What `body` returns, run in a forked child as walks are: alone, while other tests use the allocator.
        private func inChild(_ body: @escaping () -> [Int]) throws -> [Int] {
            final class Work {
                let body: () -> [Int]
                init(_ body: @escaping () -> [Int]) { self.body = body }
            }
            let work = Work(body)
            // Another thread may have held a lock of the language's runtime as it was forked: another moment will do.
            for _ in 0..<5 {
                var child = weir_child()
                let failure = weir_fork(
                    &child, 5000,
                    { context, output in
                        let numbers = Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().body()
                        _ = numbers.withUnsafeBytes { weir_write_all(output, $0.baseAddress!, $0.count) }
                    }, Unmanaged.passUnretained(work).toOpaque())
                try #require(failure == 0)
                var numbers = [Int](repeating: 0, count: 8)
                let count = numbers.withUnsafeMutableBytes {
                    weir_child_read(&child, $0.baseAddress!, $0.count, 20_000)
                }
                _ = weir_child_end(&child, true)
                if count > 0 { return Array(numbers.prefix(count / MemoryLayout<Int>.stride)) }
            }
            return []
        }

        @Test(arguments: [24, 40, 104, 1000, 4096, 70_000, 300_000, 40_000_000])
        func `a block in use is found from a word of it, and not when it is free`(_ size: Int) throws {
            let word = Self.mark &+ UInt(size)
            // Large ones are given back to the system, where there is nothing to look at.
            let freed = size > 1 << 25 ? 0 : 12
            let found = try inChild {
                // More than the seven that a thread keeps for itself, so some go to each of the allocator's lists.
                let used = (0..<24).map { _ in malloc(size)! }
                for block in used {
                    block.storeBytes(of: 0, as: UInt.self)
                    // The last word: of a free block, the allocator may use others.
                    block.storeBytes(of: word, toByteOffset: size - 8, as: UInt.self)
                }
                let addresses = used.map { UInt(bitPattern: $0) }
                let memory = memory()
                let places = places(of: word, in: memory)
                let before = Set(memory.blocks(around: places).compactMap { $0 })
                for block in used[..<freed] { free(block) }
                let after = Set(memory.blocks(around: places).compactMap { $0 })
                return [
                    before.intersection(addresses).count, after.intersection(addresses[freed...]).count,
                    after.intersection(addresses[..<freed]).count,
                ]
            }
            try #require(found.count == 3)
            #expect(found[0] == 24 && found[1] == 24 - freed)
            // Who looks may take some of the small ones anew, and need not clear them: those that a thread keeps come first.
            #expect(found[2] < 7)
        }

        @Test func `blocks of every thread are found, and nothing on their stacks`() throws {
            let word = Self.mark &+ 7
            let (isReady, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            nonisolated(unsafe) var blocks: [UInt] = []
            for _ in 0..<4 {
                Thread.detachNewThread {
                    withUnsafeTemporaryAllocation(of: UInt.self, capacity: 32) { stack in
                        stack.initialize(repeating: word)
                        let block = malloc(64)
                        block?.storeBytes(of: 0, as: UInt.self)
                        block?.storeBytes(of: word, toByteOffset: 56, as: UInt.self)
                        blocks.append(UInt(bitPattern: block))
                        isReady.signal()
                        mayEnd.wait()
                        free(block)
                        stack[0] = 0
                    }
                }
                isReady.wait()
            }
            let expected = Set(blocks)
            let found = try inChild {
                let memory = memory()
                let places = places(of: word, in: memory)
                return [places.count, expected.intersection(memory.blocks(around: places).compactMap { $0 }).count]
            }
            for _ in 0..<4 { mayEnd.signal() }
            try #require(found.count == 2 && expected.count == 4)
            // 128 words stand on stacks; the search may keep a few of its own.
            #expect(found[0] < 32)
            #expect(found[1] == 4)
        }

        @Test func `where time is over nothing is found`() throws {
            let block = try #require(malloc(64))
            defer { free(block) }
            let memory = memory(until: 0)
            memory.forEachWord(of: [Self.mark]) { _, _ in
                Issue.record("something was read")
                return true
            }
            #expect(memory.blocks(around: [UInt(bitPattern: block)]) == [nil])
        }
    }
#endif
