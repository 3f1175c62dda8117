/// Breaks the lines of a report that a terminal would break within words.
package enum LineWrap {
    /// The indentation of the rest of a line, beyond its own.
    private static let indent = 6

    /// `text` with each line of more than `columns` columns broken: between the columns of a table, which are two spaces apart, or
    /// else at a space. A word that is too long for a line stays whole.
    package static func wrapped(_ text: String, to columns: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            // No character is wider than its UTF-8 is long.
            .map {
                $0.utf8.count > columns && Style.width(String($0)) > columns ? wrapped(line: $0, columns) : String($0)
            }
            .joined(separator: "\n")
    }

    private static func wrapped(line: Substring, _ columns: Int) -> String {
        let own = line.prefix { $0 == " " }.count
        let rest = "\n" + String(repeating: " ", count: min(own + indent, columns / 2))
        var result = String(repeating: " ", count: own)
        var (used, isAtStart) = (own, true)
        func add(_ text: some StringProtocol, after spaces: Int) {
            let width = Style.width(String(text))
            if !isAtStart, used + spaces + width > columns {
                result += rest
                (used, isAtStart) = (rest.utf8.count - 1, true)
            }
            if !isAtStart { result += String(repeating: " ", count: spaces) }
            used += (isAtStart ? 0 : spaces) + width
            result += text
            isAtStart = false
        }
        for (cell, spaces) in cells(line.dropFirst(own)) {
            if rest.utf8.count - 1 + Style.width(String(cell)) <= columns {
                add(cell, after: spaces)
            } else {
                for (place, word) in cell.split(separator: " ").enumerated() {
                    add(word, after: place == 0 ? spaces : 1)
                }
            }
        }
        return result
    }

    /// The parts of a line between two or more spaces, with the number of spaces before each.
    private static func cells(_ line: Substring) -> [(text: Substring, spaces: Int)] {
        var (found, start, spaces) = ([(text: Substring, spaces: Int)](), line.startIndex, 0)
        var index = line.startIndex
        while index < line.endIndex {
            let gap = line[index...].prefix { $0 == " " }
            if gap.count > 1 {
                found.append((line[start..<index], spaces))
                (start, spaces) = (gap.endIndex, gap.count)
            }
            index = gap.isEmpty ? line.index(after: index) : gap.endIndex
        }
        if start < line.endIndex { found.append((line[start...], spaces)) }
        return found
    }
}
