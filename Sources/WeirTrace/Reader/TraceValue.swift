/// A value in the form in which a trace holds it: one case for each form of the file format.
///
/// Equality compares what was recorded; two values known by equal fingerprints were equal in the run.
public enum TraceValue: Equatable, Sendable, CustomStringConvertible {
    /// No value was recorded because of the value policy, or the event has none.
    case notRecorded
    /// The node is private.
    case withheld
    case void
    case `nil`
    case bool(Bool)
    case signed(Int64)
    case unsigned(UInt64)
    case double(Double)
    case float(Float)
    case string(String)
    /// The beginning of a long string, and the fingerprint of the whole string.
    case cutString(String, fingerprint: UInt64)
    /// A fingerprint, which only shows whether two values are equal.
    case fingerprint(UInt64)
    /// The result of `String(describing:)`.
    case described(String)
    /// The beginning of a long description, and the fingerprint of the whole description.
    case cutDescription(String, fingerprint: UInt64)
    /// A description or its beginning, and the fingerprint of the value itself, which shows whether two values are equal.
    case hashedDescription(String, isCut: Bool, fingerprint: UInt64)
    /// The case of an enum.
    case enumCase(String, CasePayload)
    /// The type cannot be recorded under the trace's value policy.
    case opaque
    /// The form was added by a later version of the format.
    case unknown(form: UInt8)

    /// The recorded form of an enum case's payload.
    public enum CasePayload: Equatable, Sendable {
        /// The case has no payload.
        case none
        /// A fingerprint, which only shows whether two whole values are equal.
        case fingerprint(UInt64)
        /// The case has a payload that is unknown.
        case unknown
        /// The case has no payload, but other values of the node may belong to another enum with a case of that name.
        case noneOfAnyEnum
    }

    /// The value in readable form: `true`, `42`, `"Maruko"`, `‹private›`; control characters are not escaped.
    public var description: String {
        switch self {
        case .notRecorded: "‹not recorded›"
        case .withheld: "‹private›"
        case .void: "()"
        case .nil: "nil"
        case .bool(let value): "\(value)"
        case .signed(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .string(let text): "\"\(text)\""
        case .cutString(let text, _): "\"\(text)…\" (cut)"
        case .fingerprint(let fingerprint): Self.hexadecimal(fingerprint)
        case .described(let text), .hashedDescription(let text, false, _): text
        case .cutDescription(let text, _), .hashedDescription(let text, true, _): "\(text)… (cut)"
        case .enumCase(let name, .none), .enumCase(let name, .noneOfAnyEnum): name
        case .enumCase(let name, _): "\(name)(…)"
        case .opaque: "‹not recordable›"
        case .unknown(let form): "‹value of form \(form)›"
        }
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return "#" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension TraceValue {
    /// Reads a value at the scanner's position; `nil` if there is no well-formed value.
    init?(from scanner: inout ByteScanner) {
        guard let form = scanner.byte() else { return nil }
        switch TraceFormat.ValueForm(rawValue: form) {
        case .notRecorded: self = .notRecorded
        case .withheld: self = .withheld
        case .void: self = .void
        case .nil: self = .nil
        case .false: self = .bool(false)
        case .true: self = .bool(true)
        case .opaque: self = .opaque
        case .signed:
            guard let number = scanner.varint() else { return nil }
            self = .signed(Varint.unzigzag(number))
        case .unsigned:
            guard let number = scanner.varint() else { return nil }
            self = .unsigned(number)
        case .double:
            guard let bits = scanner.fixed(UInt64.self) else { return nil }
            self = .double(Double(bitPattern: bits))
        case .float:
            guard let bits = scanner.fixed(UInt32.self) else { return nil }
            self = .float(Float(bitPattern: bits))
        case .string:
            guard let text = scanner.text() else { return nil }
            self = .string(text)
        case .cutString:
            guard let text = scanner.text(), let whole = scanner.fixed(UInt64.self) else { return nil }
            self = .cutString(text, fingerprint: whole)
        case .fingerprint:
            guard let whole = scanner.fixed(UInt64.self) else { return nil }
            self = .fingerprint(whole)
        case .description:
            guard let text = scanner.text() else { return nil }
            self = .described(text)
        case .cutDescription:
            guard let text = scanner.text(), let whole = scanner.fixed(UInt64.self) else { return nil }
            self = .cutDescription(text, fingerprint: whole)
        case .enumCase:
            guard let count = scanner.varint(), var inner = scanner.part(count) else { return nil }
            self = Self.enumCase(&inner) ?? .unknown(form: form)
        case .hashedDescription:
            guard let count = scanner.varint(), var inner = scanner.part(count) else { return nil }
            self = Self.hashedDescription(&inner) ?? .unknown(form: form)
        case nil:
            guard form >= 32, let count = scanner.varint(), scanner.skip(count) else { return nil }
            self = .unknown(form: form)
        }
    }

    /// Skips a value without decoding it; false exactly if `init(from:)` returns `nil`.
    static func skip(_ scanner: inout ByteScanner) -> Bool {
        guard let form = scanner.byte() else { return false }
        switch TraceFormat.ValueForm(rawValue: form) {
        case .notRecorded, .withheld, .void, .nil, .false, .true, .opaque: return true
        case .signed, .unsigned: return scanner.varint() != nil
        case .double, .fingerprint: return scanner.skip(8)
        case .float: return scanner.skip(4)
        case .string, .description: return scanner.skipText()
        case .cutString, .cutDescription: return scanner.skipText() && scanner.skip(8)
        case .enumCase, .hashedDescription, nil: return form >= 32 && scanner.skipText()
        }
    }

    /// Reads an enum case; nil: its shape is unknown.
    private static func enumCase(_ scanner: inout ByteScanner) -> TraceValue? {
        let payload: CasePayload
        switch scanner.byte().flatMap(TraceFormat.PayloadForm.init) {
        case .none?: payload = .none
        case .fingerprint?:
            guard let whole = scanner.fixed(UInt64.self) else { return nil }
            payload = .fingerprint(whole)
        case .unknown?: payload = .unknown
        case .noneOfAnyEnum?: payload = .noneOfAnyEnum
        case nil: return nil
        }
        return .enumCase(scanner.remainingText(), payload)
    }

    /// Reads a description with a fingerprint; nil: its shape is unknown.
    private static func hashedDescription(_ scanner: inout ByteScanner) -> TraceValue? {
        guard let whole = scanner.fixed(UInt64.self), let isCut = scanner.byte(), isCut < 2 else { return nil }
        return .hashedDescription(scanner.remainingText(), isCut: isCut == 1, fingerprint: whole)
    }
}
