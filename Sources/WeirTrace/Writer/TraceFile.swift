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
/// Disk space is allocated before a chunk is mapped, so that writing to it cannot fail: a write to a mapped hole of a full
/// disk kills the process. This class is not thread-safe; the writer's lock protects it.
///
/// Nothing prevents another program from truncating the file. If a mapping extends beyond the file's end, the system answers
/// a store with SIGBUS. So before the file is used off the hot path (to grow, to seal, to end), `isWhole` checks its length.
/// A thread that stores a record in between is not protected: that would need a SIGBUS handler, which belongs to the program.
final class TraceFile {
    let path: String
    private let descriptor: Int32
    private let header: UnsafeMutableRawPointer
    private var extents: [Extent] = []
    /// Whether another program has truncated the file; then the mappings must not be accessed any more.
    private var isCut = false
    /// The device and number of the file.
    ///
    /// The program may close a foreign descriptor, and get the same one for another file.
    private let identity: Identity

    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(status.st_ino)
        }
    }

    /// A range of chunks allocated and mapped together.
    struct Extent {
        let firstChunk: Int
        let chunkCount: Int
        fileprivate let mapping: UnsafeMutableRawPointer
        fileprivate let mappingLength: Int
        let base: UnsafeMutableRawPointer
        /// The number of chunks still in use; at zero the extent is unmapped.
        fileprivate var inUse: Int
        fileprivate var isMapped = true
    }

    /// Creates the file and its header.
    ///
    /// An existing trace or remnant of one (`OldTrace`) is replaced by a new file. It is never truncated, because another
    /// process may still map it. An existing file of any other kind is refused.
    init(path: String, header content: TraceFileHeaderContent) throws(TraceWriterError) {
        self.path = path
        descriptor = try Self.create(path)
        do throws(TraceWriterError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw .system(path) }
            identity = Identity(status)
            header = try Self.makeHeader(content, of: descriptor, path)
        } catch {
            Self.remove(path, descriptor)
            throw error
        }
    }

    /// Writes the header in one system call: other processes see the file empty or with a complete header.
    private static func makeHeader(
        _ content: TraceFileHeaderContent, of descriptor: Int32, _ path: String
    ) throws(TraceWriterError) -> UnsafeMutableRawPointer {
        let length = TraceFormat.headerLength
        let failure = withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return ENOMEM }
            content.write(to: base)
            let failure = weir_write_start(descriptor, base, length)
            return failure == 0 ? weir_allocate(descriptor, 0, Int64(length)) : failure
        }
        guard failure == 0 else { throw .refused(path, code: failure) }
        guard let mapped = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED
        else { throw .system(path) }
        guard weir_populate(mapped, length) != weir_unwritable else {
            munmap(mapped, length)
            throw .noRoom(path: path)
        }
        return mapped
    }

    /// Creates a locked file at the path.
    ///
    /// If several processes want the same name at the same time, only one gets it; the others get another file or an error.
    private static func create(_ path: String) throws(TraceWriterError) -> Int32 {
        for _ in 0..<64 {
            let file = open(path, creating: true)
            if file >= 0 {
                // Before the lock, another process may have taken it for the remnant of an old trace and removed it.
                let failure = weir_lock_trace(file)
                if failure == 0, isAt(path, file) { return file }
                guard failure == 0 || failure == EWOULDBLOCK else {
                    remove(path, file)
                    throw .refused(path, code: failure)
                }
                close(file)
                continue
            }
            guard errno == EEXIST else { throw .system(path) }
            try removeOldTrace(path)
        }
        throw .inUse(path: path)
    }

    private static func removeOldTrace(_ path: String) throws(TraceWriterError) {
        let old = open(path, creating: false)
        guard old >= 0 else {
            if errno == ENOENT { return }
            throw .system(path)
        }
        defer {
            weir_unlock_trace(old)
            close(old)
        }
        let failure = lock(old: old)
        guard OldTrace.isOne(old) else { throw .notATrace(path: path) }
        guard failure != EWOULDBLOCK else { throw .inUse(path: path) }
        guard failure == 0 else { throw .refused(path, code: failure) }
        // The lock is on this file; another file may have its name by now.
        guard isAt(path, old) else { return }
        guard unlink(path) || errno == ENOENT else { throw .system(path) }
    }

    /// Returns 0, or an errno.
    ///
    /// A killed program may leave a forked child that also has the lock, until the system has ended the child.
    private static func lock(old: Int32) -> Int32 {
        for _ in 0..<200 {
            let failure = weir_lock_trace(old)
            guard failure == EWOULDBLOCK, OldTrace.writerHasEnded(old) else { return failure }
            usleep(5000)
        }
        return EWOULDBLOCK
    }

    private static func open(_ path: String, creating: Bool) -> Int32 {
        SystemText.withBytes(of: path) { weir_open_trace($0, creating) }
    }

    private static func unlink(_ path: String) -> Bool {
        SystemText.withBytes(of: path) { weir_remove($0) } == 0
    }

    /// Whether the open file is the file with that name.
    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return SystemText.withBytes(of: path) { lstat($0, &named) } == 0 && fstat(descriptor, &opened) == 0
            && Identity(named) == Identity(opened)
    }

    private static func remove(_ path: String, _ descriptor: Int32) {
        if isAt(path, descriptor) { _ = unlink(path) }
        weir_unlock_trace(descriptor)
        close(descriptor)
    }

    /// Removes the file, because no recording begins.
    ///
    /// - Returns: the reason why it cannot hold `chunks` chunks.
    func abandon(chunks: Int) -> TraceWriterError {
        let length = Int64(chunks * TraceFormat.chunkSize)
        let failure = weir_allocate(descriptor, Int64(TraceFormat.headerLength), length)
        unmapAll(butOf: [])
        munmap(header, TraceFormat.headerLength)
        Self.remove(path, descriptor)
        return failure == 0 ? .noRoom(path: path) : .refused(path, code: failure)
    }

    /// Whether the file has all its chunks; permanently false once another program has truncated it.
    var isWhole: Bool {
        if isCut { return false }
        let chunks = extents.last.map { $0.firstChunk + $0.chunkCount } ?? 0
        if let status { isCut = Int(status.st_size) < TraceFormat.headerLength + chunks * TraceFormat.chunkSize }
        return !isCut
    }

    /// The status of the file; nil if the descriptor is not ours any more. The mappings still are.
    private var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 && Identity(status) == identity ? status : nil
    }

    /// Extends the file by `count` chunks and maps them; nil if the disk is full or memory is short.
    ///
    /// It changes nothing in this object, so the writer's lock is not needed during the system calls.
    ///
    /// - Parameter touch: makes the chunks at an address present; false if they are not writable.
    func makeExtent(
        firstChunk: Int, count: Int, touch: (UnsafeMutableRawPointer) -> Bool
    ) -> Extent? {
        let offset = TraceFormat.headerLength + firstChunk * TraceFormat.chunkSize
        let length = count * TraceFormat.chunkSize
        guard status != nil, weir_allocate(descriptor, Int64(offset), Int64(length)) == 0 else { return nil }
        // A mapping must start on a page, and pages are larger than the header on some platforms.
        let slack = offset % Int(getpagesize())
        guard
            let mapping = mmap(
                nil, length + slack, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(offset - slack)),
            mapping != MAP_FAILED
        else { return nil }
        guard touch(mapping + slack) else {
            munmap(mapping, length + slack)
            return nil
        }
        return Extent(
            firstChunk: firstChunk, chunkCount: count, mapping: mapping, mappingLength: length + slack,
            base: mapping + slack, inUse: count)
    }

    func add(_ extent: Extent) { extents.append(extent) }

    /// The address of a mapped chunk.
    func chunk(_ index: Int) -> UnsafeMutableRawPointer {
        let extent = extents[extentIndex(of: index)]
        precondition(extent.isMapped, "chunk \(index) is used after its mapping was given back")
        return extent.base + (index - extent.firstChunk) * TraceFormat.chunkSize
    }

    /// Notes that the chunk will not be written again; unmaps its extent if that holds for all of it.
    func finish(chunk index: Int) {
        let place = extentIndex(of: index)
        extents[place].inUse -= 1
        if extents[place].inUse == 0 { unmap(place) }
    }

    /// Unmaps everything except the `open` chunks, which other threads may still write.
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

    /// Counts events that could not be recorded.
    func countLost(_ count: UInt64) {
        add(count, at: TraceFormat.HeaderField.lost, TraceFormat.HeaderField.lostComplement)
    }

    /// Counts events that are about to be overwritten.
    func countOverwritten(_ count: UInt64) {
        add(count, at: TraceFormat.HeaderField.overwritten, TraceFormat.HeaderField.overwrittenComplement)
    }

    private func add(_ count: UInt64, at offset: Int, _ complement: Int) {
        guard !isCut else { return }
        _ = weir_add_u64((header + offset).assumingMemoryBound(to: UInt64.self), count)
        _ = weir_add_u64((header + complement).assumingMemoryBound(to: UInt64.self), 0 &- count)
    }

    var lostEvents: UInt64 {
        isCut ? 0 : weir_load_u64((header + TraceFormat.HeaderField.lost).assumingMemoryBound(to: UInt64.self))
    }

    /// Truncates the file to `length`, marks it closed and releases it.
    ///
    /// - Returns: the damage that another program did to the file while it was written; nil: none.
    func complete(length: Int) -> TraceFileHarm? {
        var harm: TraceFileHarm?
        if isWhole {
            // A file that is too long does no harm: the header states where the trace ends.
            if let status {
                _ = ftruncate(descriptor, off_t(length))
                if status.st_nlink == 0 { harm = .removed(path: path) }
            }
            TraceFileHeaderContent.write(closedLength: UInt64(length), to: header)
            TraceFileHeaderContent.write(state: .closed, to: header)
        } else {
            harm = .cut(path: path)
        }
        munmap(header, TraceFormat.headerLength)
        if status != nil {
            weir_unlock_trace(descriptor)
            close(descriptor)
        }
        return harm
    }
}

/// The damage that another program did to a trace while it was written.
enum TraceFileHarm: Equatable, CustomStringConvertible {
    case cut(path: String)
    case removed(path: String)

    /// One sentence: what happened, where, and the remedy.
    var description: String {
        switch self {
        case .cut(let path):
            "another program cut '\(PrintableText.escaped(path))' off while it was being written, so its trace is lost; record it again, and "
                + "copy or remove traces only when the program has ended"
        case .removed(let path):
            "another program removed '\(PrintableText.escaped(path))' while it was being written, so its trace is lost; record it again"
        }
    }
}

extension TraceWriterError {
    /// The system's last error, for a trace at `path`.
    static func system(_ path: String) -> TraceWriterError { refused(path, code: errno) }

    /// The meaning of a system error number for a trace at `path`.
    static func refused(_ path: String, code: Int32) -> TraceWriterError {
        switch code {
        case ENOSPC, EDQUOT: .noRoom(path: path)
        case EFBIG: .fileTooLarge(path: path, limit: weir_file_size_limit())
        case ELOOP:
            .cannotCreate(path: path, code: code, reason: "it is a symbolic link, which is not followed")
        default: .cannotCreate(path: path, code: code, reason: String(cString: strerror(code)))
        }
    }
}
