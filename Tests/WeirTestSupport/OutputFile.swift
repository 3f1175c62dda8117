import Foundation

/// A file for the output of a process.
///
/// A pipe has its end only when each process that inherited it has ended. A child of another test that began at the same time
/// inherits it too, and may live for minutes.
public final class OutputFile {
    private let path = NSTemporaryDirectory() + "weir-output-\(UUID().uuidString)"
    /// For `Process.standardOutput` or `standardError`, or both.
    public let handle: FileHandle

    /// An empty file.
    public init() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    deinit { unlink(path) }

    /// All that was written so far.
    public var text: String {
        get throws { String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self) }
    }
}
