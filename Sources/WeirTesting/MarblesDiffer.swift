/// The differences between a marble test and its diagrams, or the reasons why a diagram cannot be read, as text.
public struct MarblesDiffer: Error, CustomStringConvertible {
    /// One text for each expectation that failed.
    public let differences: [String]

    /// The differences, with the diagrams above each other.
    public var description: String { differences.joined(separator: "\n") }
}
