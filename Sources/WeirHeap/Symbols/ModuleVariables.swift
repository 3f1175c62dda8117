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
    /// More than this is not looked at: it is no memory of usual variables, and would take long.
    private static let limit: UInt = 1 << 26

    /// At most so many holders of one object are told.
    private static let holderLimit = 8

    /// Which words of the module's variables are the address of an object: for each object the first ones.
    static func holders(of objects: Set<UInt>, in module: LoadedModule) -> [UInt: [UInt]] {
        guard let lowest = objects.min(), let highest = objects.max() else { return [:] }
        // Read as a file, memory that is not there is no crash, and what a sanitizer forbids can be read.
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
                // No iterator: where this was built without optimization, they cost fifty times as much.
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
