#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is read where it lies, page by page as it is needed.
///
/// What runs cannot be cut short under its process, so a module's file stays as long as it was when it was mapped.
final class MappedFile {
    /// The whole file; it lives as long as this object.
    let bytes: UnsafeRawBufferPointer

    /// Maps the file; nil: it cannot be read, or is empty.
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
