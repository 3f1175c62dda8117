import WeirTrace

/// The parts of a value with a description such as `User(name: "x", age: 3)` or `[1, 2]`.
struct ValueFields: Equatable {
    /// "User", or "[" of a list.
    let type: String
    /// Each part with its name, or its number in the value.
    let parts: [(name: String, text: String)]

    /// Nil if the value has no parts, or the trace does not hold its whole description.
    init?(_ value: TraceValue) {
        switch value {
        case .described(let text), .hashedDescription(let text, isCut: false, fingerprint: _): self.init(text)
        default: return nil
        }
    }

    /// Nil if the text is not that of a structure or list.
    init?(_ text: String) {
        guard let opening = text.firstIndex(where: { $0 == "(" || $0 == "[" || $0 == "\"" }), text[opening] != "\""
        else {
            return nil
        }
        let name = text[..<opening]
        let isList = text[opening] == "["
        guard isList ? name.isEmpty && text.hasSuffix("]") : !name.isEmpty && text.hasSuffix(")"),
            name.allSatisfy({ $0.isLetter || $0.isNumber || "_.<>".contains($0) }),
            case let inside = text[text.index(after: opening)...].dropLast(), let pieces = Self.pieces(inside)
        else { return nil }
        type = isList ? "[" : String(name)
        parts = pieces.enumerated().map { number, piece in
            guard let colon = Self.endOfName(piece) else { return ("\(number)", piece) }
            return (String(piece[..<colon]), String(piece[piece.index(colon, offsetBy: 2)...]))
        }
    }

    static func == (left: ValueFields, right: ValueFields) -> Bool {
        left.type == right.type && left.parts.map(\.name) == right.parts.map(\.name)
            && left.parts.map(\.text) == right.parts.map(\.text)
    }

    /// The fields in which two values of one type differ; nil: they are of different types, or a text is not there.
    static func differences(_ before: TraceValue, _ after: TraceValue) -> [(
        name: String, before: String, after: String
    )]? {
        guard let old = ValueFields(before), let new = ValueFields(after), old.type == new.type else { return nil }
        let left = Dictionary(old.parts.map { ($0.name, $0.text) }) { first, _ in first }
        let right = Dictionary(new.parts.map { ($0.name, $0.text) }) { first, _ in first }
        var names: [String] = []
        for name in (old.parts + new.parts).map(\.name) where !names.contains(name) { names.append(name) }
        return names.filter { left[$0] != right[$0] }.map { ($0, left[$0] ?? "–", right[$0] ?? "–") }
    }

    /// The texts between commas that lie in no bracket and no string; nil if brackets do not match.
    private static func pieces(_ inside: Substring) -> [String]? {
        var (pieces, piece, depth, isQuoted, isEscaped) = ([String](), "", 0, false, false)
        for letter in inside {
            if isQuoted {
                if isEscaped {
                    isEscaped = false
                } else if letter == "\\" {
                    isEscaped = true
                } else if letter == "\"" {
                    isQuoted = false
                }
            } else {
                switch letter {
                case "\"": isQuoted = true
                case "(", "[", "{": depth += 1
                case ")", "]", "}": depth -= 1
                case "," where depth == 0:
                    pieces.append(piece)
                    piece = ""
                    continue
                default: break
                }
            }
            if depth < 0 { return nil }
            if !(piece.isEmpty && letter == " ") { piece.append(letter) }
        }
        guard depth == 0, !isQuoted else { return nil }
        return piece.isEmpty && pieces.isEmpty ? [] : pieces + [piece]
    }

    /// The position of the colon after a name, or after a key in quotes; nil: the piece has none.
    private static func endOfName(_ piece: String) -> String.Index? {
        var end = piece.startIndex
        if piece.first == "\"" {
            var isEscaped = false
            end = piece.index(after: end)
            while end < piece.endIndex, isEscaped || piece[end] != "\"" {
                isEscaped = !isEscaped && piece[end] == "\\"
                end = piece.index(after: end)
            }
            guard end < piece.endIndex else { return nil }
            end = piece.index(after: end)
        } else {
            while end < piece.endIndex, piece[end].isLetter || piece[end].isNumber || piece[end] == "_" {
                end = piece.index(after: end)
            }
        }
        guard end > piece.startIndex, piece[end...].hasPrefix(": ") else { return nil }
        return end
    }
}
