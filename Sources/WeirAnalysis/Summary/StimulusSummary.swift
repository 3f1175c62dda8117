/// How often a stimulus with one name began.
public struct StimulusSummary: Sendable, Equatable {
    /// The name that the program gave it, such as "tap Login".
    public let text: String
    /// How often it began.
    public internal(set) var count: UInt64
}
