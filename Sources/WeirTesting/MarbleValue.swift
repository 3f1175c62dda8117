/// A value that a single character of a marble diagram represents without a dictionary.
public protocol MarbleValue: Equatable, SendableMetatype {
    /// The value that `marble` represents, if any.
    init?(marble: Character)
}

extension Int: MarbleValue {
    /// A digit represents itself.
    public init?(marble: Character) {
        guard let digit = marble.isASCII ? marble.wholeNumberValue : nil else { return nil }
        self = digit
    }
}

extension String: MarbleValue {
    /// Every letter and digit represents itself.
    public init?(marble: Character) { self = String(marble) }
}

extension Bool: MarbleValue {
    /// `t` or `f`.
    public init?(marble: Character) {
        guard marble == "t" || marble == "f" else { return nil }
        self = marble == "t"
    }
}
