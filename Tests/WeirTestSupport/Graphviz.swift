import Foundation
import Testing

/// The command `dot`, if it is installed.
public enum Graphviz {
    /// Where it is.
    public static let path = ["/usr/bin/dot", "/usr/local/bin/dot", "/opt/homebrew/bin/dot"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The output for a graph: a line for each node and edge. It must report no problem.
    public static func plain(_ text: String) throws -> [Substring] {
        let file = NSTemporaryDirectory() + "weir-graph-\(UUID().uuidString).dot"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        defer { unlink(file) }
        let (process, output) = (Process(), try OutputFile())
        process.executableURL = URL(fileURLWithPath: try #require(path))
        process.arguments = ["-Tplain", file]
        process.standardOutput = output.handle
        // A problem that it reports is one line more.
        process.standardError = output.handle
        try process.run()
        process.waitUntilExit()
        let lines = try output.text
        #expect(process.terminationStatus == 0 && !lines.contains("Warning: ") && !lines.contains("Error: "))
        return lines.split(separator: "\n")
    }
}
