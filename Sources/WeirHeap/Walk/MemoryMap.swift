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

extension MemoryMap {
    /// Whether the memory at `address` looks like metadata of a type.
    func isType(_ address: UInt) -> Bool {
        guard address & 7 == 0, isReadable(address &- 8, 64) else { return false }
        let metadata = Metadata(address)
        switch metadata.kind {
        case .class: return isClass(metadata)
        case .structure, .enumeration, .optional:
            let descriptor = metadata.valueDescriptor
            return descriptor.address & 3 == 0 && isOfProgram(descriptor.address, 28)
                && descriptor.kind == (metadata.kind == .structure ? .structure : .enumeration)
                && hasWitnesses(metadata)
        case .unknown, .context, .genericBox, .errorBox, .task, .job: return false
        default:
            // Without Objective-C, a block has no witnesses.
            let isBlock = metadata.kind == .function && metadata.witnesses.table == 0
            return isBlock || hasWitnesses(metadata)
        }
    }

    private func hasWitnesses(_ metadata: Metadata) -> Bool {
        let table = metadata.witnesses.table
        return table & 7 == 0 && isReadable(table, 88) && mayBeCode(Memory.word(table))
    }

    private func isClass(_ metadata: Metadata, depth: Int = 0) -> Bool {
        let place = metadata.classDescriptorPlace
        guard isReadable(place, 8), metadata.hasPlausibleSizes else { return false }
        #if canImport(ObjectiveC)
        if metadata.classDescriptor == nil { return true }
        #endif
        guard let descriptor = metadata.classDescriptor, descriptor.address & 3 == 0,
            isOfProgram(descriptor.address, 44), descriptor.kind == .class,
            isReadable(Memory.relative(descriptor.address &+ 8), 1)
        else { return false }
        let fields = Memory.relative(descriptor.address &+ 16)
        let count = UInt(Memory.half(descriptor.address &+ 36))
        if fields != 0 {
            guard isReadable(fields, 16), UInt(Memory.half(fields &+ 12)) == count,
                isReadable(fields, 16 &+ count &* 12)
            else { return false }
        }
        guard let superclass = metadata.superclass else { return true }
        return depth < 256 && superclass.address & 7 == 0 && isReadable(superclass.address &- 8, 64)
            && superclass.kind == .class && isClass(superclass, depth: depth + 1)
    }

    /// Whether the memory at `address` looks like metadata of a heap object.
    func isObjectMetadata(_ address: UInt) -> Bool {
        guard address & 7 == 0, isReadable(address &- 8, 64) else { return false }
        let metadata = Metadata(address)
        switch metadata.kind {
        case .class: return isClass(metadata)
        case .context:
            let descriptor = Memory.word(address &+ 16)
            return descriptor == 0 || (descriptor & 3 == 0 && isOfProgram(descriptor, 12))
        case .genericBox: return isType(Memory.word(address &+ 16))
        case .errorBox, .task, .job: return true
        default: return false
        }
    }
}
