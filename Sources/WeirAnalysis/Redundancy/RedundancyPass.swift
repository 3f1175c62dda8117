import WeirTrace

/// Applies the redundancy rules to a trace, in one pass.
///
/// 'What is redundant, and how it is found' defines the rules. Memory grows with nodes, subscriptions and open frames, not
/// with events; a record costs about as much time as hashing its bytes.
package struct RedundancyPass {
    /// The counts of the rules, by rule, node and subscription.
    package let tallies: [RuleTally]
    /// The refreshes and evaluations that the rules could not judge.
    package let unjudged: [UnjudgedTally]
    /// All refreshes.
    package let refreshes: UInt64
    /// The redundant refreshes, each counted once, except those that are intended.
    package let redundantRefreshes: UInt64
    /// The handler time of all refreshes, in ticks.
    package let handlerTicks: UInt64
    /// The handler time of the redundant refreshes, in ticks.
    package let wastedTicks: UInt64
    /// The figures of each subscription, by its index in the topology.
    package let ofSubscriptions: [SubscriptionFigures]
    /// All evaluations.
    package let evaluations: UInt64
    /// Evaluations that produced an equal value.
    package let noopEvaluations: UInt64
    /// The ids of the nodes that evaluate as soon as an input delivers, rather than once the turn settles.
    package let eagerNodes: Set<UInt32>
    /// The time of the last event, in ticks; 0: there is none.
    package let lastTicks: UInt64
    /// Whether the trace marks screen frames: these then separate screens, not the time.
    package let hasFrameMarks: Bool

    /// The figures of the refreshes through one subscription.
    package struct SubscriptionFigures {
        /// The redundant refreshes, each counted once, except those that are intended.
        package let redundantRefreshes: UInt64
        /// The handler time of all refreshes, in ticks.
        package let handlerTicks: UInt64
    }

    /// Reads the whole trace; the reader reports damage and losses.
    package init(
        _ reader: TraceReader, _ topology: Topology, options: RedundancyOptions = RedundancyOptions(),
        reporting report: PassProgress.Report? = nil
    ) {
        self.init(reader, topology, options: options, keeping: 0, reporting: report)
    }

    /// Reads the whole trace, and keeps up to `mostOccurrences` of the events that each tally counts.
    ///
    /// `counts` counts the refreshes by stimulus. `lives` collects what lives, so that this needs no pass of its own. A second
    /// thread decodes the records into blocks.
    package init(
        _ reader: TraceReader, _ topology: Topology, options: RedundancyOptions = RedundancyOptions(),
        keeping mostOccurrences: Int, reporting report: PassProgress.Report?, counting counts: RefreshCounts? = nil,
        lives: LifeCollector? = nil, blockCapacity: Int = 16_384
    ) {
        var flow = RedundancyFlow(
            topology, options, ticksPerSecond: reader.header.ticksPerSecond, keeping: mostOccurrences, counting: counts,
            lives: lives)
        let expected = UInt64(reader.eventChunkCount)
        var reported: UInt64 = 0
        var last: UInt64 = 0
        let (tables, isExact) = (flow.tables, flow.isNoted || counts != nil)
        BlockPipe((0..<6).map { _ in FlowBlock(capacity: blockCapacity) }).run(
            filling: { pipe in
                var feed = FlowFeed(
                    pipe, tables, threads: reader.threads.count, isExact: isExact, blockCapacity: blockCapacity)
                reader.forEachRecordRun { run in
                    feed.take(&run)
                    last = max(last, run.cursor.ticks)
                    return true
                }
                feed.finish()
            },
            { block in
                if let report, block.chunks >= reported + 16 {
                    reported = block.chunks
                    report(PassProgress(events: reported, expectedEvents: expected))
                }
                flow.take(block)
            })
        flow.finish()
        let totals = flow.totals
        lastTicks = last
        hasFrameMarks = flow.screen > 0
        tallies = flow.tallies
        unjudged = flow.unjudged.tallies
        refreshes = totals.refreshes
        var (redundant, figures) = (RedundantCount(), [SubscriptionFigures]())
        for place in topology.subscriptions.indices {
            let (counted, ticks) = (
                flow.tables.subscriptions[place].redundant(byMarks: hasFrameMarks),
                flow.tables.subscriptions[place].handlerTicks
            )
            redundant = redundant + counted
            figures.append(SubscriptionFigures(redundantRefreshes: counted.refreshes, handlerTicks: ticks))
        }
        ofSubscriptions = figures
        handlerTicks = figures.reduce(0) { $0 &+ $1.handlerTicks }
        redundantRefreshes = redundant.refreshes
        wastedTicks = redundant.ticks
        eagerNodes = Set(
            topology.nodeIDs.indices.lazy.filter { flow.tables.nodes[$0].isEager }.map { topology.nodeIDs[$0] })
        evaluations = totals.evaluations
        noopEvaluations = totals.noopEvaluations
    }
}

/// Options of the redundancy rules.
package struct RedundancyOptions: Sendable {
    /// The rules to apply.
    package var rules: Set<RedundancyRule> = Set(RedundancyRule.allCases)
    /// The length of a screen frame in nanoseconds, if the trace marks none; also the limit for `slow-refresh`.
    package var frame: UInt64 = 16_700_000

    /// All rules, frames of 16.7 ms.
    package init() {}
}
