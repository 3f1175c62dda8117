import CWeir

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Which addresses of this process can be read, as the system said when it was last asked.
///
/// Where the system cannot be asked through a file, every aligned address that could belong to a process counts as
/// readable: there, damaged memory is found only by the look of it.
final class MemoryMap {
    private struct Range {
        var start: UInt
        var end: UInt
        var isExecutable: Bool
        /// It can be written, and belongs to no file and no stack.
        var isHeap: Bool
    }

    private var ranges: [Range] = []
    private var isKnown = false
    // Not several threads at once use a walker; checks of exclusive access would cost more than the look-up.
    @exclusivity(unchecked) private var lastStart: UInt = 1
    @exclusivity(unchecked) private var lastEnd: UInt = 0

    /// Asks the system anew: some hundred microseconds.
    func refresh() {
        ranges.removeAll(keepingCapacity: true)
        (lastStart, lastEnd) = (1, 0)
        isKnown = false
        #if os(Linux) || os(Android)
            MemoryMap.forEachMapping { line in
                guard line.isReadable else { return }
                ranges.append(
                    Range(start: line.start, end: line.end, isExecutable: line.isExecutable, isHeap: line.isHeap))
            }
            isKnown = !ranges.isEmpty
        #endif
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
        // Neighbours with other rights, or mapped apart.
        var next = place + 1
        var reached = lastEnd
        while next < ranges.count, ranges[next].start == reached, reached < end {
            reached = ranges[next].end
            next += 1
        }
        return reached >= end
    }

    /// Whether there is code at `address`; nil: that is not known.
    func isCode(_ address: UInt) -> Bool? {
        isKnown ? range(holding: address).map { ranges[$0].isExecutable } ?? false : nil
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

    /// Calls `body` with each aligned word of allocated memory whose value lies in the range, until it says no.
    func forEachHeapWord(from least: UInt, through most: UInt, _ body: (_ address: UInt, _ word: UInt) -> Bool) {
        for range in ranges where range.isHeap {
            var next = UnsafePointer<UInt>(bitPattern: range.start)
            let end = UnsafePointer<UInt>(bitPattern: range.end)
            while let place = weir_find_word(next, end, least, most) {
                if !body(UInt(bitPattern: place), place.pointee) { return }
                next = place + 1
            }
        }
    }

    /// Whether metadata of a type is at `address`, as far as its looks tell.
    func isType(_ address: UInt) -> Bool {
        guard address & 7 == 0, isReadable(address &- 8, 64) else { return false }
        let metadata = Metadata(address)
        switch metadata.kind {
        case .class: return isClass(metadata)
        case .structure, .enumeration, .optional:
            let descriptor = metadata.valueDescriptor.address
            return descriptor & 3 == 0 && isReadable(descriptor, 28) && hasWitnesses(metadata)
        case .function: return true
        case .unknown, .context, .genericBox, .errorBox, .task, .job: return false
        default: return hasWitnesses(metadata)
        }
    }

    private func hasWitnesses(_ metadata: Metadata) -> Bool {
        let table = metadata.witnesses.table
        return table & 7 == 0 && isReadable(table, 88)
    }

    private func isClass(_ metadata: Metadata, depth: Int = 0) -> Bool {
        let place = metadata.classDescriptorPlace
        guard isReadable(place, 8) else { return false }
        let descriptor = Memory.word(place)
        #if canImport(ObjectiveC)
            if metadata.classDescriptor == nil { return true }
        #endif
        guard descriptor & 3 == 0, isReadable(descriptor, 44), TypeDescriptor(descriptor).kind == .class,
            metadata.instanceSize >= 16
        else { return false }
        let fields = Memory.relative(descriptor &+ 16)
        let count = UInt(Memory.half(descriptor &+ 36))
        guard fields == 0 || isReadable(fields, 16), isReadable(Memory.relative(descriptor &+ 8), 1) else {
            return false
        }
        if fields != 0, Memory.half(fields &+ 12) != count || !isReadable(fields, 16 &+ count &* 12) { return false }
        guard let superclass = metadata.superclass else { return true }
        return depth < 256 && superclass.address & 7 == 0 && isReadable(superclass.address &- 8, 64)
            && superclass.kind == .class && isClass(superclass, depth: depth + 1)
    }

    /// Whether metadata of a heap object is at `address`, as far as its looks tell.
    func isObjectMetadata(_ address: UInt) -> Bool {
        guard address & 7 == 0, isReadable(address &- 8, 64) else { return false }
        let metadata = Metadata(address)
        switch metadata.kind {
        case .class: return isClass(metadata)
        case .context:
            let descriptor = Memory.word(address &+ 16)
            return descriptor == 0 || (descriptor & 3 == 0 && isReadable(descriptor, 12))
        case .genericBox: return isType(Memory.word(address &+ 16))
        case .errorBox, .task, .job: return true
        default: return false
        }
    }

    #if os(Linux) || os(Android)
        /// Reads `/proc/self/maps`, without locks and without memory but for a page.
        private static func forEachMapping(_ body: (MappingLine) -> Void) {
            let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
            if file < 0 { return }
            defer { close(file) }
            var line = MappingLine()
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
                while true {
                    let count = read(file, buffer.baseAddress, buffer.count)
                    if count < 0 && errno == EINTR { continue }
                    if count <= 0 { break }
                    for byte in buffer[..<count] where line.take(byte) {
                        if !line.isSystem { body(line) }
                        line = MappingLine()
                    }
                }
            }
        }
    #endif
}

/// A line of the system's list: `7f00-7f80 r-xp 00000000 08:01 123 /lib/libc.so`.
private struct MappingLine {
    private(set) var start: UInt = 0
    private(set) var end: UInt = 0
    private(set) var isReadable = false
    private(set) var isExecutable = false
    private var isWritable = false
    /// Memory of the system's, such as `[vvar]`, that must not be read.
    private(set) var isSystem = false
    private var field = 0
    private var placeInField = 0
    private var sawBracket = false
    private var isFile = false
    private var isStack = false

    /// Memory that is allocated: written, of no file and no stack.
    var isHeap: Bool { isReadable && isWritable && !isFile && !isStack && !isSystem }

    /// Takes the next byte; true: that was the last one of the line.
    mutating func take(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\n"): return true
        case UInt8(ascii: " "):
            if placeInField > 0 { field += 1 }
            placeInField = 0
            return false
        default: break
        }
        switch field {
        case 0 where byte == UInt8(ascii: "-"): (start, end) = (end, 0)
        case 0: end = end << 4 | UInt(MappingLine.digit(byte))
        case 1:
            if placeInField == 0 { isReadable = byte == UInt8(ascii: "r") }
            if placeInField == 1 { isWritable = byte == UInt8(ascii: "w") }
            if placeInField == 2 { isExecutable = byte == UInt8(ascii: "x") }
        case 5:
            if placeInField == 0 { sawBracket = byte == UInt8(ascii: "[") }
            if placeInField == 0 { isFile = byte == UInt8(ascii: "/") }
            if placeInField == 1 { isSystem = sawBracket && byte == UInt8(ascii: "v") }
            if placeInField == 1 { isStack = sawBracket && byte == UInt8(ascii: "s") }
        default: break
        }
        placeInField += 1
        return false
    }

    private static func digit(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 48...57: byte - 48
        case 97...102: byte - 87
        default: 0
        }
    }
}
