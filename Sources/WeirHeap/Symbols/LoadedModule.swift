import CWeir

/// The program or a library, as it is loaded into the memory of this process.
struct LoadedModule {
    /// A piece of its memory.
    struct Segment {
        var memory: Range<UInt>
        var isWritable: Bool
    }

    /// The path of its file.
    var path: String
    /// The difference between addresses in memory and addresses in the file.
    var base: UInt
    var segments: [Segment] = []
    /// The memory that holds the beginning of its file; empty if no memory does.
    var fileHeader: Range<UInt> = 0..<0

    func contains(_ address: UInt) -> Bool { segments.contains { $0.memory.contains(address) } }

    /// The currently loaded modules; empty if they are not ELF files.
    static func loaded() -> [LoadedModule] {
        let list = List()
        weir_each_segment(addToList, Unmanaged.passUnretained(list).toOpaque())
        return list.modules
    }

    fileprivate final class List {
        var modules: [LoadedModule] = []

        func add(_ segment: weir_segment) {
            let (end, overflow) = segment.start.addingReportingOverflow(segment.size)
            guard !overflow else { return }
            let path = segment.path.pointee == 0 ? "/proc/self/exe" : String(cString: segment.path)
            if modules.last?.base != segment.base || modules.last?.path != path {
                modules.append(LoadedModule(path: path, base: segment.base))
            }
            let last = modules.count - 1
            modules[last].segments.append(Segment(memory: segment.start..<end, isWritable: segment.is_writable))
            if segment.file_offset == 0, segment.file_size <= segment.size {
                modules[last].fileHeader = segment.start..<segment.start + segment.file_size
            }
        }
    }
}

private func addToList(_ list: UnsafeMutableRawPointer?, _ segment: UnsafePointer<weir_segment>) {
    guard let list else { return }
    Unmanaged<LoadedModule.List>.fromOpaque(list).takeUnretainedValue().add(segment.pointee)
}
