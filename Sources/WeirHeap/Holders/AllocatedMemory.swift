import CWeir

/// The memory that the C library's allocator gave out, as it was at one moment, without the stacks of threads.
///
/// It distinguishes free blocks from those in use. With an allocator other than glibc's on Linux it is empty. Cost: one look at
/// each block.
struct AllocatedMemory {
    private var areas: [weir_area] = []
    private let freeKey = weir_free_key()
    /// When to stop searching, on the clock of `weir_monotonic`.
    private let end: UInt64

    /// The number of bytes to read between two looks at the clock.
    private static let pieceSize: UInt = 1 << 20

    /// Refreshes `memory` first.
    init(of memory: MemoryMap, until end: UInt64) {
        self.end = end
        // Do not allocate from here on: an arena that grows no longer ends where the system said.
        areas.reserveCapacity(1024)
        memory.refresh()
        withUnsafeMutablePointer(to: &areas) { areas in
            memory.forEachHeapRange { start, rangeEnd in
                guard weir_monotonic() < end else { return }
                weir_areas(
                    start, rangeEnd, end,
                    { context, area in
                        context?.assumingMemoryBound(to: [weir_area].self).pointee.append(area.pointee)
                    }, areas)
            }
        }
    }

    /// Calls `body` with each aligned word that equals one of `wanted` (ascending), until it returns false or time runs out.
    func forEachWord(of wanted: [UInt], _ body: (_ address: UInt, _ word: UInt) -> Bool) {
        for area in areas {
            var start = area.start
            while start < area.end {
                if weir_monotonic() > end { return }
                let stop = min(area.end, start &+ Self.pieceSize)
                var next = UnsafePointer<UInt>(bitPattern: start)
                while let place = weir_find_word(next, UnsafePointer(bitPattern: stop), wanted, wanted.count) {
                    if !body(UInt(bitPattern: place), place.pointee) { return }
                    next = place + 1
                }
                start = stop
            }
        }
    }

    /// The start of the allocated block around each of `places` (ascending); nil if there is none or time ran out.
    func blocks(around places: [UInt]) -> [UInt?] {
        var (number, next): (Int, UInt) = (0, areas.first?.start ?? 0)
        return places.map { place in
            while number < areas.count, areas[number].end <= place {
                number += 1
                next = number < areas.count ? areas[number].start : 0
            }
            guard number < areas.count, weir_monotonic() < end else { return nil }
            let block = withUnsafePointer(to: areas[number]) { weir_find_block($0, &next, place, freeKey) }
            return block == 0 ? nil : block
        }
    }
}
