import WeirTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A new file, for its owner alone (mode 0600): it replaces no file and follows no link.
struct NewFile {
    let descriptor: Int32
    private let path: String

    /// Refuses a path that exists, even as a dangling link.
    static func check(_ path: String) throws(UsageError) {
        var status = stat()
        if path.isEmpty { throw .badValue(option: "output", value: path, expected: "the path of the copy") }
        if SystemText.withBytes(of: path, { lstat($0, &status) }) == 0 { throw .fileInTheWay(path: path) }
    }

    /// Makes the file.
    init(_ path: String) throws(UsageError) {
        // With this, exceeding the limit on file sizes is a write error, and does not end the process.
        signal(SIGXFSZ, SIG_IGN)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = SystemText.withBytes(of: path) { open($0, flags, 0o600) }
        self.path = path
        guard descriptor >= 0 else {
            throw errno == EEXIST ? .fileInTheWay(path: path) : .cannotWrite(path: path, code: errno)
        }
    }

    /// Closes it; some file systems report only here that there was no room.
    func close() throws(TraceCopyError) {
        if fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP { throw TraceCopyError(code: errno) }
        #if canImport(Glibc)
        let failure = Glibc.close(descriptor)
        #elseif canImport(Musl)
        let failure = Musl.close(descriptor)
        #else
        let failure = Darwin.close(descriptor)
        #endif
        if failure != 0, errno != EINTR { throw TraceCopyError(code: errno) }
    }

    /// Removes it again.
    func remove() { _ = SystemText.withBytes(of: path) { unlink($0) } }
}
