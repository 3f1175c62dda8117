/// Text that is safe in a picture: it neither breaks the XML nor overflows its box.
enum SVGText {
    /// `text` for the content of an element or an attribute; unsafe characters become escapes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.escaped(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // Noncharacters. The controls that XML 1.0 forbids are escaped by now.
            case _ where scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value):
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `text` on at most `columns` columns, without stacks of combining marks.
    static func cut(_ text: String, to columns: Int) -> String {
        // Escapes are as wide as they are long, so they count as well.
        let shown = TerminalText.escaped(String(text.unicodeScalars.prefix(columns * 4)))
        let cut = TerminalText.cut(shown, to: columns)
        return text.unicodeScalars.count > columns * 4 && !cut.hasSuffix("…") ? cut + "…" : cut
    }

    /// `text` on lines of at most `columns` columns; a line ends after a dot, a space or the like, if there is one.
    ///
    /// Only a text that fills eight lines is cut.
    static func wrapped(_ text: String, to columns: Int) -> [String] {
        var (lines, line, width) = ([String](), "", 0)
        // Where the line may end, with its width up to there.
        var stop: (end: String.Index, width: Int)?
        for character in cut(text, to: 8 * columns - 8) {
            let own = TerminalText.width(String(character))
            if width + own > columns {
                let end = stop?.end ?? line.endIndex
                lines.append(String(line[..<end]))
                line = String(line[end...].drop { $0 == " " })
                (width, stop) = (TerminalText.width(line), nil)
            }
            // Not a stack of combining marks.
            line.unicodeScalars += character.unicodeScalars.prefix(10)
            width += own
            if ". :,/])…".contains(character), width > columns / 3 { stop = (line.endIndex, width) }
        }
        return lines + (line.isEmpty && !lines.isEmpty ? [] : [line])
    }

    /// The part of `text` that a tooltip shows.
    static func start(_ text: String) -> String {
        let start = String(text.unicodeScalars.prefix(300))
        return start.utf8.count < text.utf8.count ? start + "…" : start
    }

    /// The width of `text` in a monospaced font, based on the widest such font in use.
    static func width(_ text: String, size: Double) -> Double { Double(TerminalText.width(text)) * size * 0.61 }

    /// A coordinate, to a tenth.
    static func number(_ value: Double) -> String {
        let tenths = Int((min(max(value, -1e12), 1e12) * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, tenth) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return tenth == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(tenth)"
    }

    /// A count in a short form: "1,204", "83.1k", "12M".
    static func count(_ number: UInt64) -> String {
        guard number >= 10_000 else { return Figures.count(number) }
        var (unit, suffix): (UInt64, String) = (1000, "k")
        for next in ["M", "G", "T", "P"] where number / unit >= 1000 { (unit, suffix) = (unit * 1000, next) }
        let (whole, rest) = number.quotientAndRemainder(dividingBy: unit)
        let tenth = rest / (unit / 10)
        return whole >= 100 || tenth == 0 ? "\(Figures.count(whole))\(suffix)" : "\(whole).\(tenth)\(suffix)"
    }
}
