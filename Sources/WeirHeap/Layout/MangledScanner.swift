/// Splits a mangled name into tokens, and rejects forms that it does not know.
struct MangledScanner {
    private let name: MangledType
    private var place: UInt = 0

    /// The tokens of `name`; nil if its form is unknown.
    static func tokens(of name: MangledType) -> [MangledToken]? {
        var scanner = MangledScanner(name: name)
        var tokens: [MangledToken] = []
        while scanner.place < name.length {
            guard let token = scanner.token(), token.end <= name.length else { return nil }
            tokens.append(token)
        }
        return tokens
    }

    private init(name: MangledType) { self.name = name }

    private var peek: UInt8 { name.byte(place) }

    private mutating func take() -> UInt8 {
        defer { place &+= 1 }
        return peek
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        if peek != UInt8(ascii: scalar) { return false }
        place &+= 1
        return true
    }

    private mutating func take(anyOf letters: String) -> Bool {
        if peek == 0 || !letters.utf8.contains(peek) { return false }
        place &+= 1
        return true
    }

    private mutating func number() -> Int? {
        var value = 0
        let start = place
        while case 48...57 = peek, value < 1 << 20 { value = value * 10 + Int(take() - 48) }
        return place > start && value < 1 << 20 ? value : nil
    }

    /// `_` is 0, `0_` is 1, and so on.
    private mutating func index() -> Int? {
        if take("_") { return 0 }
        guard let value = number(), take("_") else { return nil }
        return value + 1
    }

    /// The depth and index of a generic parameter, after its `q`.
    private mutating func parameter() -> (depth: Int, index: Int)? {
        if take("d") {
            guard let depth = index(), let index = index() else { return nil }
            return (depth + 1, index)
        }
        if take("z") { return (0, 0) }
        return index().map { (0, $0 + 1) }
    }

    private mutating func token() -> MangledToken? {
        let start = place
        let letter = take()
        var token = MangledToken(kind: .other, start: start, end: 0, letter: letter)
        if letter < 0x20 {
            token.kind = .symbolic
            place = start &+ MangledType.width(letter)
        } else if !scan(letter, &token) {
            return nil
        }
        token.end = place
        return token
    }

    private mutating func scan(_ letter: UInt8, _ token: inout MangledToken) -> Bool {
        switch Unicode.Scalar(letter) {
        case "S": return standard(&token)
        case "A": return substitution(&token)
        case "B":
            token.kind = .builtin
            return take(anyOf: "ifv") ? index() != nil : take() != 0
        case "x": token.kind = .generic
        case "q":
            guard let parameter = parameter() else { return false }
            token.kind = .generic
            (token.depth, token.index) = parameter
        case "Q": return associated(&token)
        case "X":
            token.kind = .extended
            token.letter = take()
            if token.letter == UInt8(ascii: "M") || token.letter == UInt8(ascii: "m") { return take() != 0 }
        case "Y": if take() == UInt8(ascii: "j") { return take() != 0 }
        case "R": return take("i") && index() != nil && parameter() != nil
        case "L": return take(anyOf: "Ll") || index() != nil
        case "I": return lowered(&token)
        case "0"..."9":
            place = token.start
            return identifier()
        default: return "y_tmcGznhKplrPCVOaDdj".utf8.contains(letter)
        }
        return true
    }

    private mutating func standard(_ token: inout MangledToken) -> Bool {
        token.kind = .standard
        if take(anyOf: "oCg") { return true }
        _ = number()
        _ = take("c")
        return take() != 0
    }

    private mutating func substitution(_ token: inout MangledToken) -> Bool {
        token.kind = .substitution
        while true {
            _ = number()
            let letter = take()
            if letter == 0 { return false }
            if letter == UInt8(ascii: "_") || (65...90).contains(letter) { return true }
        }
    }

    /// A type associated with a parameter. Rejects packs, because the runtime ends the process over them.
    private mutating func associated(_ token: inout MangledToken) -> Bool {
        if take(anyOf: "zZ") {
            token.kind = .generic
        } else if take(anyOf: "yY") {
            guard let parameter = parameter() else { return false }
            token.kind = .generic
            (token.depth, token.index) = parameter
        } else {
            return take(anyOf: "xX")
        }
        return true
    }

    private mutating func identifier() -> Bool {
        var hasWords = false
        var isEncoded = false
        if take("0") {
            isEncoded = take("0")
            hasWords = !isEncoded
        }
        repeat {
            while hasWords {
                let letter = peek
                let isLast = (65...90).contains(letter)
                if !isLast && !(97...122).contains(letter) { break }
                place &+= 1
                if isLast { hasWords = false }
            }
            if take("0") { break }
            guard let length = number(), length > 0 else { return false }
            if isEncoded { _ = take("_") }
            place &+= UInt(length)
        } while hasWords
        return place <= name.length
    }

    /// The attributes of a lowered function type, up to its `_`.
    private mutating func lowered(_ token: inout MangledToken) -> Bool {
        token.kind = .lowered
        token.isSubstituted = take("s")
        let isInvocation = take("I")
        token.isSimple = !token.isSubstituted && !isInvocation
        if isInvocation { token.isSubstituted = false }
        _ = take("P")
        token.escapes = take("e")
        _ = take("A")
        _ = take(anyOf: "dflr")
        switch Unicode.Scalar(take()) {
        case "t": token.isThick = false
        case "y", "g", "x": token.isThick = true
        default: return false
        }
        // `zB` and `zC` are conventions of C. `z` alone is the convention of an error that is thrown without another operand.
        if peek == UInt8(ascii: "z"), "BC".utf8.contains(name.byte(place &+ 1)) { return false }
        if take("B") {
            token.isThick = false
            token.isSimple = false
        } else if take("C") {
            token.isThick = false
        } else {
            _ = take(anyOf: "MJKW")
        }
        while true {
            let letter = take()
            switch letter {
            case 0: return false
            case UInt8(ascii: "_"): return true
            case UInt8(ascii: "h"), UInt8(ascii: "w"), UInt8(ascii: "z"): continue
            case 65...90 where letter != UInt8(ascii: "X"): continue
            default: token.operands += 1
            }
        }
    }
}

/// A part of a mangled name: an operator or operand of its grammar, without the tree that they form.
struct MangledToken {
    enum Kind {
        /// A reference to a descriptor.
        case symbolic
        /// A repeated reference to something named before.
        case substitution
        /// A type of the standard library.
        case standard
        case builtin
        case generic
        /// A function type at run time: the types and conventions of its parameters and results.
        case lowered
        /// An operator that begins with X; `letter` is its second letter.
        case extended
        case other
    }

    var kind: Kind
    /// Indexes of bytes in the name.
    var start: UInt
    var end: UInt
    var letter: UInt8 = 0
    /// The depth of a generic parameter; `index` belongs to it.
    var depth = 0
    var index = 0
    /// The number of types that precede a lowered function type.
    var operands = 0
    /// Whether the function has a context besides its code.
    var isThick = false
    /// Whether the function owns its context.
    var escapes = false
    /// Whether the function type has no substitutions of its own.
    var isSimple = true
    /// Whether a generic signature and its arguments, a list of types that begins with `y`, follow those types.
    var isSubstituted = false

    /// The number of bytes.
    var length: UInt { end &- start }

    /// Whether the token is this single letter.
    func isLetter(_ scalar: Unicode.Scalar) -> Bool { kind == .other && letter == UInt8(ascii: scalar) }
}
