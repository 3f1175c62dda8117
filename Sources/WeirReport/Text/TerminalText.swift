import WeirTrace

/// Makes text from a trace safe and plain for a terminal.
package enum TerminalText {
    /// `text` with every character escaped that could control a terminal, reorder a line or stay invisible.
    ///
    /// This covers control characters (C0, DEL, C1), line and paragraph separators, bidirectional marks, and invisible
    /// characters outside emoji. Everything else stays as it is.
    package static func escaped(_ text: some StringProtocol) -> String { PrintableText.escaped(text) }

    /// `text` between quotation marks, escaped, including its own quotation marks and backslashes.
    package static func quoted(_ text: String, end: String = "") -> String {
        "\"" + PrintableText.escaped(text, isQuoted: true) + end + "\""
    }

    /// `text` as one word of a shell command line: as it is, or between single quotation marks.
    package static func argument(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
            default: "-_./%+,:=@".utf8.contains(byte)
            }
        }
        if plain && !text.isEmpty { return escaped(text) }
        return "'"
            + text.split(separator: "'", omittingEmptySubsequences: false).map(escaped).joined(separator: #"'\''"#)
            + "'"
    }

    /// Whether a scalar must not reach a terminal unescaped.
    package static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool { PrintableText.mustBeEscaped(scalar) }

    /// The width of `text` on a terminal, in columns: two for wide characters, none for combining ones.
    package static func width(_ text: some StringProtocol) -> Int {
        var width = 0
        for character in text {
            guard let first = character.unicodeScalars.first else { continue }
            width += isWide(first) ? 2 : 1
        }
        return width
    }

    /// `text` cut to at most `columns` columns; '…' marks the cut.
    package static func cut(_ text: String, to columns: Int) -> String {
        // A count of the bytes suffices for most texts: no character is wider than its UTF-8 is long.
        guard text.utf8.count > columns, width(text) > columns else { return text }
        var result = ""
        var used = 0
        for character in text {
            let wide = width(String(character))
            guard used + wide < columns else { break }
            result.append(character)
            used += wide
        }
        return result + "…"
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
