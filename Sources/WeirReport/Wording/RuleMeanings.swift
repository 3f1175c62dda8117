import WeirAnalysis
import WeirTrace

// One phrase for each rule: what it reports. Help, SARIF and the JSON Schema of policies use them.

extension RedundancyRule {
    /// The phrase: "a refresh with a value equal to the one before".
    package var meaning: String { RuleWords.of(self).meaning }
}

extension LeakRule {
    /// The phrase: "a cycle of strong references that nothing outside holds strongly".
    package var meaning: String {
        switch self {
        case .retainCycle: "a cycle of strong references that nothing outside holds strongly"
        case .heldCycle: "a cycle that something outside still holds: it leaks once its owner releases it"
        case .outlivedScope: "an object that Trace.expectReleased named, alive at the next checkpoint"
        case .undisposed: "a subscription whose owner is gone, or objects that only handlers hold"
        case .growth: "a line whose live objects grow in number at each checkpoint of one name"
        }
    }
}

extension BudgetMetric {
    /// The phrase: "refreshes of one handler by one stimulus, hops included".
    package var meaning: String {
        switch self {
        case .refreshesPerStimulus: "refreshes of one handler by one stimulus, hops included"
        case .handlerMilliseconds: "milliseconds of one call of a handler, without the handlers that it refreshes"
        case .redundantPercent: "redundant refreshes of 100, in all traces together"
        case .emissionsPerTurn: "values emitted in one turn; with nodes, values of each of these nodes"
        case .liveSubscriptionsPerLine: "subscriptions of one line that are alive at a time"
        }
    }
}

extension TraceFault {
    /// The phrase: "a file that cannot be read as a trace".
    package var meaning: String {
        switch self {
        case .unreadable: "a file that cannot be read as a trace"
        case .incomplete: "a trace that lacks events or snapshots of its recording"
        case .abortedWalk: "a heap walk that ended before it had seen everything"
        }
    }
}

extension CheckRule {
    /// The subject of the rule's findings, as a phrase.
    package var meaning: String {
        switch kind {
        case .redundancy(let rule): rule.meaning
        case .leak(let rule): rule.meaning
        case .budget(let metric): "a value above its budget: \(metric.meaning)"
        case .trace(let fault): fault.meaning
        }
    }
}
