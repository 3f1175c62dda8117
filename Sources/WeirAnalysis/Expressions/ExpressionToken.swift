import WeirTrace

/// A word of an expression, and its position.
struct ExpressionToken: Equatable {
    enum Content: Equatable {
        case name(String)
        /// A name between backquotes, or '#12': never a keyword.
        case quotedName(String)
        case literal(TraceValue)
        case symbol(String)
        case end
    }

    let content: Content
    /// The word as written.
    let text: String
    let column: Int
}

/// Cuts an expression into words.
struct ExpressionScanner {
    private let characters: [Character]
    private var place = 0

    init(_ text: String) { characters = Array(text) }

    mutating func next() throws(ExpressionError) -> ExpressionToken {
        while let character = peek, character.isWhitespace { place += 1 }
        let start = place
        let content = try content()
        return ExpressionToken(content: content, text: String(characters[start..<place]), column: start + 1)
    }

    private var peek: Character? { place < characters.count ? characters[place] : nil }

    private mutating func content() throws(ExpressionError) -> ExpressionToken.Content {
        guard let first = peek else { return .end }
        let following = place + 1 < characters.count ? characters[place + 1] : nil
        switch first {
        case "\"": return .literal(.string(try string()))
        case "`": return .quotedName(try backquoted())
        case "#":
            place += 1
            let digits = take { $0.isDigit }
            guard UInt32(digits) != nil else { throw error(.badNumber("#" + digits), place - digits.count) }
            return .quotedName(digits)
        case "-" where following?.isDigit ?? false, "0"..."9": return .literal(try number())
        case _ where first.isNameHead:
            let name = take { $0.isNameHead || $0.isDigit || $0 == "." || $0 == ":" }
            switch name {
            case "true": return .literal(.bool(true))
            case "false": return .literal(.bool(false))
            case "nil": return .literal(.nil)
            default: return .name(name)
            }
        default: return .symbol(try symbol(first, following))
        }
    }

    private mutating func symbol(_ first: Character, _ following: Character?) throws(ExpressionError) -> String {
        let pair = String(first) + (following.map(String.init) ?? "")
        if ["==", "!=", "<=", ">=", "&&", "||"].contains(pair) {
            place += 2
            return pair
        }
        if "=&|".contains(first) { throw error(.singleOperator(String(first)), place + 1) }
        place += 1
        return String(first)
    }

    private mutating func number() throws(ExpressionError) -> TraceValue {
        let start = place
        if peek == "-" { place += 1 }
        _ = take { $0.isDigit || $0 == "_" }
        var isDecimal = false
        if peek == ".", place + 1 < characters.count, characters[place + 1].isDigit {
            isDecimal = true
            place += 1
            _ = take { $0.isDigit || $0 == "_" }
        }
        if peek == "e" || peek == "E" {
            isDecimal = true
            place += 1
            if peek == "-" || peek == "+" { place += 1 }
            _ = take { $0.isDigit }
        }
        // Characters attached to a number make it malformed, as in '12ms'.
        _ = take { $0.isNameHead || $0.isDigit || $0 == "." }
        let text = String(characters[start..<place])
        let digits = text.filter { $0 != "_" }
        if isDecimal, let number = Double(digits), number.isFinite { return .double(number) }
        if !isDecimal, let number = Int64(digits) { return .signed(number) }
        if !isDecimal, let number = UInt64(digits) { return .unsigned(number) }
        throw error(.badNumber(text), start + 1)
    }

    private mutating func string() throws(ExpressionError) -> String {
        let start = place
        var result = ""
        place += 1
        while let character = peek {
            place += 1
            switch character {
            case "\"": return result
            case "\\": result.unicodeScalars.append(try escape(start))
            default: result.append(character)
            }
        }
        throw error(.stringWithoutEnd, start + 1)
    }

    private mutating func escape(_ start: Int) throws(ExpressionError) -> Unicode.Scalar {
        guard let character = peek else { throw error(.stringWithoutEnd, start + 1) }
        place += 1
        switch character {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "0": return "\0"
        case "\"", "\\", "'": return character.unicodeScalars.first ?? "\\"
        case "u" where peek == "{":
            let begin = place
            place += 1
            let digits = take { $0.isHexDigit }
            if peek == "}", digits.count <= 8, let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) {
                place += 1
                return scalar
            }
            throw error(.unknownEscape("\\u{" + digits), begin - 1)
        default: throw error(.unknownEscape("\\" + String(character)), place - 1)
        }
    }

    private mutating func backquoted() throws(ExpressionError) -> String {
        let start = place
        place += 1
        let name = take { $0 != "`" }
        guard peek == "`", !name.isEmpty else { throw error(.nameWithoutEnd, start + 1) }
        place += 1
        return name
    }

    private mutating func take(while belongs: (Character) -> Bool) -> String {
        let start = place
        while let character = peek, belongs(character) { place += 1 }
        return String(characters[start..<place])
    }

    private func error(_ problem: ExpressionError.Problem, _ column: Int) -> ExpressionError {
        ExpressionError(problem: problem, column: column)
    }
}

extension Character {
    fileprivate var isDigit: Bool { "0"..."9" ~= self }
    fileprivate var isNameHead: Bool { isLetter || self == "_" || self == "$" }
}
