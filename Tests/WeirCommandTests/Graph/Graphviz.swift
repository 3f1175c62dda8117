import Foundation
import Testing

/// The command `dot`, if it is installed.
enum Graphviz {
    static let path = ["/usr/bin/dot", "/usr/local/bin/dot", "/opt/homebrew/bin/dot"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The output for a graph: a line for each node and edge. It must report no problem.
    static func plain(_ text: String) throws -> [Substring] {
        let folder = try BuiltCommand.Folder()
        let file = try folder.write("graph.dot", text.utf8)
        let ended = try BuiltCommand(try #require(path), ["-Tplain", file], in: folder).wait()
        #expect(ended.status == 0 && ended.errors == "")
        return ended.outputLines
    }
}
