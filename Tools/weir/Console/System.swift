import WeirTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The tool's system calls.
enum System {
    /// The error number for a missing file.
    static let noSuchFile = ENOENT

    /// The error number of the system call that failed last.
    static var lastError: Int32 { errno }

    /// The system's message for an error number.
    static func message(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    /// `path` as an absolute path from the current directory; links are not resolved.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return SystemText.text(directory) + "/" + path
    }

    /// Size of the file at `path`; nil if it is unavailable.
    static func size(_ path: String) -> UInt64? {
        FileState(path)?.size
    }

    /// Why no file can be made in a directory, as an error number; nil if one can.
    static func obstacle(inDirectory path: String) -> Int32? {
        var status = stat()
        if SystemText.withBytes(of: path, { stat($0, &status) }) != 0 { return errno }
        if status.st_mode & S_IFMT != S_IFDIR { return ENOTDIR }
        return SystemText.withBytes(of: path) { access($0, W_OK | X_OK) } == 0 ? nil : errno
    }

    /// Whether a process with this id runs.
    static func isRunning(_ process: UInt32) -> Bool {
        kill(pid_t(bitPattern: process), 0) == 0 || errno == EPERM
    }

    /// The directory that could not be made, and the system's error number.
    struct DirectoryError: Error {
        let path: String
        let code: Int32
    }

    /// Makes a directory and its parents; an existing one is fine.
    static func makeDirectory(_ path: String) throws(DirectoryError) {
        var end = path.startIndex
        while end < path.endIndex {
            let next = path.index(after: end)
            end = path[next...].firstIndex(of: "/") ?? path.endIndex
            let part = String(path[..<end])
            if SystemText.withBytes(of: part, { mkdir($0, 0o777) }) != 0 && errno != EEXIST && errno != EISDIR {
                throw DirectoryError(path: part, code: errno)
            }
        }
        var status = stat()
        if SystemText.withBytes(of: path, { stat($0, &status) }) != 0 { throw DirectoryError(path: path, code: errno) }
        if status.st_mode & S_IFMT != S_IFDIR { throw DirectoryError(path: path, code: ENOTDIR) }
    }

    /// Makes a new temporary directory.
    static func temporaryDirectory() throws(DirectoryError) -> String {
        let parent = getenv("TMPDIR").map { SystemText.text($0) } ?? ""
        let base = parent.isEmpty ? "/tmp" : parent.hasSuffix("/") ? String(parent.dropLast()) : parent
        var template = SystemText.bytes("\(base)/weir-demo-XXXXXX").map { CChar(bitPattern: $0) } + [0]
        guard mkdtemp(&template) != nil else { throw DirectoryError(path: base, code: errno) }
        return SystemText.text(template)
    }

    /// Removes an environment variable from this process.
    static func removeFromEnvironment(_ name: String) {
        unsetenv(name)
    }

    /// Nanoseconds of a monotonic clock.
    static func nanoseconds() -> UInt64 {
        UInt64(clamping: read(CLOCK_MONOTONIC))
    }

    /// Nanoseconds since 1970-01-01 UTC.
    static func wallClockNanoseconds() -> Int64 {
        read(CLOCK_REALTIME)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The names in a directory; empty if it cannot be read.
    static func names(in directory: String) -> [String] {
        guard let stream = SystemText.withBytes(of: directory, { opendir($0) }) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // The declared length of the name is only its upper limit.
            let name = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
            names.append(SystemText.text(name.assumingMemoryBound(to: CChar.self)))
        }
        return names
    }

    /// Sleeps, or returns earlier if a signal arrives.
    static func sleep(milliseconds: UInt32) {
        usleep(milliseconds * 1000)
    }
}

/// Distinguishes a rewritten file from an unchanged one.
struct FileState: Equatable {
    let device: UInt64
    let inode: UInt64
    let size: UInt64
    let modified: [Int]
    let isRegular: Bool

    /// The state of the file at `path`; nil, with `errno` set, if it is unavailable.
    init?(_ path: String) {
        var status = stat()
        guard SystemText.withBytes(of: path, { stat($0, &status) }) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
        size = UInt64(clamping: status.st_size)
        #if canImport(Darwin)
        modified = [status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec]
        #else
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        #endif
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}
