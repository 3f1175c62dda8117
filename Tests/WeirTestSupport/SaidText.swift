import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that receives the output and the errors of a process of its own.
///
/// A pipe ends only when each process that inherited it has ended, also one that another test started at that moment: a compiler, for
/// instance.
public struct SaidText: Sendable {
    private let file: TemporaryTrace

    /// Makes the folder of the file.
    public init() throws { file = try TemporaryTrace("said.txt") }

    /// The path of the file, for `hear`.
    public var path: String { file.path }

    /// Called in the process: from now on it writes to the file.
    public static func hear(in path: String) {
        let file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(file, standard) }
        close(file)
    }

    /// The text that the process has written so far.
    public var text: String {
        get throws { String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self) }
    }
}
