/// A mistake in a policy or baseline, with its place in the document.
public struct PolicyMistake: Error, Equatable {
    /// What is wrong.
    enum Problem: Equatable {
        /// The text is not JSON.
        case notJSON(JSONError)
        /// An object has a member of another name; the allowed ones.
        case unknownMember(String, allowed: [String])
        /// A member is missing.
        case missing(String)
        /// A value is of another kind, or out of its range.
        case expected(String)
        /// A word is none of the allowed ones.
        case unknownWord(String, allowed: [String])
        /// The document is of another version.
        case version(found: Int64, known: Int64)
        /// A budget or override limits nothing.
        case empty(String)
        /// A metric cannot be limited to a part of the program.
        case needsNoScope(String)
    }

    /// The path in the document: "waivers[2].reason"; empty: the document itself.
    let path: String
    let problem: Problem
}

/// Reads a document by its grammar; the first mistake ends it.
enum PolicyDocument {
    static func check(_ value: JSONValue, _ grammar: PolicyGrammar, at path: String = "") throws(PolicyMistake) {
        func fail(_ problem: PolicyMistake.Problem) -> PolicyMistake { PolicyMistake(path: path, problem: problem) }
        switch (grammar, value) {
        case (.object(let fields), .object(let members)):
            let names = fields.map(\.name)
            for member in members {
                guard let field = fields.first(where: { $0.name == member.name }) else {
                    throw fail(.unknownMember(member.name, allowed: names))
                }
                try check(member.value, field.grammar, at: path.isEmpty ? member.name : "\(path).\(member.name)")
            }
            for field in fields where field.isRequired && value[field.name] == nil { throw fail(.missing(field.name)) }
        case (.rules(let grammar), .object(let members)):
            let names = PolicyGrammar.ruleNames + ["*"]
            for member in members {
                guard names.contains(member.name) else { throw fail(.unknownWord(member.name, allowed: names)) }
                try check(member.value, grammar, at: "\(path).\(member.name)")
            }
        case (.list(let grammar), .array(let elements)):
            for (place, element) in elements.enumerated() { try check(element, grammar, at: "\(path)[\(place)]") }
        case (.text, .string(let text)):
            if text.allSatisfy(\.isWhitespace) { throw fail(.expected("a text that is not empty")) }
        case (.day, .string(let text)): if !isDay(text) { throw fail(.expected("a day, such as \"2026-12-31\"")) }
        case (.choice(let words), .string(let text)):
            if !words.contains(text) { throw fail(.unknownWord(text, allowed: words)) }
        case (.number(let most, let isWhole), .signed), (.number(let most, let isWhole), .double):
            let number = value.number ?? -1
            guard number >= 0, number <= most ?? .infinity, !isWhole || number == number.rounded() else {
                throw fail(.expected(grammar.words))
            }
        case (.version(let known), .signed(let found)):
            if found != known { throw fail(.version(found: found, known: known)) }
        default: throw fail(.expected(grammar.words))
        }
    }

    /// The value of a text that follows the grammar.
    static func value(of text: String, _ grammar: PolicyGrammar) throws(PolicyMistake) -> JSONValue {
        let value: JSONValue
        do { value = try JSONReader.value(of: text) } catch { throw PolicyMistake(path: "", problem: .notJSON(error)) }
        try check(value, grammar)
        return value
    }

    /// Whether a text is a day of the calendar.
    static func isDay(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        return (1...days).contains(day)
    }
}

extension PolicyGrammar {
    /// What the grammar allows: "a list".
    fileprivate var words: String {
        switch self {
        case .object, .rules: "an object { … }"
        case .list: "a list [ … ]"
        case .text: "a text"
        case .day: "a day, such as \"2026-12-31\""
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .number(let most, let isWhole):
            (isWhole ? "a whole number" : "a number") + (most.map { " from 0 to \(Int($0))" } ?? " of 0 or more")
        case .version(let known): "the number \(known)"
        }
    }
}

extension JSONValue {
    /// The member with a name; nil: there is none, or this is no object.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    var number: Double? {
        switch self {
        case .signed(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
