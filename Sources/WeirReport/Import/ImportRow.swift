import WeirTrace

/// A line that cannot be imported.
package struct ImportError: Error, Equatable {
    /// The line, from 1.
    package let line: Int
    /// Its fault: "'kind' is missing".
    package let problem: String

    /// An error in a line.
    package init(line: Int, problem: String) {
        self.line = line
        self.problem = problem
    }
}

/// A row of NDJSON, with its members by name.
struct ImportRow {
    let line: Int
    private let members: [JSONValue.Member]

    init(_ text: String, line: Int) throws(ImportError) {
        self.line = line
        do throws(JSONError) {
            guard case .object(let members) = try JSONReader.value(of: text) else {
                throw JSONError(line: 1, column: 1, problem: "a row is an object")
            }
            self.members = members
        } catch {
            throw ImportError(line: line, problem: "\(error.problem) (column \(error.column))")
        }
    }

    private func member(_ name: String) -> JSONValue? {
        guard let value = members.first(where: { $0.name == name })?.value, value != .null else { return nil }
        return value
    }

    func error(_ problem: String) -> ImportError { ImportError(line: line, problem: problem) }

    /// A text; nil: there is none.
    func text(_ name: String) throws(ImportError) -> String? {
        switch member(name) {
        case nil: return nil
        case .string(let text)?: return text
        default: throw error("'\(name)' must be a text")
        }
    }

    /// A whole number from 0; nil: there is none.
    func integer(_ name: String) throws(ImportError) -> UInt64? {
        switch member(name) {
        case nil: return nil
        case .unsigned(let number)?: return number
        case .signed(let number)? where number >= 0: return UInt64(number)
        case .double(let number)? where number >= 0 && number.rounded() == number && number < 0x1p63:
            return UInt64(number)
        default: throw error("'\(name)' must be a whole number from 0")
        }
    }

    /// An id of 32 bits; nil: there is none.
    func id(_ name: String) throws(ImportError) -> UInt32? {
        guard let number = try integer(name) else { return nil }
        guard let id = UInt32(exactly: number) else { throw error("'\(name)' must be below 4294967296") }
        return id
    }

    func boolean(_ name: String) throws(ImportError) -> Bool? {
        switch member(name) {
        case nil: return nil
        case .bool(let value)?: return value
        default: throw error("'\(name)' must be true or false")
        }
    }

    /// The columns `file` and `line`.
    func site() throws(ImportError) -> TraceSite? {
        guard let file = try text("file") else { return nil }
        return TraceSite(file: file, line: Int(clamping: try integer("line") ?? 0))
    }

    /// The columns `value`, `form` and `fingerprint`; without a form, the JSON value itself is taken.
    func value() throws(ImportError) -> TraceValue? {
        guard let form = try text("form") else {
            switch member("value") {
            case nil: return nil
            case .string(let text)?: return .string(text)
            case .bool(let bool)?: return .bool(bool)
            case .signed(let number)?: return .signed(number)
            case .unsigned(let number)?: return .unsigned(number)
            case .double(let number)?: return .double(number)
            case .float(let number)?: return .float(number)
            case .array?, .object?, .null?: throw error("'value' must be a text, a number, true or false")
            }
        }
        var fingerprint: UInt64?
        if let text = try text("fingerprint") {
            fingerprint = UInt64(text.drop { $0 == "#" }, radix: 16)
            if fingerprint == nil { throw error("'fingerprint' must be hexadecimal") }
        }
        guard let value = ExportedValue(form, try text("value"), fingerprint).value else {
            throw error("'value' is not of the form '\(form)'")
        }
        return value
    }
}
