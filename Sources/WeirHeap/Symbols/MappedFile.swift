#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is mapped into memory and read page by page on demand.
///
/// A running program's file cannot be truncated, so a module's file keeps the length that it had when it was mapped.
final class MappedFile {
    /// The whole file; it lives as long as this object.
    let bytes: UnsafeRawBufferPointer

    /// Maps the file; nil if it is empty or cannot be read.
    init?(path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
        let length = Int(status.st_size)
        guard let start = mmap(nil, length, PROT_READ, MAP_PRIVATE, file, 0), start != MAP_FAILED else { return nil }
        bytes = UnsafeRawBufferPointer(start: start, count: length)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
