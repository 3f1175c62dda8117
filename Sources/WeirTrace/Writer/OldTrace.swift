#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The existing file at the path of a new trace, and whether the new trace may replace it.
package enum OldTrace {
    /// Whether a regular file is a trace, or the remnant of one: an empty file, the beginning of a header, or zeros.
    ///
    /// After a system crash, a file may keep its length but lose its content. So zeros count as a remnant if the file has at
    /// most the length of a header, or of a header and whole chunks. Any other file belongs to another program.
    package static func isOne(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        let length = Int(status.st_size)
        guard length > 0 else { return true }
        let magic = TraceFormat.magic
        guard let start = bytes(of: descriptor, at: 0, count: min(length, magic.count)) else { return false }
        if magic.starts(with: start) { return true }
        let (header, chunk) = (TraceFormat.headerLength, TraceFormat.chunkSize)
        guard length <= header || (length - header).isMultiple(of: chunk) else { return false }
        for offset in stride(from: 0, to: length, by: chunk) {
            let part = bytes(of: descriptor, at: offset, count: min(chunk, length - offset))
            guard let part, part.allSatisfy({ $0 == 0 }) else { return false }
        }
        return true
    }

    /// Whether the process named in the header has ended.
    static func writerHasEnded(_ descriptor: Int32) -> Bool {
        typealias Field = TraceFormat.HeaderField
        guard let header = bytes(of: descriptor, at: 0, count: Field.clock), header.starts(with: TraceFormat.magic)
        else { return false }
        let number = header[Field.processID...].reversed().reduce(Int32(0)) { $0 << 8 | Int32($1) }
        return number > 0 && kill(number, 0) != 0 && errno == ESRCH
    }

    /// Whether the file at `path` is a trace or a remnant of one; false if it cannot be opened.
    package static func isOne(at path: String) -> Bool {
        let descriptor = SystemText.withBytes(of: path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return isOne(descriptor)
    }

    private static func bytes(of descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var read: Int
        repeat { read = pread(descriptor, &bytes, count, off_t(offset)) } while read < 0 && errno == EINTR
        return read == count ? bytes : nil
    }
}
