/// What did not come as the diagrams of a marble test say, or could not be read; describes every difference as text.
public struct MarblesDiffer: Error, CustomStringConvertible {
    /// One text for each expectation that was not met.
    public let differences: [String]

    /// The differences, with the diagrams above each other.
    public var description: String { differences.joined(separator: "\n") }
}
