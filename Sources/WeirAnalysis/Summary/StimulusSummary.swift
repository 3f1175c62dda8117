/// How often a stimulus with one name began.
package struct StimulusSummary: Sendable, Equatable {
    /// The name that the program gave it, such as "tap Login".
    package let text: String
    /// How often it began.
    package internal(set) var count: UInt64
}
