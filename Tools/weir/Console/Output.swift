#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Errors of output.
enum OutputError: Error, Equatable {
    /// The reader has closed the pipe.
    case closed
    /// The system's error number.
    case failed(Int32)
}

/// Buffered output to a file descriptor.
final class Output {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Whether what the reader of a closed pipe does not want is dropped: then `OutputError.closed` is not thrown.
    var outlivesReader = false
    private static let capacity = 65_536

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// An output that keeps its text in memory.
    static func memory() -> Output { Output(descriptor: -1) }

    /// The text of an output in memory.
    var text: String { String(decoding: buffer, as: UTF8.self) }

    func write(_ text: String) throws(OutputError) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.capacity { try flush() }
    }

    /// Writes bytes; many at once are not copied.
    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        if bytes.count >= Self.capacity, descriptor >= 0 {
            try flush()
            return try send(bytes)
        }
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.capacity { try flush() }
    }

    func flush() throws(OutputError) {
        guard descriptor >= 0 else { return }
        // Whatever happens, these bytes are not written twice.
        defer { buffer.removeAll(keepingCapacity: true) }
        try buffer.withUnsafeBytes { bytes in Result { () throws(OutputError) in try send(bytes) } }.get()
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        guard let base = bytes.baseAddress else { return }
        var start = 0
        while start < bytes.count {
            #if canImport(Glibc)
            let written = Glibc.write(descriptor, base + start, bytes.count - start)
            #elseif canImport(Musl)
            let written = Musl.write(descriptor, base + start, bytes.count - start)
            #else
            let written = Darwin.write(descriptor, base + start, bytes.count - start)
            #endif
            if written >= 0 {
                start += written
            } else if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Self.wait(&poll)
            } else if errno == EPIPE, outlivesReader {
                return
            } else if errno != EINTR {
                throw errno == EPIPE ? .closed : .failed(errno)
            }
        }
    }

    private static func wait(_ descriptor: inout pollfd) -> Int32 { poll(&descriptor, 1, 1000) }
}
