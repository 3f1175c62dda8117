import WeirReport

/// Measures and cuts lines that contain colours.
enum ScreenText {
    /// `line` cut to at most `columns` columns, with '…' at the cut; colours take no columns, and end at the cut.
    static func cut(_ line: String, to columns: Int) -> String {
        guard line.utf8.count > columns else { return line }
        var result = ""
        var used = 0
        var isEscape = false
        var isColored = false
        // The cut position, in case the line proves too long.
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
