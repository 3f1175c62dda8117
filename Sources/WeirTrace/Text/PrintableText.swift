/// Makes foreign text safe and plain to print: names, values, paths, arguments, environment variables.
///
/// All foreign text that the library and the command print passes through here.
package enum PrintableText {
    /// `text` with every scalar escaped that could control a terminal, reorder a line or stay invisible.
    ///
    /// Emoji keep their joiners and variation selectors. A byte of a path that is not UTF-8 (`SystemText`) is written as
    /// '\xE9'. Escapes in the text stay as they are, unless quotation marks are escaped.
    ///
    /// - Parameter isQuoted: whether to escape quotation marks and backslashes as well.
    package static func escaped(_ text: some StringProtocol, isQuoted: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { mustBeEscaped($0) || isQuoted && isQuoteOrBackslash($0) })
        else { return String(text) }
        var result = ""
        let scalars = Array(text.unicodeScalars)
        for (place, scalar) in scalars.enumerated() {
            if isQuoted, isQuoteOrBackslash(scalar) {
                result += #"\"#
                result.unicodeScalars.append(scalar)
            } else if mustBeEscaped(scalar), !belongsToEmoji(scalars, place) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `text` escaped, and cut to `scalars` scalars: environment variables may be very long.
    package static func brief(_ text: String, scalars: Int = 400) -> String {
        let start = text.unicodeScalars.prefix(scalars)
        return escaped(String(start)) + (start.endIndex == text.unicodeScalars.endIndex ? "" : "…")
    }

    /// Whether a scalar must not be printed as it is.
    ///
    /// This applies to controls, line separators, bidirectional marks, and invisible characters (Unicode's
    /// Default_Ignorable_Code_Point, including tags).
    package static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        case ..<0xAD: false
        case 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F,
            0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB,
            0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF:
            true
        default: SystemText.byte(of: scalar) != nil
        }
    }

    private static func isQuoteOrBackslash(_ scalar: Unicode.Scalar) -> Bool { scalar == "\"" || scalar == "\\" }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        default:
            if let byte = SystemText.byte(of: scalar) {
                #"\x"# + String(byte, radix: 16, uppercase: true)
            } else {
                #"\u{\#(String(scalar.value, radix: 16, uppercase: true))}"#
            }
        }
    }

    /// Whether the scalar joins emoji, or selects the presentation of the previous one.
    private static func belongsToEmoji(_ scalars: [Unicode.Scalar], _ place: Int) -> Bool {
        let (joiner, textual, pictorial): (UInt32, UInt32, UInt32) = (0x200D, 0xFE0E, 0xFE0F)
        guard place > 0 else { return false }
        let before = scalars[place - 1]
        switch scalars[place].value {
        case textual, pictorial: return isEmoji(before)
        case joiner:
            guard place + 1 < scalars.count, isEmoji(scalars[place + 1]) else { return false }
            return isEmoji(before) || before.value == pictorial && place > 1 && isEmoji(scalars[place - 2])
        default: return false
        }
    }

    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x7F && scalar.properties.isEmoji }
}
