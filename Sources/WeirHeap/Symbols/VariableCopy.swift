#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The writable memory of the program's file as it was at one moment: its global and static variables.
///
/// A forked child does not have it; otherwise the copy would seem to hold what the variables held. Cost: about 4 ms for 3 MB.
/// Without Linux's file of a process's memory, it is empty.
package final class VariableCopy {
    #if os(Linux)
    private var pieces: [(memory: Range<UInt>, copy: UnsafeMutableRawPointer)] = []
    private static let limit = 1 << 26

    package init() {
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return }
        defer { close(memory) }
        for segment in LoadedModule.loaded().first?.segments ?? [] where segment.isWritable {
            let size = segment.memory.count
            guard size > 0, size <= Self.limit,
                let copy = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                copy != MAP_FAILED
            else { continue }
            madvise(copy, size, MADV_DONTFORK)
            var count = 0
            while count < size {
                let place = off_t(truncatingIfNeeded: segment.memory.lowerBound) + off_t(count)
                let length = pread(memory, copy + count, size - count, place)
                guard length > 0 else { break }
                count += length
            }
            // Memory that cannot be read remains 0.
            pieces.append((segment.memory, copy))
        }
    }

    deinit { for piece in pieces { munmap(piece.copy, piece.memory.count) } }

    /// The word that was at an address; nil: it is not in the copy.
    func word(at address: UInt) -> UInt? {
        guard let piece = pieces.first(where: { $0.memory.contains(address) && $0.memory.upperBound - address >= 8 })
        else { return nil }
        return piece.copy.loadUnaligned(fromByteOffset: Int(address - piece.memory.lowerBound), as: UInt.self)
    }
    #else
    package init() {}

    func word(at address: UInt) -> UInt? { nil }
    #endif
}
