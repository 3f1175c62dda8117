/// The reason why a file is not readable as a trace; the description says what, where and what to do.
public enum TraceError: Error, Equatable, CustomStringConvertible {
    /// Nothing is at the path.
    case missing(path: String)
    /// The path leads to a directory.
    case isDirectory(path: String)
    /// The path leads to a pipe, socket or device.
    case notAFile(path: String)
    /// The file has no bytes.
    case empty(path: String)
    /// The file's first bytes are not those of a trace; they differ at `offset`.
    case notATrace(path: String, offset: Int)
    /// The format is later than the version that this reader knows.
    case newerVersion(path: String, found: Int, known: Int)
    /// The file header is damaged or cut off at `offset`.
    case damagedHeader(path: String, offset: Int)
    /// The system refused to open the file, or to read it at `offset`.
    case unreadable(path: String, offset: UInt64, code: Int32)

    /// The path of the file.
    public var path: String {
        switch self {
        case .missing(let path), .isDirectory(let path), .notAFile(let path), .empty(let path),
            .notATrace(let path, _), .newerVersion(let path, _, _), .damagedHeader(let path, _),
            .unreadable(let path, _, _):
            path
        }
    }

    // Damage is reported at the start of a field; any other offset is the end of a truncated header.
    private static let fieldOffsets: Set<Int> = [
        TraceFormat.HeaderField.version, TraceFormat.HeaderField.headerLength, TraceFormat.HeaderField.clock,
        TraceFormat.HeaderField.program, TraceFormat.HeaderField.checksum,
    ]

    /// One sentence: what is wrong, in which file and at which byte, and the remedy.
    public var description: String {
        switch self {
        case .missing(let path):
            "\(PrintableText.escaped(path)): no such file; check the path, or record a trace with 'weir record -- COMMAND'"
        case .isDirectory(let path):
            "\(PrintableText.escaped(path)): is a directory; name a trace file in it"
        case .notAFile(let path):
            "\(PrintableText.escaped(path)): is a pipe or device, not a file; save the trace to a file and name that"
        case .empty(let path):
            "\(PrintableText.escaped(path)): is empty; record it again, and let the program run until Weir has opened its trace"
        case .notATrace(let path, let offset):
            "\(PrintableText.escaped(path)): is not a Weir trace (byte \(offset) differs from a trace's first bytes); name a file that "
                + "'weir record' wrote"
        case .newerVersion(let path, let found, let known):
            "\(PrintableText.escaped(path)): has format version \(found) at byte \(TraceFormat.HeaderField.version), but this reader "
                + "knows versions up to \(known); update weir"
        case .damagedHeader(let path, let offset) where !Self.fieldOffsets.contains(offset):
            "\(PrintableText.escaped(path)): is cut off: it has \(offset) of the \(TraceFormat.headerLength) bytes of a header; take a "
                + "whole copy, or record it again"
        case .damagedHeader(let path, let offset):
            "\(PrintableText.escaped(path)): its file header is damaged at byte \(offset); take an undamaged copy, or record it again"
        case .unreadable(let path, let offset, let code):
            "\(PrintableText.escaped(path)): cannot be read at byte \(offset) (\(systemMessage(code))); check its permissions and disk"
        }
    }
}
