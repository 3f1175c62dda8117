import CWeir

/// The memory that the C library's allocator gave out, as it was at one moment, without the stacks of threads.
///
/// It distinguishes free blocks from those in use. With an allocator other than glibc's on Linux it is empty. Cost: one look at
/// each block.
struct AllocatedMemory {
    private var areas: [weir_area] = []
    private let freeKey = weir_free_key()
    /// When to stop searching, on the clock of `weir_processor_time`.
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
                guard weir_processor_time() < end else { return }
                weir_areas(
                    start, rangeEnd, end,
                    { context, area in
                        context?.assumingMemoryBound(to: [weir_area].self).pointee.append(area.pointee)
                    }, areas)
            }
        }
    }

    /// A word in a block in use.
    struct Word {
        let address: UInt
        let value: UInt
        /// The start of the block.
        let block: UInt
    }

    /// Calls `body` with each aligned word of a block in use that equals one of `wanted` (ascending), until time runs out.
    ///
    /// `body` may allocate.
    func forEachWord(of wanted: [UInt], _ body: (Word) -> Void) {
        // Nothing is allocated while blocks are followed: the next one could become a part of another.
        var words: [Word] = []
        words.reserveCapacity(Self.mostWords)
        let wanted = WantedWords(wanted)
        for area in areas {
            var start = area.start
            while start < area.end {
                start = find(wanted, from: start, in: area, &words)
                for word in words { body(word) }
                words.removeAll(keepingCapacity: true)
                if weir_processor_time() > end { return }
            }
        }
    }

    private static let mostWords = 4096

    /// Adds words to `words` until there are `mostWords` of them; returns where to continue.
    private func find(_ wanted: WantedWords, from start: UInt, in area: weir_area, _ words: inout [Word]) -> UInt {
        var (start, next) = (start, area.start)
        while start < area.end, weir_processor_time() <= end {
            let stop = min(area.end, start &+ Self.pieceSize)
            guard var place = UnsafePointer<UInt>(bitPattern: start), let last = UnsafePointer<UInt>(bitPattern: stop)
            else { break }
            while let found = wanted.first(from: place, to: last) {
                place = found + 1
                let address = UInt(bitPattern: found)
                let block = withUnsafePointer(to: area) { weir_find_block($0, &next, address, freeKey) }
                if block != 0 { words.append(Word(address: address, value: found.pointee, block: block)) }
                if words.count == Self.mostWords { return UInt(bitPattern: place) }
            }
            start = stop
        }
        return start
    }
}

/// Words to look for in memory, at about 0.1 s for 256 MiB, whatever their number.
///
/// `first(from:to:)` does not allocate. The words are in an array: a search of all memory finds them there, in an object that
/// refers to nothing.
struct WantedWords {
    private let words: [UInt]
    private let filter: [UInt64]

    /// - Parameter words: ascending.
    init(_ words: [UInt]) {
        let size = Int(weir_filter_size(words.count))
        var filter = [UInt64](repeating: 0, count: size)
        weir_fill_filter(&filter, size, words, words.count)
        (self.words, self.filter) = (words, filter)
    }

    /// The first word in [`start`, `end`) that is one of them.
    func first(from start: UnsafePointer<UInt>, to end: UnsafePointer<UInt>) -> UnsafePointer<UInt>? {
        weir_find_word(start, end, words, words.count, filter, filter.count)
    }
}
