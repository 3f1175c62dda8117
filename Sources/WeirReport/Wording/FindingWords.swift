import WeirTrace

/// The sentences about a finding; names are already escaped and coloured, counts and times are raw.
struct FindingWords {
    /// The rule.
    let rule: RedundancyRule
    /// The node of the finding.
    let node: String
    /// Whether these words name several nodes.
    var areSeveral = false
    /// The node that the subscription feeds; nil: a closure.
    var target: String?
    /// Whether the node is an execution of a command.
    var isExecution = false
    /// The number of occurrences.
    var count: UInt64
    /// Redundant refreshes.
    var refreshes: UInt64 = 0
    /// The time that they took, or the time beyond a frame; nil: none, or unknown.
    var wasted: String?
    /// The length of a frame if the program marks none.
    var frame = ""
    /// For `crossThread`: the executors that drove the node: "thread 2", "the main queue".
    var threads: [String] = []
    /// For `feedback`: the number of turns left unsettled.
    var unsettled: UInt64 = 0
    /// For `zombieRefresh`: whether the owner was still alive although it was expected to be released.
    var isOverdue = false
    /// For `repeatedSubscription`: whether the target is an observable or its like, which a binding writes.
    var isOfState = false
    /// The released object, if its name is known.
    var owner: String?
    /// The input that changed without effect.
    var input: String?
    /// For `cancelledRequest`: the number of all requests.
    var all: UInt64 = 0
    /// The id of the event that makes the first counted one redundant; nil: unknown.
    var counterpart: String?

    /// The headline: "LoginViewModel.total emitted 12 values that the same turn replaced; 24 refreshes, 1.2 ms wasted".
    var headline: String { RuleWords.of(rule).headline(self) }

    /// The reason why the first counted event is redundant, to append to it.
    var reason: String { RuleWords.of(rule).reason(self) }

    /// "once", "12 times".
    var times: String { count == 1 ? "once" : "\(Figures.count(count)) times" }

    /// The target of the refresh, or "a handler".
    var handler: String { target ?? "a handler" }

    /// "; 24 refreshes, 1.2 ms wasted"; the refreshes are omitted if the sentence already counts them.
    func cost(counted: Bool) -> String {
        let isReported = counted && refreshes == count
        let parts = [
            refreshes == 0 || isReported ? nil : Figures.count(refreshes, "refresh", "refreshes"), wasted,
        ].compactMap(\.self)
        return parts.isEmpty ? "" : "; " + parts.joined(separator: ", ") + " wasted"
    }

    /// " (thread 1, then thread 2, the actor Store)".
    var others: String {
        guard let first = threads.first, threads.count > 1 else { return "" }
        return " (\(first), then \(threads.dropFirst().prefix(6).joined(separator: ", ")))"
    }
}
