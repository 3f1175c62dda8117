import WeirTrace

/// What the rules of redundancy are asked.
public struct RedundancyOptions: Sendable {
    /// The rules to apply.
    public var rules: Set<RedundancyRule> = Set(RedundancyRule.allCases)
    /// How long a frame of the screen is where the trace marks none, in nanoseconds; also what `slow-refresh` allows.
    public var frame: UInt64 = 16_700_000

    /// All rules, frames of 16.7 ms.
    public init() {}
}
