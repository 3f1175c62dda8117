import Foundation

/// A message from a child process to its round, written at once, so that threads do not mix their notices.
struct Notice {
    enum Kind: UInt32 {
        /// The program runs; its recording begins next.
        case ready = 1
        case started
        /// No recording could begin.
        case refused
        /// A writer has emitted all numbers up to this one.
        case emitted
        case checkpoint
        case stopping, stopped
        /// The longest emission in nanoseconds, and the same without its thread's waiting time for a processor.
        case longest, longestOfItsOwn
        /// Emissions that took more than 100 ms.
        case slow
        /// A forked child hangs or fails: its number, and its last action.
        case hung, failed
    }

    var kind: Kind
    var writer: UInt32 = 0
    var number: UInt64 = 0

    private static let length = 16

    /// Writes it to standard output.
    static func say(_ kind: Kind, writer: Int = 0, _ number: UInt64 = 0) {
        let words = (kind.rawValue, UInt32(writer), number)
        withUnsafeBytes(of: words) { bytes in
            while write(STDOUT_FILENO, bytes.baseAddress, length) < 0, errno == EINTR {}
        }
    }

    /// Assembles notices from the bytes read.
    struct Parser {
        private var rest: [UInt8] = []

        mutating func take(_ bytes: ArraySlice<UInt8>, _ body: (Notice) -> Void) {
            rest += bytes
            var place = 0
            rest.withUnsafeBytes { all in
                while place + length <= all.count {
                    if let kind = Kind(rawValue: all.loadUnaligned(fromByteOffset: place, as: UInt32.self)) {
                        body(
                            Notice(
                                kind: kind, writer: all.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
                                number: all.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)))
                    }
                    place += length
                }
            }
            rest.removeFirst(place)
        }
    }
}
