/// A JSON value whose objects keep their members in the given order.
package enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number, written with all its digits.
    case signed(Int64)
    /// A whole number above or equal to 0, written with all its digits.
    case unsigned(UInt64)
    /// A number, written so that reading it gives the same `Double`.
    case double(Double)
    /// A number, written so that reading it gives the same `Float`.
    case float(Float)
    /// Text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members in their order.
    case object([Member])

    /// One member of an object.
    package struct Member: Sendable, Equatable {
        /// The name.
        package let name: String
        /// The value.
        package let value: JSONValue

        /// A member.
        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The text on one line, without spaces.
    ///
    /// Characters that could control a terminal are escaped. Numbers that JSON cannot express (NaN, the infinities) become
    /// strings.
    package var text: String {
        var result = ""
        write(to: &result)
        return result
    }

    /// The text over several lines, indented by two spaces.
    package var indentedText: String {
        var result = ""
        write(to: &result, indent: 0)
        return result
    }

    private func write(to output: inout String, indent: Int? = nil) {
        switch self {
        case .null: output += "null"
        case .bool(let bool): output += bool ? "true" : "false"
        case .signed(let number): output += String(number)
        case .unsigned(let number): output += String(number)
        case .double(let number) where number.isFinite: output += String(number)
        case .double(let number): Self.write(String(number), to: &output)
        case .float(let number) where number.isFinite: output += String(number)
        case .float(let number): Self.write(String(number), to: &output)
        case .string(let string): Self.write(string, to: &output)
        case .array(let elements):
            Self.write("[", "]", elements, to: &output, indent) { $0.write(to: &$1, indent: $2) }
        case .object(let members):
            Self.write("{", "}", members, to: &output, indent) { member, output, indent in
                Self.write(member.name, to: &output)
                output += indent == nil ? ":" : ": "
                member.value.write(to: &output, indent: indent)
            }
        }
    }

    private static func write<Element>(
        _ open: String, _ close: String, _ elements: [Element], to output: inout String, _ indent: Int?,
        each: (Element, inout String, Int?) -> Void
    ) {
        output += open
        for (index, element) in elements.enumerated() {
            if index > 0 { output += "," }
            if let indent { output += "\n" + String(repeating: "  ", count: indent + 1) }
            each(element, &output, indent.map { $0 + 1 })
        }
        if let indent, !elements.isEmpty { output += "\n" + String(repeating: "  ", count: indent) }
        output += close
    }

    private static func write(_ string: String, to output: inout String) {
        output += "\""
        defer { output += "\"" }
        // Most strings need no escapes.
        if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
            output += string
            return
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case _ where TerminalText.mustBeEscaped(scalar):
                for unit in UTF16.encode(scalar) ?? .init() {
                    let digits = String(unit, radix: 16)
                    output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: output.unicodeScalars.append(scalar)
            }
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral {
    /// A string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// A truth value.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An object with its members in this order.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
