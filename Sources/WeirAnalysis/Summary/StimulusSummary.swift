/// How often a stimulus of one name was given.
public struct StimulusSummary: Sendable, Equatable {
    /// The name that the program gave, such as "tap Login".
    public let text: String
    /// How often it began.
    public internal(set) var count: UInt64
}
