import CWeir

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file that a recording fills: its header, its growth, its mappings.
///
/// Room on the disk is allocated before a chunk is mapped, so that writing to it cannot fail (a write to
/// a mapped hole of a full disk kills the process). Not thread-safe: the writer's lock stands around it.
final class TraceFile {
    let path: String
    private let descriptor: Int32
    private let header: UnsafeMutableRawPointer
    private var extents: [Extent] = []

    /// A run of chunks that were allocated and mapped together.
    struct Extent {
        let firstChunk: Int
        let chunkCount: Int
        fileprivate let mapping: UnsafeMutableRawPointer
        fileprivate let mappingLength: Int
        let base: UnsafeMutableRawPointer
        /// Chunks that are not yet done with; at zero the mapping goes.
        fileprivate var inUse: Int
        fileprivate var isMapped = true
    }

    /// Makes the file and its header.
    ///
    /// An existing trace is replaced by a new file (never truncated: another process may still map it);
    /// an existing file of any other kind, but for an empty one, is refused.
    init(path: String, header content: TraceFileHeaderContent) throws(TraceWriterError) {
        self.path = path
        descriptor = try Self.create(path)
        guard weir_allocate(descriptor, 0, Int64(TraceFormat.headerLength)) == 0 else {
            close(descriptor)
            unlink(path)
            throw .noRoom(path: path)
        }
        guard let mapped = mmap(nil, TraceFormat.headerLength, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            mapped != MAP_FAILED
        else {
            let error = TraceWriterError.system(path)
            close(descriptor)
            throw error
        }
        header = mapped
        content.write(to: header)
    }

    private static func create(_ path: String) throws(TraceWriterError) -> Int32 {
        for _ in 0..<8 {
            let file = weir_open_trace(path, true)
            if file >= 0 {
                guard weir_lock_trace(file) == 0 else {
                    close(file)
                    throw .inUse(path: path)
                }
                return file
            }
            guard errno == EEXIST else { throw .system(path) }
            try removeOldTrace(path)
        }
        throw .inUse(path: path)
    }

    private static func removeOldTrace(_ path: String) throws(TraceWriterError) {
        let old = weir_open_trace(path, false)
        guard old >= 0 else {
            if errno == ENOENT { return }
            throw .system(path)
        }
        defer { close(old) }
        var status = stat()
        guard fstat(old, &status) == 0 else { throw .system(path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notATrace(path: path) }
        if status.st_size > 0 {
            var magic = [UInt8](repeating: 0, count: TraceFormat.magic.count)
            let count = pread(old, &magic, magic.count, 0)
            guard count == magic.count, magic == TraceFormat.magic else { throw .notATrace(path: path) }
        }
        guard weir_lock_trace(old) == 0 else { throw .inUse(path: path) }
        guard unlink(path) == 0 || errno == ENOENT else { throw .system(path) }
    }

    /// Gives the file room for `count` more chunks and maps them; nil when the disk is full or memory short.
    ///
    /// Changes nothing of this object, so the writer's lock need not be held while the system works.
    func makeExtent(firstChunk: Int, count: Int) -> Extent? {
        let offset = TraceFormat.headerLength + firstChunk * TraceFormat.chunkSize
        let length = count * TraceFormat.chunkSize
        guard weir_allocate(descriptor, Int64(offset), Int64(length)) == 0 else { return nil }
        // A mapping must start on a page, and pages are larger than our header on some platforms.
        let slack = offset % Int(getpagesize())
        guard
            let mapping = mmap(
                nil, length + slack, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(offset - slack)),
            mapping != MAP_FAILED
        else { return nil }
        return Extent(
            firstChunk: firstChunk, chunkCount: count, mapping: mapping, mappingLength: length + slack,
            base: mapping + slack, inUse: count)
    }

    func add(_ extent: Extent) { extents.append(extent) }

    /// Where a mapped chunk begins in memory.
    func chunk(_ index: Int) -> UnsafeMutableRawPointer {
        let extent = extents[extentIndex(of: index)]
        precondition(extent.isMapped, "chunk \(index) is used after its mapping was given back")
        return extent.base + (index - extent.firstChunk) * TraceFormat.chunkSize
    }

    /// The chunk will not be written to again; when that holds for all of its extent, the mapping goes.
    func finish(chunk index: Int) {
        let place = extentIndex(of: index)
        extents[place].inUse -= 1
        if extents[place].inUse == 0 { unmap(place) }
    }

    /// Gives back all mappings but those of `open` chunks, which other threads may still write to.
    func unmapAll(butOf open: some Collection<Int>) {
        for place in extents.indices {
            let range = extents[place].firstChunk..<extents[place].firstChunk + extents[place].chunkCount
            extents[place].inUse = open.filter(range.contains).count
            if extents[place].inUse == 0 { unmap(place) }
        }
    }

    private func unmap(_ place: Int) {
        guard extents[place].isMapped else { return }
        munmap(extents[place].mapping, extents[place].mappingLength)
        extents[place].isMapped = false
    }

    private func extentIndex(of chunk: Int) -> Int {
        var (low, high) = (0, extents.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if extents[middle].firstChunk <= chunk { low = middle } else { high = middle }
        }
        return low
    }

    /// Counts events that could be recorded nowhere. Callable from any thread.
    func countLost(_ count: UInt64) {
        let lost = (header + TraceFormat.HeaderField.lost).assumingMemoryBound(to: UInt64.self)
        let complement = (header + TraceFormat.HeaderField.lostComplement).assumingMemoryBound(to: UInt64.self)
        _ = weir_add_u64(lost, count)
        _ = weir_add_u64(complement, 0 &- count)
    }

    var lostEvents: UInt64 {
        weir_load_u64((header + TraceFormat.HeaderField.lost).assumingMemoryBound(to: UInt64.self))
    }

    /// Cuts the file to `length`, marks it closed and lets go of it.
    func complete(length: Int) {
        _ = ftruncate(descriptor, off_t(length))
        TraceFileHeaderContent.write(closedLength: UInt64(length), to: header)
        TraceFileHeaderContent.write(state: .closed, to: header)
        munmap(header, TraceFormat.headerLength)
        weir_unlock_trace(descriptor)
        close(descriptor)
    }
}

extension TraceWriterError {
    /// The system's last error, told of `path`.
    static func system(_ path: String) -> TraceWriterError {
        let code = errno
        if code == ELOOP {
            return .cannotCreate(path: path, code: code, reason: "it is a symbolic link, which is not followed")
        }
        return .cannotCreate(path: path, code: code, reason: String(cString: strerror(code)))
    }
}
