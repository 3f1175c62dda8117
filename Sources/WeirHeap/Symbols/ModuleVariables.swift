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

    /// For each object, the addresses of the first words in the module's variables that equal its address.
    static func holders(of objects: Set<UInt>, in module: LoadedModule) -> [UInt: [UInt]] {
        guard let lowest = objects.min(), let highest = objects.max() else { return [:] }
        // Reading through a file cannot crash on missing memory, and may read what a sanitizer forbids.
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return [:] }
        defer { close(memory) }
        let words = UnsafeMutablePointer<UInt>.allocate(capacity: pieceSize / wordSize)
        defer { words.deallocate() }
        var found: [UInt: [UInt]] = [:]
        for segment in module.segments where segment.isWritable {
            var address = (segment.memory.lowerBound &+ UInt(wordSize) - 1) & ~(UInt(wordSize) - 1)
            let end = segment.memory.lowerBound + min(UInt(segment.memory.count), limit)
            while address < end {
                let length = min(Int(end - address), pieceSize)
                let count = pread(memory, words, length, off_t(truncatingIfNeeded: address)) / wordSize
                guard count > 0 else { break }
                // No iterator: in a build without optimization, it costs fifty times as much.
                var place = 0
                while place < count {
                    let word = words[place]
                    if word >= lowest, word <= highest, objects.contains(word),
                        found[word]?.count ?? 0 < holderLimit
                    {
                        found[word, default: []].append(address + UInt(place * wordSize))
                    }
                    place += 1
                }
                address += UInt(length)
            }
        }
        return found
    }
}
