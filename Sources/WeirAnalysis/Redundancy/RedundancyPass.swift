import WeirTrace

/// Applies the rules of redundancy to a trace, in one pass.
///
/// Memory grows with nodes, subscriptions and open frames, not with events.
public struct RedundancyPass {
    /// What the rules counted, by rule, node and subscription.
    public private(set) var tallies: [RuleTally] = []
    /// What they could not judge.
    public private(set) var unjudged: [UnjudgedTally] = []
    /// All refreshes.
    public private(set) var refreshes: UInt64 = 0
    /// Those that were redundant, each counted once, without those that are meant so.
    public private(set) var redundantRefreshes: UInt64 = 0
    /// The handler time of all refreshes, in ticks.
    public private(set) var handlerTicks: UInt64 = 0
    /// The handler time of the redundant ones, in ticks.
    public private(set) var wastedTicks: UInt64 = 0
    /// All evaluations.
    public private(set) var evaluations: UInt64 = 0
    /// Evaluations that gave an equal value.
    public private(set) var noopEvaluations: UInt64 = 0
    /// The trace marks frames of the screen.
    public private(set) var hasFrameMarks = false
    /// Damage, losses and what else may make the answer incomplete are told by the reader.
    public private(set) var events: UInt64 = 0

    /// Reads the whole trace.
    public init(
        _ reader: TraceReader, _ topology: Topology, options: RedundancyOptions = RedundancyOptions(),
        reporting report: PassProgress.Report? = nil
    ) {}
}
