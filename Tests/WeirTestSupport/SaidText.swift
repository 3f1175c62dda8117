import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a process of its own says, as output and as errors: in a file.
///
/// A pipe ends only when each process that inherited it has ended, also one that another test started at that moment: a compiler, for
/// instance.
public struct SaidText: Sendable {
    private let file: TemporaryTrace

    /// Makes the folder of the file.
    public init() throws { file = try TemporaryTrace("said.txt") }

    /// Where the process is to write; see `hear`.
    public var path: String { file.path }

    /// Called in the process: from now on it writes to the file.
    public static func hear(in path: String) {
        let file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(file, standard) }
        close(file)
    }

    /// What it has written so far.
    public var text: String {
        get throws { String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self) }
    }
}
