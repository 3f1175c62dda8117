import WeirTrace

/// A value of a recording, with what the trace can say of its equality.
///
/// Two of these that are `==` are the same value for certain; `isEqual` tells what is known of others.
enum RecordedValue: Hashable {
    /// Form and content say it all.
    case known(Content)
    /// A description, or the name of a case, which two different values may share.
    case described(String, fingerprint: UInt64?, origin: EventID)
    /// Nothing is known of it but where it came from.
    case hidden(origin: EventID)

    enum Content: Hashable {
        case void
        case `nil`
        case bool(Bool)
        case signed(Int64)
        case unsigned(UInt64)
        case double(UInt64)
        case float(UInt32)
        case string(String)
        case cutString(String, UInt64)
        case fingerprint(UInt64)
        case enumCase(String)
        case hashedCase(UInt64)
    }

    /// What was recorded, and where the value is first seen.
    init(_ value: TraceValue, origin: EventID) {
        switch value {
        case .void: self = .known(.void)
        case .nil: self = .known(.nil)
        case .bool(let value): self = .known(.bool(value))
        case .signed(let value): self = .known(.signed(value))
        case .unsigned(let value): self = .known(.unsigned(value))
        // Zero has two signs and a NaN many forms; each is one value here.
        case .double(let value): self = .known(.double((value == 0 ? 0 : value.isNaN ? .nan : value).bitPattern))
        case .float(let value): self = .known(.float((value == 0 ? 0 : value.isNaN ? .nan : value).bitPattern))
        case .string(let text): self = .known(.string(text))
        case .cutString(let text, let whole): self = .known(.cutString(text, whole))
        case .fingerprint(let whole): self = .known(.fingerprint(whole))
        case .described(let text): self = .described(text, fingerprint: nil, origin: origin)
        case .cutDescription(let text, let whole): self = .described(text, fingerprint: whole, origin: origin)
        case .enumCase(let name, .none): self = .known(.enumCase(name))
        case .enumCase(_, .fingerprint(let whole)): self = .known(.hashedCase(whole))
        // Whether they hold something is told apart, too.
        case .enumCase(let name, .unknown): self = .described(name, fingerprint: 0, origin: origin)
        case .enumCase(let name, .noneOfAnyEnum): self = .described(name, fingerprint: nil, origin: origin)
        case .notRecorded, .withheld, .opaque, .unknown: self = .hidden(origin: origin)
        }
    }

    /// What a node holds of which nothing was recorded yet.
    init(ofNode id: UInt32) {
        // No thread has the number 0.
        self = .hidden(origin: EventID(thread: 0, sequence: UInt64(id)))
    }

    /// Whether the two are equal; nil: not known.
    func isEqual(to other: RecordedValue) -> Bool? {
        if self == other { return true }
        switch (self, other) {
        case (.hidden, _), (_, .hidden): return nil
        case (.described(let one, let whole, _), .described(let two, let other, _)):
            return one == two && whole == other ? nil : false
        default: return false
        }
    }
}
