import Foundation

/// A page of the documentation in the repository.
struct DocumentationPage {
    let text: String

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter path: from the root of the repository.
    init(_ path: String) throws {
        text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    /// The cells of all table rows except the headings.
    var rows: [[String]] {
        lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") && !$0.hasPrefix("| Concept") }.map { line in
            line.dropFirst(2).dropLast(2).components(separatedBy: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Blocks of lines that are indented by four spaces, without the indentation.
    var pictures: [[String]] {
        var result: [[String]] = [[]]
        for line in lines {
            if line.hasPrefix("    ") {
                result[result.count - 1].append(String(line.dropFirst(4)))
            } else {
                result.append([])
            }
        }
        return result.filter { !$0.isEmpty }
    }

    /// The lines of each block of Swift.
    var codeBlocks: [[String]] {
        var result: [[String]] = []
        var isInside = false
        for line in lines {
            if line.hasPrefix("```") {
                isInside = line == "```swift"
                if isInside { result.append([]) }
            } else if isInside {
                result[result.count - 1].append(line)
            }
        }
        return result
    }

    /// The code between single or double backquotes in `text`.
    static func code(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }
}
