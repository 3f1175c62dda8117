/// A key as a terminal sends it.
enum TerminalKey: Equatable {
    case character(Character)
    case enter, escape, backspace, tab
    case up, down, left, right, home, end, pageUp, pageDown
    /// A letter with the control key: "c".
    case control(Character)
    /// An unknown sequence.
    case unknown

    /// Takes the first key off `bytes`; nil if they end within one, and more must be read first.
    ///
    /// `isComplete`: nothing more will come soon, so a lone escape is the escape key.
    static func take(from bytes: inout [UInt8], isComplete: Bool) -> TerminalKey? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B: return takeSequence(from: &bytes, isComplete: isComplete)
        case 0x0D, 0x0A: return taken(1, .enter, &bytes)
        case 0x09: return taken(1, .tab, &bytes)
        case 0x7F, 0x08: return taken(1, .backspace, &bytes)
        case 0x01...0x1A: return taken(1, .control(Character(Unicode.Scalar(first + 0x60))), &bytes)
        case 0..<0x20: return taken(1, .unknown, &bytes)
        case ..<0x80: return taken(1, .character(Character(Unicode.Scalar(first))), &bytes)
        default: return takeCharacter(from: &bytes, isComplete: isComplete)
        }
    }

    private static func taken(_ count: Int, _ key: TerminalKey, _ bytes: inout [UInt8]) -> TerminalKey {
        bytes.removeFirst(min(count, bytes.count))
        return key
    }

    /// A character of several bytes of UTF-8.
    private static func takeCharacter(from bytes: inout [UInt8], isComplete: Bool) -> TerminalKey? {
        let length = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : bytes[0] >= 0xC0 ? 2 : 1
        guard bytes.count >= length || isComplete else { return nil }
        let text = String(decoding: bytes.prefix(length), as: UTF8.self)
        guard text.unicodeScalars.count == 1, let character = text.first, character != "\u{FFFD}" else {
            return taken(1, .unknown, &bytes)
        }
        return taken(length, .character(character), &bytes)
    }

    /// Takes "ESC [ A", "ESC O A", "ESC [ 5 ~" and similar sequences.
    private static func takeSequence(from bytes: inout [UInt8], isComplete: Bool) -> TerminalKey? {
        guard bytes.count > 1 else { return isComplete ? taken(1, .escape, &bytes) : nil }
        guard bytes[1] == 0x5B || bytes[1] == 0x4F else { return taken(1, .escape, &bytes) }
        // Parameters and intermediate bytes are below the byte that ends a sequence.
        guard let end = bytes.indices.dropFirst(2).first(where: { bytes[$0] >= 0x40 }) else {
            return isComplete || bytes.count > 32 ? taken(bytes.count, .unknown, &bytes) : nil
        }
        let parameter = bytes[2..<end].first
        let key: TerminalKey =
            switch (bytes[end], parameter) {
            case (0x41, _): .up
            case (0x42, _): .down
            case (0x43, _): .right
            case (0x44, _): .left
            case (0x48, _), (0x7E, 0x31), (0x7E, 0x37): .home
            case (0x46, _), (0x7E, 0x34), (0x7E, 0x38): .end
            case (0x7E, 0x35): .pageUp
            case (0x7E, 0x36): .pageDown
            default: .unknown
            }
        return taken(end + 1, key, &bytes)
    }
}
