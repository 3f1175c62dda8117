/// A mistake in a policy or baseline, with its place in the document.
package struct PolicyMistake: Error, Equatable {
    /// The mistake.
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

/// Reads a document by its grammar.
enum PolicyDocument {
    /// All mistakes, in the order of the document.
    static func mistakes(in value: JSONValue, _ grammar: PolicyGrammar, at path: String = "") -> [PolicyMistake] {
        func mistake(_ problem: PolicyMistake.Problem) -> [PolicyMistake] {
            [PolicyMistake(path: path, problem: problem)]
        }
        switch (grammar, value) {
        case (.object(let fields), .object(let members)):
            let names = fields.map(\.name)
            let ofMembers = members.flatMap { member in
                guard let field = fields.first(where: { $0.name == member.name }) else {
                    return mistake(.unknownMember(member.name, allowed: names))
                }
                let place = path.isEmpty ? member.name : "\(path).\(member.name)"
                return mistakes(in: member.value, field.grammar, at: place)
            }
            let missing = fields.filter { $0.isRequired && value[$0.name] == nil }
            return ofMembers + missing.flatMap { mistake(.missing($0.name)) }
        case (.rules(let grammar), .object(let members)):
            let names = PolicyGrammar.ruleNames + ["*"]
            return members.flatMap { member in
                names.contains(member.name)
                    ? mistakes(in: member.value, grammar, at: "\(path).\(member.name)")
                    : mistake(.unknownWord(member.name, allowed: names))
            }
        case (.list(let grammar), .array(let elements)):
            return elements.enumerated().flatMap { mistakes(in: $1, grammar, at: "\(path)[\($0)]") }
        case (.text, .string(let text)):
            return text.allSatisfy(\.isWhitespace) ? mistake(.expected("a text that is not empty")) : []
        case (.day, .string(let text)):
            return isDay(text) ? [] : mistake(.expected("a day, such as \"2026-12-31\""))
        case (.choice(let words), .string(let text)):
            return words.contains(text) ? [] : mistake(.unknownWord(text, allowed: words))
        case (.number(let most, let isWhole), .signed), (.number(let most, let isWhole), .double):
            let number = value.number ?? -1
            let isSound = number >= 0 && number <= most ?? .infinity && (!isWhole || number == number.rounded())
            return isSound ? [] : mistake(.expected(grammar.words))
        case (.version(let known), .signed(let found)):
            return found == known ? [] : mistake(.version(found: found, known: known))
        default: return mistake(.expected(grammar.words))
        }
    }

    /// The value of a text that is JSON.
    static func value(of text: String) throws(PolicyMistake) -> JSONValue {
        do { return try JSONReader.value(of: text) } catch { throw PolicyMistake(path: "", problem: .notJSON(error)) }
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
    /// The form that the grammar allows: "a list".
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
