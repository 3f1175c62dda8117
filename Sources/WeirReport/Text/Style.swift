/// Colours for a terminal, or none.
package struct Style: Sendable {
    /// The role of a piece of text, which determines its colour.
    package enum Role: String, Sendable {
        /// A heading, or the figure that matters.
        case strong = "1"
        /// Secondary text: ids, sites, times.
        case faint = "2"
        /// The name of a node.
        case name = "36"
        /// A recorded value.
        case value = "32"
        /// Losses, damage, and suppressed values.
        case warning = "33"
    }

    /// Whether anything is coloured at all.
    package let isColored: Bool

    /// A style with or without colours.
    package init(isColored: Bool) {
        self.isColored = isColored
    }

    /// No colours.
    package static let plain = Style(isColored: false)

    /// `text` in the colour of its role.
    ///
    /// `text` must be escaped already.
    package func callAsFunction(_ role: Role, _ text: String) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The width of a text on a terminal, in columns; colours take none.
    static func width(_ text: String) -> Int {
        guard text.utf8.contains(0x1B) else { return TerminalText.width(text) }
        var visible = ""
        var isEscape = false
        for scalar in text.unicodeScalars {
            if scalar == "\u{1B}" { isEscape = true }
            if !isEscape { visible.unicodeScalars.append(scalar) }
            if isEscape && scalar == "m" { isEscape = false }
        }
        return TerminalText.width(visible)
    }
}
