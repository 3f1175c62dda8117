import Testing

@testable import WeirTrace

/// The space policy of a flight recorder, in every interleaving of three threads that share eight chunks (two threads in a
/// debug build, where three take minutes).
///
/// Another thread may run between these steps: a thread gets a chunk for events; it gets one for definitions; it has
/// written. At any time a chunk may be full, and a thread may be idle forever, or have ended and been replaced by another.
struct SpacePolicyTests {
    /// The state of a thread, as in `ThreadKeeper`.
    private struct Thread: Hashable {
        enum Next: Hashable { case begins, defines, writes }
        var next = Next.begins
        var generation: UInt32 = 0
        var lastEvents: UInt32 = 0
        var events: Int?
        var definitions: Int?
        var definitionsGeneration: UInt32 = 0
        /// Whether events and definitions are full, or given up.
        var needsEvents = true
    }

    private struct State {
        var allocator: ChunkAllocator
        var threads: [Thread]
        var recorded = 0

        /// The same for states whose differences no longer matter.
        var key: [Int] {
            // The age of a generation matters up to two; for open chunks, so do the definitions that explain them.
            let now = allocator.generation
            func age(_ generation: UInt32) -> Int { min(2, Int(now) - Int(generation)) }
            let explained = Set(threads.compactMap { $0.events == nil ? nil : $0.generation }.flatMap { [$0, $0 + 1] })
            let ranks = Dictionary(uniqueKeysWithValues: zip(explained.sorted(by: >), 3...))
            func name(_ generation: UInt32) -> Int { age(generation) < 2 ? age(generation) : ranks[generation] ?? 2 }
            let current = allocator.current
            var key = [
                allocator.ready.count, allocator.quota, current.given, current.returnedEvents,
                current.returnedDefinitions,
            ]
            key += [-1] + allocator.retiredEvents.generations.map(age).sorted()
            key += [-1] + allocator.retiredDefinitions.generations.map(name).sorted()
            let threads = threads.map { thread -> [Int] in
                [
                    -2, thread.next == .begins ? 0 : thread.next == .defines ? 1 : 2,
                    thread.events == nil && thread.next == .begins ? -1 : name(thread.generation),
                    thread.lastEvents == now ? 1 : 0, thread.events == nil ? 0 : 1, thread.needsEvents ? 1 : 0,
                    thread.definitions == nil ? -1 : name(thread.definitionsGeneration),
                ]
            }
            return key + threads.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
        }

        /// Gets a chunk as `TraceWriter.take` does.
        mutating func take(_ taker: ChunkAllocator.Taker, isOfAge: Bool) -> Int? {
            begin(for: taker, isOfAge: isOfAge)
            if allocator.ready.isEmpty {
                if let old = recycle(desperate: false) {
                    allocator.makeReady(old)
                } else {
                    begin(for: taker, isOfAge: isOfAge)
                    if let old = recycle(desperate: false) ?? recycle(desperate: true) { allocator.makeReady(old) }
                }
            }
            return allocator.take(taker.content)?.index
        }

        private mutating func begin(for taker: ChunkAllocator.Taker, isOfAge: Bool) {
            for _ in 0..<allocator.beginnings(for: taker, isOfAge: isOfAge) {
                allocator.beginGeneration(allocator.generation + 1)
            }
        }

        private mutating func recycle(desperate: Bool) -> Int? {
            let open = allocator.open.values.filter(\.isEvents).map(\.generation)
            let definitions = Dictionary(
                zip(allocator.retiredDefinitions.indexes, allocator.retiredDefinitions.generations)
            ) { first, _ in first }
            guard let old = allocator.recycle(desperate: desperate)?.index else { return nil }
            if let generation = definitions[old] {
                let isPinned = open.contains { $0 == generation || $0 + 1 == generation }
                precondition(desperate || !isPinned, "definitions of an open chunk went")
                precondition(allocator.retiredEvents.generations.allSatisfy { $0 + 2 > allocator.generation })
            }
            return old
        }

        mutating func giveBack(_ index: Int?) { if let index { allocator.retire(index) } }

        /// One step of a thread; false if an event was lost.
        mutating func step(_ number: Int, isOfAge: Bool) -> Bool {
            var thread = threads[number]
            defer { threads[number] = thread }
            switch thread.next {
            case .begins:
                if thread.generation != allocator.generation {
                    giveBack(thread.events)
                    if thread.definitionsGeneration < allocator.generation {
                        giveBack(thread.definitions)
                        thread.definitions = nil
                    }
                    (thread.events, thread.needsEvents, thread.generation) = (nil, true, allocator.generation)
                }
                if thread.needsEvents {
                    giveBack(thread.events)
                    thread.events = take(.events(after: thread.lastEvents), isOfAge: isOfAge)
                    if thread.events == nil { return false }
                    (thread.generation, thread.lastEvents) = (allocator.generation, allocator.generation)
                    thread.needsEvents = false
                }
                thread.next = .defines
            case .defines:
                let explains = [thread.generation, thread.generation + 1]
                if thread.definitions == nil || !explains.contains(thread.definitionsGeneration) {
                    giveBack(thread.definitions)
                    thread.definitions = take(.definitions, isOfAge: isOfAge)
                    if thread.definitions != nil { thread.definitionsGeneration = allocator.generation }
                    if thread.definitions == nil { thread.needsEvents = true }
                    guard thread.definitions != nil, explains.contains(thread.definitionsGeneration) else {
                        thread.next = .begins
                        return false
                    }
                }
                thread.next = .writes
            case .writes:
                recorded += 1
                thread.next = .begins
            }
            return true
        }

        /// The possible next states.
        var successors: [State] {
            var result: [State] = []
            for number in threads.indices {
                // The age decides which takers get a chunk.
                for isOfAge in threads[number].next == .begins ? [false, true] : [true] {
                    var next = self
                    _ = next.step(number, isOfAge: isOfAge)
                    result.append(next)
                }
                guard threads[number].next == .begins else { continue }
                if threads[number].events != nil, !threads[number].needsEvents {
                    var full = self
                    full.threads[number].needsEvents = true
                    result.append(full)
                }
                if threads[number].definitions != nil {
                    var full = self
                    full.giveBack(threads[number].definitions)
                    full.threads[number].definitions = nil
                    result.append(full)
                }
                if threads[number] == Thread() { continue }
                var over = self
                over.giveBack(threads[number].events)
                over.giveBack(threads[number].definitions)
                over.threads[number] = Thread()
                result.append(over)
            }
            return result
        }
    }

    @Test func `Whatever the threads do, one that goes on alone soon records again`() {
        var allocator = ChunkAllocator(limit: ChunkAllocator.leastLimit, generation: 1)
        allocator.grow(by: allocator.limit)
        for index in 0..<allocator.limit { allocator.makeReady(index) }
        #if DEBUG
        let count = 2
        #else
        let count = 3
        #endif
        let start = State(allocator: allocator, threads: Array(repeating: Thread(), count: count))
        var seen: Set<[Int]> = [start.key]
        var waiting = [start]
        while let state = waiting.popLast() {
            state.allocator.checkInvariants()
            for number in state.threads.indices {
                var alone = state
                var steps = 0
                while alone.recorded == state.recorded, steps < 12 {
                    _ = alone.step(number, isOfAge: true)
                    steps += 1
                }
                #expect(alone.recorded > state.recorded, "a thread never records again")
                if alone.recorded == state.recorded { return }
            }
            for next in state.successors where seen.insert(next.key).inserted { waiting.append(next) }
        }
        #expect(seen.count > 1000, "hardly anything was looked at: \(seen.count)")
    }
}
