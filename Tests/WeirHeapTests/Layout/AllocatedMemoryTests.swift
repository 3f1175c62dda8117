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
            let map = MemoryMap()
            map.refresh()
            return AllocatedMemory(of: map, until: end)
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

        /// Other tests use the allocator at the same time, and a walk through its blocks is for a forked child, which is alone.
        private func expectInOneOfSomeTries(_ isAsItShould: () throws -> Bool) rethrows {
            #expect(try (0..<5).contains { _ in try isAsItShould() })
        }

        @Test(arguments: [24, 40, 104, 1000, 4096, 70_000, 300_000, 40_000_000])
        func `a block in use is found from a word of it, and not when it is free`(_ size: Int) throws {
            let word = Self.mark &+ UInt(size)
            try expectInOneOfSomeTries {
                // More than the seven that a thread keeps for itself, so some go to each of the allocator's lists.
                let used = try (0..<24).map { _ in try #require(malloc(size)) }
                for block in used {
                    block.storeBytes(of: 0, as: UInt.self)
                    // The last word: of a free block, the allocator may use others.
                    block.storeBytes(of: word, toByteOffset: size - 8, as: UInt.self)
                }
                let addresses = used.map { UInt(bitPattern: $0) }
                let memory = memory()
                let places = places(of: word, in: memory)
                let before = Set(memory.blocks(around: places).compactMap { $0 })
                // Large ones are given back to the system, where there is nothing to look at.
                let freed = size > 1 << 25 ? 24 : 12
                for block in used[freed...] { free(block) }
                let after = Set(memory.blocks(around: places).compactMap { $0 })
                for block in used[..<freed] { free(block) }
                // Whoever takes one anew need not clear it.
                return before.isSuperset(of: addresses) && after.isSuperset(of: addresses[..<freed])
                    && after.intersection(addresses[freed...]).count < 4
            }
        }

        @Test func `blocks of every thread are found, and nothing on their stacks`() {
            let word = Self.mark &+ 7
            expectInOneOfSomeTries {
                let (isReady, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                nonisolated(unsafe) var found: [UInt] = []
                for _ in 0..<4 {
                    Thread.detachNewThread {
                        withUnsafeTemporaryAllocation(of: UInt.self, capacity: 32) { stack in
                            stack.initialize(repeating: word)
                            let block = malloc(64)
                            block?.storeBytes(of: word, toByteOffset: 56, as: UInt.self)
                            found.append(UInt(bitPattern: block))
                            isReady.signal()
                            mayEnd.wait()
                            free(block)
                            stack[0] = 0
                        }
                    }
                    isReady.wait()
                }
                let memory = memory()
                let places = places(of: word, in: memory)
                let blocks = Set(memory.blocks(around: places).compactMap { $0 })
                for _ in 0..<4 { mayEnd.signal() }
                // 128 words stand on stacks; this function and the search may keep a few of their own.
                return found.count == 4 && blocks.isSuperset(of: found) && places.count < 32
            }
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
