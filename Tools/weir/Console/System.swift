import WeirTrace

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The few questions that the tool asks the system.
enum System {
    /// The error number for what does not exist.
    static let noSuchFile = ENOENT

    /// What the system says of an error number.
    static func message(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    /// `path` from the root on, seen from the current directory; not resolved any further.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return SystemText.text(directory) + "/" + path
    }

    /// Size of the file at `path`; nil when it cannot be asked.
    static func size(_ path: String) -> UInt64? {
        FileState(path)?.size
    }

    /// Why no file can be made in a directory, as an error number; nil: one can.
    static func obstacle(inDirectory path: String) -> Int32? {
        var status = stat()
        if SystemText.withBytes(of: path, { stat($0, &status) }) != 0 { return errno }
        if status.st_mode & S_IFMT != S_IFDIR { return ENOTDIR }
        return SystemText.withBytes(of: path) { access($0, W_OK | X_OK) } == 0 ? nil : errno
    }

    /// Whether a process of this number runs.
    static func isRunning(_ process: UInt32) -> Bool {
        kill(pid_t(bitPattern: process), 0) == 0 || errno == EPERM
    }

    /// What could not be made, and the system's error number.
    struct DirectoryError: Error {
        let path: String
        let code: Int32
    }

    /// Makes a directory and those above it; one that is there already is fine.
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

    /// Makes a new directory for what need not last.
    static func temporaryDirectory() throws(DirectoryError) -> String {
        let parent = getenv("TMPDIR").map { SystemText.text($0) } ?? ""
        let base = parent.isEmpty ? "/tmp" : parent.hasSuffix("/") ? String(parent.dropLast()) : parent
        var template = SystemText.bytes("\(base)/weir-demo-XXXXXX").map { CChar(bitPattern: $0) } + [0]
        guard mkdtemp(&template) != nil else { throw DirectoryError(path: base, code: errno) }
        return SystemText.text(template)
    }

    /// Forgets an environment variable of this process.
    static func removeFromEnvironment(_ name: String) {
        unsetenv(name)
    }

    /// Nanoseconds on a clock that only goes forward.
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

    /// The names of all that lies in a directory; none when it cannot be read.
    static func names(in directory: String) -> [String] {
        guard let stream = SystemText.withBytes(of: directory, { opendir($0) }) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // The name's declared length is only the longest that it may have.
            let name = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
            names.append(SystemText.text(name.assumingMemoryBound(to: CChar.self)))
        }
        return names
    }

    /// Waits so many milliseconds, or less when a signal arrives.
    static func sleep(milliseconds: UInt32) {
        usleep(milliseconds * 1000)
    }
}

/// What tells a file that was written anew from one that was left alone.
struct FileState: Equatable {
    let device: UInt64
    let inode: UInt64
    let size: UInt64
    let modified: [Int]
    let isRegular: Bool

    /// The state of what lies at `path`; nil, with `errno` set, when nothing can be learnt.
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
