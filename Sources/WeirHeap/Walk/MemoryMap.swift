import CWeir

/// The readable addresses of this process, as of the last time that the system was asked.
///
/// If the system has no file that lists them, every aligned address that could belong to a process counts as readable. Damaged
/// memory is then found only by its contents.
final class MemoryMap {
    private var ranges: [weir_mapping] = []
    private var isKnown = false
    // Only one thread at a time uses a walker. Checks of exclusive access would cost more than the lookup.
    @exclusivity(unchecked) private var lastStart: UInt = 1
    @exclusivity(unchecked) private var lastEnd: UInt = 0

    /// Asks the system again, which takes some hundred microseconds.
    func refresh() {
        (lastStart, lastEnd) = (1, 0)
        isKnown = false
        // Storing the ranges may at first take new memory. The system is then asked again.
        var capacity: Int
        repeat {
            capacity = ranges.capacity
            ranges.removeAll(keepingCapacity: true)
            isKnown = readRanges() && !ranges.isEmpty
        } while ranges.capacity != capacity
    }

    private func readRanges() -> Bool {
        withUnsafeMutablePointer(to: &ranges) { ranges in
            weir_mappings(
                { context, mapping in
                    guard mapping.pointee.is_readable else { return }
                    context?.assumingMemoryBound(to: [weir_mapping].self).pointee.append(mapping.pointee)
                }, ranges)
        }
    }

    /// Whether the `length` bytes at `address` can be read.
    @inline(__always) func isReadable(_ address: UInt, _ length: UInt) -> Bool {
        let end = address &+ length
        if address >= lastStart && end <= lastEnd && end >= address { return true }
        return findReadable(address, length)
    }

    @inline(never) private func findReadable(_ address: UInt, _ length: UInt) -> Bool {
        let (end, wraps) = address.addingReportingOverflow(length)
        guard !wraps, address >= Memory.leastAddress else { return false }
        guard isKnown else { return end < 1 << 56 }
        guard let place = range(holding: address) else { return false }
        (lastStart, lastEnd) = (ranges[place].start, ranges[place].end)
        if end <= lastEnd { return true }
        // The next range may have other rights, or may have been mapped separately.
        var next = place + 1
        var reached = lastEnd
        while next < ranges.count, ranges[next].start == reached, reached < end {
            reached = ranges[next].end
            next += 1
        }
        return reached >= end
    }

    /// Whether the `length` bytes at `address` can be read and belong to the program or a library.
    func isOfProgram(_ address: UInt, _ length: UInt) -> Bool {
        guard isReadable(address, length) else { return false }
        return isKnown ? range(holding: address).map { ranges[$0].is_file } ?? false : true
    }

    /// Whether there can be code at `address`.
    func mayBeCode(_ address: UInt) -> Bool {
        isKnown ? range(holding: address).map { ranges[$0].is_executable } ?? false : true
    }

    private func range(holding address: UInt) -> Int? {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].end <= address { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].start <= address ? low : nil
    }

    /// Calls `body` with each writable range that belongs to no file and no stack, ascending. Allocates nothing.
    func forEachHeapRange(_ body: (_ start: UInt, _ end: UInt) -> Void) {
        var (start, end): (UInt, UInt) = (0, 0)
        for range in ranges where range.is_heap {
            // The system may list one range as several.
            if range.start != end {
                if start < end { body(start, end) }
                start = range.start
            }
            end = range.end
        }
        if start < end { body(start, end) }
    }
}
