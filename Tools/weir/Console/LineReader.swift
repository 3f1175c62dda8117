import WeirReport
import WeirTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads a file, or standard input, line by line.
final class LineReader {
    /// Longer lines are refused, so that a file without line breaks does not fill the memory.
    private static let longest = 32 << 20

    private let path: String
    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private var line = 0

    /// Opens the file; "-" is standard input.
    init(_ path: String) throws(UsageError) {
        self.path = path
        if path == "-" {
            descriptor = STDIN_FILENO
            return
        }
        descriptor = SystemText.withBytes(of: path) { open($0, O_RDONLY | O_CLOEXEC) }
        if descriptor < 0 { throw .unreadableFile(path: path, code: errno) }
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// The next line without its end; nil: there is none.
    func next() throws -> String? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                line += 1
                return String(decoding: bytes[start..<end], as: UTF8.self)
            }
            searched = bytes.count
            if isAtEnd {
                guard start < bytes.count else { return nil }
                defer { start = bytes.count }
                return String(decoding: bytes[start...], as: UTF8.self)
            }
            if bytes.count - start > Self.longest {
                throw ImportError(line: line + 1, problem: "the line is longer than \(Self.longest >> 20) MiB")
            }
            bytes.removeFirst(start)
            searched -= start
            start = 0
            try fill()
        }
    }

    private func fill() throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw UsageError.unreadableFile(path: path, code: errno) }
            isAtEnd = count == 0
            bytes += buffer[..<count]
            return
        }
    }
}
