import WeirTrace

extension TraceValue {
    /// The value itself if JSON can express it; text if only a text or fingerprint is known; else null.
    var json: JSONValue {
        switch self {
        case .notRecorded, .withheld, .void, .nil, .opaque, .unknown: .null
        case .bool(let bool): .bool(bool)
        case .signed(let number): .signed(number)
        case .unsigned(let number): .unsigned(number)
        case .double(let number): .double(number)
        case .float(let number): .float(number)
        case .string(let text), .cutString(let text, _), .described(let text), .cutDescription(let text, _),
            .hashedDescription(let text, _, _):
            .string(text)
        case .enumCase(let name, _): .string(name)
        case .fingerprint: .string(description)
        }
    }

    /// The fingerprint that decides whether two values are equal, if the value has one besides its text.
    var fingerprint: UInt64? {
        switch self {
        case .cutString(_, let number), .cutDescription(_, let number), .hashedDescription(_, _, let number),
            .enumCase(_, .fingerprint(let number)):
            number
        default: nil
        }
    }

    /// The name of the form in which the value was recorded.
    var formName: String {
        switch self {
        case .notRecorded: "notRecorded"
        case .withheld: "private"
        case .void: "void"
        case .nil: "nil"
        case .bool: "bool"
        case .signed, .unsigned: "integer"
        case .double: "double"
        case .float: "float"
        case .string: "string"
        case .cutString: "cutString"
        case .fingerprint: "fingerprint"
        case .described, .hashedDescription(_, false, _): "description"
        case .cutDescription, .hashedDescription(_, true, _): "cutDescription"
        case .enumCase(_, .none), .enumCase(_, .noneOfAnyEnum): "case"
        case .enumCase: "caseWithPayload"
        case .opaque: "notRecordable"
        case .unknown(let form): "form\(form)"
        }
    }
}
