import WeirTrace

/// Something that was not needed, what it cost, and what would cure it.
///
/// What one line of the program makes many of (the cells of a list) is one finding, with the number of its instances.
public struct Finding: Sendable, Equatable {
    /// How bad it is.
    public enum Severity: Int, Sendable, Comparable {
        /// Work that nobody saw.
        case note
        /// Refreshes that were not needed, or took too long.
        case warning
        /// A fault of the program.
        case error

        /// From note to error.
        public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// The rule.
    public let rule: RedundancyRule
    /// How bad it is.
    public let severity: Severity
    /// What the rule counted, first of all the tally of the instance that wasted most.
    public let tallies: [RuleTally]
    /// How often, over all instances.
    public let count: UInt64
    /// Redundant refreshes, over all instances.
    public let refreshes: UInt64
    /// Their handler time in ticks; of `slowRefresh`, the time beyond a frame.
    public let wastedTicks: UInt64
    /// The line that it is about: of the subscription, or else of the node.
    public let site: TraceSite?
    /// What would cure it.
    public let remedy: Remedy
    /// The same in each recording of the program, also when lines have moved: 16 hexadecimal digits.
    public let fingerprint: String
    /// Why it is meant so, in the program's words; nil: it is not declared.
    public let intention: String?

    /// The first event that was counted.
    public var example: EventID { tallies[0].example }
    /// The id of the node it is about: that of the instance that wasted most.
    public var node: UInt32 { tallies[0].node }
}
