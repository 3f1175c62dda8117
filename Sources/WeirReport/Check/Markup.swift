import WeirTrace

/// Writes text from a trace into XML and Markdown.
enum Markup {
    /// Text for an XML element or an attribute in double quotes.
    static func xml(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            // XML 1.0 has no other control characters, and neither U+FFFE nor U+FFFF.
            case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Text inside a line of Markdown, without meaning as Markdown or HTML.
    static func markdown(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\", "`", "*", "_", "[", "]", "(", ")", "#", "|", "~", "!": result += "\\" + String(scalar)
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            // A name after it would be notified.
            case "@": result += "@\u{200B}"
            case "\n", "\r": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Text as code in a line of Markdown.
    static func code(_ text: String) -> String {
        let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        let space = longest > 0 ? " " : ""
        return fence + space + text.filter { $0 != "\n" } + space + fence
    }

    /// Lines as a block of code in Markdown.
    static func block(_ lines: [String]) -> [String] {
        let longest = lines.flatMap { $0.split { $0 != "`" }.map(\.count) }.max() ?? 0
        let fence = String(repeating: "`", count: max(3, longest + 1))
        return [fence + "text"] + lines + [fence]
    }
}
