#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file open for reading at any offset.
///
/// The file is read, never mapped: truncating a mapped file kills the process that reads the mapping.
final class InputFile {
    let path: String
    private let descriptor: Int32

    init(path: String) throws(TraceError) {
        self.path = path
        // Non-blocking, because opening a pipe would otherwise wait for its writer.
        descriptor = SystemText.withBytes(of: path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard descriptor >= 0 else {
            let code = errno
            switch code {
            case ENOENT, ENOTDIR: throw .missing(path: path)
            case ENXIO: throw .notAFile(path: path)
            default: throw .unreadable(path: path, offset: 0, code: code)
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, offset: 0, code: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw .isDirectory(path: path)
        default: throw .notAFile(path: path)
        }
    }

    deinit { close(descriptor) }

    /// The current length of the file; 0 if the system does not report it.
    var length: UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(max(0, status.st_size)) : 0
    }

    enum ReadResult {
        /// The number of bytes read; less than requested at the end of the file.
        case count(Int)
        case failed(code: Int32)
    }

    /// Fills `buffer` from `offset` on, up to the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> ReadResult {
        guard let base = buffer.baseAddress, var place = off_t(exactly: offset) else { return .count(0) }
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, base + done, buffer.count - done, place)
            if count < 0 {
                if errno == EINTR { continue }
                return .failed(code: errno)
            }
            if count == 0 { break }
            done += count
            place += off_t(count)
        }
        return .count(done)
    }

    #if canImport(Darwin)
    private static let seekData = SEEK_DATA
    #else
    // The value on Linux, whose headers define the name for GNU sources only.
    private static let seekData: Int32 = 3
    #endif

    /// The offset of the next byte at or after `offset` that is not in a hole; `nil` if there is none.
    func nextData(from offset: UInt64) -> UInt64? {
        guard let place = off_t(exactly: offset) else { return nil }
        let found = lseek(descriptor, place, Self.seekData)
        if found >= 0 { return UInt64(found) }
        return errno == ENXIO ? nil : offset
    }
}

/// The system's message for an error number.
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
