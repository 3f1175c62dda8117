import CWeir

/// The memory that the C library's allocator gave out, as it lay when it was made out: without the stacks of threads, and
/// free blocks can be told from those in use.
///
/// On Linux with glibc; elsewhere, and with another allocator, empty. Cost: a look at each block.
struct AllocatedMemory {
    private var areas: [weir_area] = []
    private let freeKey = weir_free_key()
    /// When looking is given up, as `weir_monotonic` counts.
    private let end: UInt64

    /// So much is read between two looks at the clock.
    private static let pieceSize: UInt = 1 << 20

    /// Asks the system anew what `memory` is.
    init(of memory: MemoryMap, until end: UInt64) {
        self.end = end
        // From here on nothing may be allocated: an arena that has grown would not end where the system said.
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

    /// Calls `body` with each aligned word whose value is one of `wanted`, which rise, until it says no, or time is over.
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

    /// Where the block in use begins in which each place stands; nil: it is none, or time was over. Places rise.
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
