import CWeir

#if canImport(Darwin)
import MachO
#endif

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
    /// The address of its header, if it has the Mach-O format; otherwise 0.
    private var machHeader: UInt = 0

    private init(path: String, base: UInt, machHeader: UInt = 0) {
        (self.path, self.base, self.machHeader) = (path, base, machHeader)
    }

    func contains(_ address: UInt) -> Bool { segments.contains { $0.memory.contains(address) } }

    #if canImport(Darwin)
    /// The currently loaded modules.
    static func loaded() -> [LoadedModule] {
        // An image that is unloaded in the meantime has neither a header nor a name.
        (0..<_dyld_image_count()).compactMap { number in
            guard let header = _dyld_get_image_header(number), let path = _dyld_get_image_name(number) else {
                return nil
            }
            let slide = UInt(bitPattern: _dyld_get_image_vmaddr_slide(number))
            return LoadedModule(path: String(cString: path), machHeader: UnsafeRawPointer(header), slide: slide)
        }
    }
    #else
    /// The currently loaded modules; empty if they are not ELF files.
    static func loaded() -> [LoadedModule] {
        let list = List()
        weir_each_segment(addToList, Unmanaged.passUnretained(list).toOpaque())
        return list.modules
    }
    #endif
}

extension LoadedModule {
    /// A loaded Mach-O image; nil if there is none at `header`.
    ///
    /// The loader has checked that all load commands are in the image's first segment, and that its segments are in memory.
    init?(path: String, machHeader header: UnsafeRawPointer, slide: UInt) {
        self.init(path: path, base: slide, machHeader: UInt(bitPattern: header))
        guard let image = machImage else { return nil }
        // The first page of a program, which catches null pointers, is not readable.
        for segment in image.segments where segment.isReadable {
            let start = UInt(segment.address) &+ slide
            let (end, overflow) = start.addingReportingOverflow(UInt(segment.size))
            guard !overflow else { continue }
            segments.append(Segment(memory: start..<end, isWritable: segment.isWritable))
        }
    }

    /// The image in memory; nil if it has another format.
    var machImage: MachImage? {
        guard let header = UnsafeRawPointer(bitPattern: machHeader),
            let size = MachImage.headerSize(UnsafeRawBufferPointer(start: header, count: 32))
        else { return nil }
        return MachImage(header: UnsafeRawBufferPointer(start: header, count: size)) { segment in
            guard let segment, segment.isReadable,
                let start = UnsafeRawPointer(bitPattern: UInt(segment.address) &+ base)
            else { return nil }
            return (UnsafeRawBufferPointer(start: start, count: Int(clamping: segment.size)), segment.fileOffset)
        }
    }
}

#if !canImport(Darwin)
extension LoadedModule {
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
#endif
