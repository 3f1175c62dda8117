import CWeir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The variables of a module: its writable memory.
enum ModuleVariables {
    private static let pieceSize = 1 << 16, wordSize = MemoryLayout<UInt>.size
    /// Memory beyond this limit is skipped: it does not belong to ordinary variables, and would take long.
    private static let limit: UInt = 1 << 26

    /// The maximum number of holders to report for one object.
    private static let holderLimit = 8

    /// For each of the objects (ascending addresses), the addresses of the first words in the module's variables that hold it.
    static func holders(of objects: [UInt], in module: LoadedModule) -> [UInt: [UInt]] {
        if objects.isEmpty { return [:] }
        // Reading through a file cannot crash on missing memory, and may read what a sanitizer forbids.
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return [:] }
        defer { close(memory) }
        let words = UnsafeMutablePointer<UInt>.allocate(capacity: pieceSize / wordSize)
        defer { words.deallocate() }
        var found: [UInt: [UInt]] = [:]
        let objects = WantedWords(objects)
        for segment in module.segments where segment.isWritable {
            var address = (segment.memory.lowerBound &+ UInt(wordSize) - 1) & ~(UInt(wordSize) - 1)
            let end = segment.memory.lowerBound + min(UInt(segment.memory.count), limit)
            while address < end {
                let length = min(Int(end - address), pieceSize)
                let count = pread(memory, words, length, off_t(truncatingIfNeeded: address)) / wordSize
                guard count > 0 else { break }
                let last = UnsafePointer(words + count)
                var place = UnsafePointer(words)
                while let word = objects.first(from: place, to: last) {
                    if found[word.pointee]?.count ?? 0 < holderLimit {
                        found[word.pointee, default: []].append(
                            address + UInt((word - UnsafePointer(words)) * wordSize))
                    }
                    place = word + 1
                }
                address += UInt(length)
            }
        }
        return found
    }
}
