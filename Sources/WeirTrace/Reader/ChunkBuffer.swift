/// A buffer for one chunk or the file header, and the last content read into it.
final class ChunkBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int = TraceFormat.chunkSize) {
        bytes = .allocate(byteCount: byteCount, alignment: 64)
    }

    deinit { bytes.deallocate() }

    var head: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<TraceFormat.chunkHeaderLength])
    }

    func records(_ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: bytes[TraceFormat.chunkHeaderLength...].prefix(count))
    }
}
