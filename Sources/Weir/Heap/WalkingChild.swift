#if Recording && os(Linux)
import CWeirCore
import WeirRecording

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A forked child that walks, as its parent sees it: both send messages, each preceded by its length.
struct WalkingChild {
    /// The reason why no message arrives.
    enum Failure: Error {
        /// The system's error number.
        case cannotFork(Int32)
        /// It waits for a lock that will never be released.
        case isStuck
        case isLate
        /// It was ended by that signal; negative: by an unknown signal.
        case hasEnded(Int32)
    }

    /// The number of milliseconds after which the walk of a child is aborted.
    package nonisolated(unsafe) static var limit: UInt32 = 10_000
    /// The time at which all walks are aborted, by `weir_monotonic`.
    private nonisolated(unsafe) static let lastMoment = {
        let moment = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        moment.initialize(to: .max)
        return moment
    }()

    private var child = weir_child()
    private var deadline = UInt64.max
    private var bytes: [UInt8] = []
    /// The number of bytes that have been returned as messages.
    private var received = 0

    /// Forks; the child runs `body` once it may begin.
    init(_ body: @escaping (_ channel: Channel) -> Void) throws(Failure) {
        let work = Work(body: body)
        let error = withExtendedLifetime(work) {
            weir_fork(
                &child,
                { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue().body(Channel(file: $1)) },
                Unmanaged.passUnretained(work).toOpaque())
        }
        if error != 0 { throw .cannotFork(error) }
    }

    private final class Work {
        let body: (Channel) -> Void
        init(body: @escaping (Channel) -> Void) { self.body = body }
    }

    /// Sets whether all children together may take no longer than one child, from now on.
    static func endSoon(_ isEnd: Bool) {
        weir_store_u64(lastMoment, isEnd ? weir_monotonic() + nanoseconds(limit) : .max)
    }

    private static func nanoseconds(_ milliseconds: UInt32) -> UInt64 { UInt64(milliseconds) * 1_000_000 }

    /// Sends a message; the child's time limit starts here.
    mutating func say(_ message: [UInt8]) {
        // The child ends itself at its limit; it takes longer only if it has been stopped.
        deadline = weir_monotonic() + Self.nanoseconds(Self.limit + 1000)
        var length = UInt64(message.count)
        // A child that does not read the message will not reply either.
        _ = weir_child_write(&child, &length, 8, 1000) && weir_child_write(&child, message, message.count, 1000)
    }

    /// Ends the child if it is still running.
    mutating func end() { _ = weir_child_end(&child, true) }

    // MARK: Messages from the child

    /// The next message. After a failure, end the child.
    mutating func message() throws(Failure) -> [UInt8] {
        var hasEnded = false
        var naps = 0
        while true {
            if let message = whole { return message }
            let count = read(waiting: hasEnded ? 0 : 20)
            if count == 0 || count < 0 && hasEnded { throw failure() }
            if count > 0 { continue }
            naps = weir_child_sleeps(&child) ? naps + 1 : 0
            if naps == 5 { throw .isStuck }
            // Another child of the program, forked at the same moment, may keep the channel open.
            hasEnded = weir_child_has_ended(&child)
            if !hasEnded, weir_monotonic() > min(deadline, weir_load_u64(Self.lastMoment)) { throw .isLate }
        }
    }

    private mutating func failure() -> Failure {
        let signal = weir_child_end(&child, true)
        return signal == SIGALRM ? .isLate : .hasEnded(signal)
    }

    private mutating func read(waiting milliseconds: Int32) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            let count = weir_child_read(&child, buffer.baseAddress.unsafelyUnwrapped, buffer.count, milliseconds)
            bytes += buffer[..<max(0, count)]
            return count
        }
    }

    /// The next message, once it is complete. A child with a damaged heap could send anything.
    private var whole: [UInt8]? {
        mutating get {
            guard bytes.count - received >= 8 else { return nil }
            let length = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: received, as: UInt64.self) }
            guard length <= UInt64(bytes.count - received - 8) else { return nil }
            let start = received + 8
            received = start + Int(length)
            return Array(bytes[start..<received])
        }
    }

    /// The child's end of the channel.
    struct Channel {
        fileprivate let file: Int32

        /// Waits for a message, during which its time limit is suspended. Ends the process if no message will arrive.
        func message() -> [UInt8] {
            weir_child_limit(0)
            var length: UInt64 = 0
            guard weir_read_all(file, &length, 8) else { exit() }
            var bytes = [UInt8](repeating: 0, count: Int(length))
            guard weir_read_all(file, &bytes, bytes.count) else { exit() }
            weir_child_limit(WalkingChild.limit)
            return bytes
        }

        func say(_ message: [UInt8]) {
            var length = UInt64(message.count)
            guard weir_write_all(file, &length, 8), weir_write_all(file, message, message.count) else { exit() }
        }

        private func exit() -> Never { _exit(0) }
    }
}
#endif
