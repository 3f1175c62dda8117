/// Why a recording could not be started.
public enum TraceWriterError: Error, Equatable, CustomStringConvertible {
    /// The file could not be made or opened; `code` is the system's error number, `reason` its text.
    case cannotCreate(path: String, code: Int32, reason: String)
    /// Something else than a trace stands at the path; it is left alone.
    case notATrace(path: String)
    /// Another process is writing a trace there.
    case inUse(path: String)
    /// The disk has no room for even the smallest trace.
    case noRoom(path: String)
    /// This process may not have files as large as the smallest trace: at most `limit` bytes (`ulimit -f`).
    case fileTooLarge(path: String, limit: UInt64)
    /// The bound on the file's size is too small.
    case limitTooSmall(bytes: Int, least: Int)
    /// A recording is already under way.
    case alreadyRecording(path: String)
    /// A chosen module has a name that no module can have, or there are too many.
    case invalidModules([String])
    /// The labels cannot be recorded, for this reason.
    case invalidLabels(String)

    /// One sentence: what, where, and what to do.
    public var description: String {
        switch self {
        case .cannotCreate(let path, _, let reason):
            "cannot write a trace to '\(PrintableText.escaped(path))': \(reason); name a file in a folder that exists and is writable"
        case .notATrace(let path):
            "'\(PrintableText.escaped(path))' exists and is not a trace, so it is left alone; name another file or remove this one"
        case .inUse(let path):
            "another process is writing a trace to '\(PrintableText.escaped(path))'; name another file (%p in WEIR_TRACE is the process id)"
        case .noRoom(let path):
            "no room on the disk for a trace at '\(PrintableText.escaped(path))'; free some space or name a file on another disk"
        case .fileTooLarge(let path, let limit):
            "the files of this process may have \(limit) bytes at most, too few for a trace at '\(PrintableText.escaped(path))'; raise that "
                + "limit (ulimit -f)"
        case .limitTooSmall(let bytes, let least):
            "a trace of at most \(bytes) bytes is too small; allow at least \(least) bytes, or no limit"
        case .alreadyRecording(let path):
            "already recording to '\(PrintableText.escaped(path))'; stop that recording first, or in tests that run beside it, use the trait .recorded"
        case .invalidModules(let names):
            "'\(PrintableText.brief(names.joined(separator: ",")))' must be names of modules, such as App or LoginFeature, at most 64"
        case .invalidLabels(let reason): "the labels cannot be recorded: \(reason)"
        }
    }
}
