import WeirAnalysis
import WeirTrace

/// The values of a page's events: numbers as they are, other values as texts of a common table.
struct PageValues {
    /// The form of a value, in the column `form`; a payload follows in the column `payload` where it says so.
    enum Form: UInt8 {
        case none = 0
        case withheld = 1
        case void = 2
        case `nil` = 3
        case `false` = 4
        case `true` = 5
        /// A whole number; its zigzag form is the payload.
        case whole = 6
        /// The payload is the index of a text.
        case text = 7
        /// As `text`, for a string: shown with quotation marks.
        case quoted = 8
    }

    /// The most scalars of a text that the page holds; '…' marks the cut.
    static let longestText = 400
    /// The most texts; values beyond them are shown as '…'.
    static let mostTexts = 300_000

    private(set) var forms: [UInt8] = []
    private(set) var payloads: [UInt8] = []
    private(set) var texts: [String] = ["…"]
    private var places: [String: Int] = [:]

    mutating func take(_ value: TraceValue) {
        let (form, payload) = encode(value)
        forms.append(form.rawValue)
        Varint.append(payload, to: &payloads)
    }

    mutating func take(text: String) {
        forms.append(Form.text.rawValue)
        Varint.append(place(of: text), to: &payloads)
    }

    /// A value for the page's table of nodes.
    mutating func json(_ value: TraceValue) -> JSONValue {
        let (form, payload) = encode(value)
        return .array([.unsigned(UInt64(form.rawValue)), .unsigned(payload)])
    }

    private mutating func encode(_ value: TraceValue) -> (Form, UInt64) {
        switch value {
        case .notRecorded: (.none, 0)
        case .withheld: (.withheld, 0)
        case .void: (.void, 0)
        case .nil: (.nil, 0)
        case .bool(let value): (value ? .true : .false, 0)
        case .signed(let number) where number.magnitude < 1 << 52: (.whole, Varint.zigzag(number))
        case .unsigned(let number) where number < 1 << 52: (.whole, Varint.zigzag(Int64(number)))
        case .string(let text): (.quoted, place(of: text))
        default: (.text, place(of: value.description))
        }
    }

    private mutating func place(of text: String) -> UInt64 {
        if let known = places[text] { return UInt64(known) }
        guard texts.count < Self.mostTexts else { return 0 }
        places[text] = texts.count
        texts.append(PrintableText.brief(text, scalars: Self.longestText))
        return UInt64(texts.count - 1)
    }
}
