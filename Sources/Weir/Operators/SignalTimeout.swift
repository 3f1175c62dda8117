/// The error of a signal that has been silent for too long.
public struct SignalTimeout: Error, Equatable, CustomStringConvertible {
    /// The maximum silence in nanoseconds.
    public let nanoseconds: UInt64

    /// The error for a silence of that length.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// A sentence about the silence.
    public var description: String { "no value came for \(Double(nanoseconds) / 1e9) seconds" }
}
