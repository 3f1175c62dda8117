import WeirTrace

/// A line of the program for which each of several checkpoints with one name found more alive than the one before.
package struct LineGrowth: Sendable, Hashable {
    /// The objects that one line of the program makes.
    package enum Line: Sendable, Hashable {
        /// Nodes of a kind, by the line that makes them.
        case nodes(rawKind: UInt8, TraceSite?)
        /// Subscriptions that are not internal, by the line that makes them.
        case subscriptions(TraceSite?)
        /// Tracked objects, by type and name.
        case objects(type: String?, label: String?)
    }

    /// The name of the checkpoints.
    package let checkpoint: String
    /// How many checkpoints there were.
    package let rounds: Int
    /// The line.
    package let line: Line
    /// How many were alive at the first of these checkpoints, and at the last.
    package let first: Int, last: Int
}
