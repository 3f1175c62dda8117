import WeirTrace

/// A value as the columns `value`, `form` and `fingerprint` hold it: without loss.
struct ExportedValue: Equatable {
    var text: String?
    var form: String
    var fingerprint: UInt64?

    init(_ value: TraceValue) {
        switch value {
        case .notRecorded: self.init("notRecorded")
        case .withheld: self.init("private")
        case .void: self.init("void")
        case .nil: self.init("nil")
        case .bool(let bool): self.init("bool", bool ? "true" : "false")
        case .signed(let number): self.init("signed", String(number))
        case .unsigned(let number): self.init("unsigned", String(number))
        case .double(let number): self.init("double", String(number))
        case .float(let number): self.init("float", String(number))
        case .string(let text): self.init("string", text)
        case .cutString(let text, let number): self.init("cutString", text, number)
        case .fingerprint(let number): self.init("fingerprint", nil, number)
        case .described(let text): self.init("description", text)
        case .cutDescription(let text, let number): self.init("cutDescription", text, number)
        case .hashedDescription(let text, false, let number): self.init("hashedDescription", text, number)
        case .hashedDescription(let text, true, let number): self.init("cutHashedDescription", text, number)
        case .enumCase(let name, .none): self.init("case", name)
        case .enumCase(let name, .fingerprint(let number)): self.init("caseWithFingerprint", name, number)
        case .enumCase(let name, .unknown): self.init("caseWithPayload", name)
        case .enumCase(let name, .noneOfAnyEnum): self.init("caseOfAnyEnum", name)
        case .opaque: self.init("notRecordable")
        case .unknown(let form): self.init("form\(form)")
        }
    }

    init(_ form: String, _ text: String? = nil, _ fingerprint: UInt64? = nil) {
        self.form = form
        self.text = text
        self.fingerprint = fingerprint
    }

    /// The value; nil: the columns do not fit together.
    var value: TraceValue? {
        let text = text ?? ""
        switch form {
        case "notRecorded": return .notRecorded
        case "private": return .withheld
        case "void": return .void
        case "nil": return .nil
        case "bool": return text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
        case "signed": return Int64(text).map(TraceValue.signed)
        case "unsigned": return UInt64(text).map(TraceValue.unsigned)
        case "double": return Double(text).map(TraceValue.double)
        case "float": return Float(text).map(TraceValue.float)
        case "string": return .string(text)
        case "cutString": return fingerprint.map { .cutString(text, fingerprint: $0) }
        case "fingerprint": return fingerprint.map(TraceValue.fingerprint)
        case "description": return .described(text)
        case "cutDescription": return fingerprint.map { .cutDescription(text, fingerprint: $0) }
        case "hashedDescription":
            return fingerprint.map { .hashedDescription(text, isCut: false, fingerprint: $0) }
        case "cutHashedDescription":
            return fingerprint.map { .hashedDescription(text, isCut: true, fingerprint: $0) }
        case "case": return .enumCase(text, .none)
        case "caseWithFingerprint": return fingerprint.map { .enumCase(text, .fingerprint($0)) }
        case "caseWithPayload": return .enumCase(text, .unknown)
        case "caseOfAnyEnum": return .enumCase(text, .noneOfAnyEnum)
        case "notRecordable": return .opaque
        default:
            // A form of a later version: its content is unknown.
            return form.hasPrefix("form") && UInt8(form.dropFirst(4)) != nil ? .opaque : nil
        }
    }
}

extension RowWriter {
    /// The columns `value`, `form` and `fingerprint`.
    @inline(__always)
    mutating func value(_ value: TraceValue?) {
        switch value {
        case nil:
            none("value")
            none("form")
            none("fingerprint")
        // The most frequent forms need no strings of their own.
        case .signed(let number):
            self.number("value", number)
            word("form", "signed")
            none("fingerprint")
        case .string(let string):
            text("value", string)
            word("form", "string")
            none("fingerprint")
        case .bool(let bool):
            if bool { word("value", "true") } else { word("value", "false") }
            word("form", "bool")
            none("fingerprint")
        case .notRecorded:
            none("value")
            word("form", "notRecorded")
            none("fingerprint")
        case let value?: self = writing(ExportedValue(value))
        }
    }

    @inline(never)
    private func writing(_ value: ExportedValue) -> Self {
        var rows = self
        rows.maybe("value", value.text)
        rows.text("form", value.form)
        rows.maybe("fingerprint", value.fingerprint.map { TraceValue.fingerprint($0).description })
        return rows
    }
}
