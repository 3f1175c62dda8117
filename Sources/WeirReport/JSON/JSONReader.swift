/// A place in a text that is not JSON.
package struct JSONError: Error, Equatable {
    /// Line and column, from 1; columns count bytes.
    package let line: Int, column: Int
    /// The fault there: "a ',' or ']' is missing".
    package let problem: String
}

/// Reads JSON (RFC 8259) that people write.
struct JSONReader {
    /// Deeper documents are refused.
    private static let deepest = 64

    private let bytes: [UInt8]
    private var place = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The value of a whole text.
    static func value(of text: String) throws(JSONError) -> JSONValue {
        var reader = JSONReader(text)
        let value = try reader.value(depth: 0)
        reader.skipSpaces()
        if reader.place < reader.bytes.count { throw reader.error("the document ends before this") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpaces()
        if depth > Self.deepest { throw error("it is nested more than \(Self.deepest) levels deep") }
        guard let current else { throw error("a value is missing") }
        switch current {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error("this is no JSON value")
        }
    }

    private mutating func object(_ depth: Int) throws(JSONError) -> JSONValue {
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        place += 1
        if takes("}") { return .object([]) }
        repeat {
            skipSpaces()
            guard current == UInt8(ascii: "\"") else { throw error("a name in double quotes is missing") }
            let start = place
            let name = try string()
            guard names.insert(name).inserted else {
                place = start
                throw error("\"\(name)\" is given twice")
            }
            guard takes(":") else { throw error("a ':' is missing") }
            members.append(.init(name: name, value: try value(depth: depth + 1)))
        } while takes(",")
        guard takes("}") else { throw error("a ',' or '}' is missing") }
        return .object(members)
    }

    private mutating func array(_ depth: Int) throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        place += 1
        if takes("]") { return .array([]) }
        repeat { elements.append(try value(depth: depth + 1)) } while takes(",")
        guard takes("]") else { throw error("a ',' or ']' is missing") }
        return .array(elements)
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[place...].starts(with: word.utf8) else { throw error("this is no JSON value") }
        place += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = place
        while let byte = current, "+-.0123456789eE".utf8.contains(byte) { place += 1 }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        let digits = text.drop { $0 == "-" }
        let hasZero = digits.count > 1 && digits.first == "0" && digits.dropFirst().first?.isNumber == true
        guard !hasZero, digits.first?.isNumber == true, text.last?.isNumber == true, let number = Double(text),
            number.isFinite
        else {
            place = start
            throw error("this is no number")
        }
        if let whole = Int64(text) { return .signed(whole) }
        return .double(number)
    }

    private mutating func string() throws(JSONError) -> String {
        var result: [UInt8] = []
        place += 1
        while let byte = current {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(&result)
            case 0..<0x20:
                place -= 1
                throw error("a line break or control character in a text must be escaped")
            default: result.append(byte)
            }
        }
        throw error("a '\"' is missing")
    }

    private mutating func escape(_ result: inout [UInt8]) throws(JSONError) {
        let plain: [UInt8: UInt8] = [
            UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 8,
            UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
        ]
        guard let byte = current else { throw error("a '\"' is missing") }
        place += 1
        if let plain = plain[byte] { return result.append(plain) }
        guard byte == UInt8(ascii: "u"), var code = unit() else {
            place -= 1
            throw error("there is no such escape")
        }
        if (0xD800..<0xDC00).contains(code), bytes[place...].starts(with: "\\u".utf8) {
            place += 2
            guard let low = unit(), (0xDC00..<0xE000).contains(low) else {
                throw error("half of a surrogate pair is missing")
            }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw error("half of a surrogate pair is missing") }
        result += Array(String(Character(scalar)).utf8)
    }

    /// Four hexadecimal digits.
    private mutating func unit() -> UInt32? {
        guard place + 4 <= bytes.count else { return nil }
        let text = String(decoding: bytes[place..<place + 4], as: UTF8.self)
        guard text.allSatisfy(\.isHexDigit), let code = UInt32(text, radix: 16) else { return nil }
        place += 4
        return code
    }

    private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpaces() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    /// Takes a character after spaces, if it is there.
    private mutating func takes(_ mark: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard current == UInt8(ascii: mark) else { return false }
        place += 1
        return true
    }

    private func error(_ problem: String) -> JSONError {
        let before = bytes[..<min(place, bytes.count)]
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JSONError(
            line: before.count { $0 == 0x0A } + 1, column: before.count - start + 1, problem: problem)
    }
}
