import WeirTrace

/// Of checkpoints of one name, a line of the program of which each one found more alive than the one before.
public struct LineGrowth: Sendable, Hashable {
    /// What one line of the program makes.
    public enum Line: Sendable, Hashable {
        /// Nodes of a kind, by where they are made.
        case nodes(rawKind: UInt8, TraceSite?)
        /// Subscriptions that are not internal, by where they are made.
        case subscriptions(TraceSite?)
        /// Tracked objects, by type and name.
        case objects(type: String?, label: String?)
    }

    /// The name of the checkpoints.
    public let checkpoint: String
    /// How many there were.
    public let rounds: Int
    /// The line.
    public let line: Line
    /// How many were alive at the first of these checkpoints, and at the last.
    public let first: Int, last: Int
}
