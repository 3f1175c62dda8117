#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The variables of a module: its writable memory.
enum ModuleVariables {
    private static let pieceSize = 1 << 16
    /// More than this is not looked at: it is no memory of usual variables, and would take long.
    private static let limit: UInt = 1 << 26

    /// Which words of the module's variables are the address of an object: for each object the first.
    static func holders(of objects: Set<UInt>, in module: LoadedModule) -> [UInt: UInt] {
        guard let lowest = objects.min(), let highest = objects.max() else { return [:] }
        // Read as a file, memory that is not there is no crash, and what a sanitizer forbids can be read.
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return [:] }
        defer { close(memory) }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
        defer { piece.deallocate() }
        var found: [UInt: UInt] = [:]
        for segment in module.segments where segment.isWritable {
            let wordSize = UInt(MemoryLayout<UInt>.size)
            var address = (segment.memory.lowerBound &+ wordSize - 1) & ~(wordSize - 1)
            let end = segment.memory.lowerBound + min(UInt(segment.memory.count), limit)
            while address < end {
                let length = min(Int(end - address), pieceSize)
                let count = pread(memory, piece.baseAddress, length, off_t(truncatingIfNeeded: address))
                guard count > 0 else { break }
                for offset in stride(from: 0, through: count - Int(wordSize), by: Int(wordSize)) {
                    let word = piece.load(fromByteOffset: offset, as: UInt.self)
                    guard word >= lowest, word <= highest, objects.contains(word), found[word] == nil else { continue }
                    found[word] = address + UInt(offset)
                }
                address += UInt(length)
            }
        }
        return found
    }
}
