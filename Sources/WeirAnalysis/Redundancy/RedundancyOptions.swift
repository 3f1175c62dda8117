import WeirTrace

/// Options of the redundancy rules.
package struct RedundancyOptions: Sendable {
    /// The rules to apply.
    package var rules: Set<RedundancyRule> = Set(RedundancyRule.allCases)
    /// The length of a screen frame in nanoseconds, if the trace marks none; also the limit for `slow-refresh`.
    package var frame: UInt64 = 16_700_000

    /// All rules, frames of 16.7 ms.
    package init() {}
}
