import WeirReport

/// Measures and cuts lines that hold colours.
enum ScreenText {
    /// `line` cut to at most `columns` columns, its cut marked by '…'; colours take none, and end where it is cut.
    static func cut(_ line: String, to columns: Int) -> String {
        guard line.utf8.count > columns else { return line }
        var result = ""
        var used = 0
        var isEscape = false
        var isColored = false
        // Where the line would be cut, should it prove too long.
        var end: String?
        for character in line {
            if character == "\u{1B}" { (isEscape, isColored) = (true, true) }
            if isEscape {
                result.append(character)
                if character == "m" { isEscape = false }
                continue
            }
            used += TerminalText.width(String(character))
            if used > columns - 1, end == nil { end = result + "…" + (isColored ? "\u{1B}[0m" : "") }
            if used > columns { return end ?? "" }
            result.append(character)
        }
        return result
    }
}
