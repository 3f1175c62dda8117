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

    /// The headline: "LoginViewModel.total emitted 12 values that the same turn replaced; 24 refreshes, 1.2 ms wasted".
    var headline: String {
        let times = count == 1 ? "once" : "\(Figures.count(count)) times"
        let handler = target ?? "a handler"
        switch rule {
        case .repeatedValue:
            return "\(node) refreshed \(handler) \(times) with an unchanged value" + cost(counted: true)
        case .glitch:
            return "\(node) emitted \(Figures.count(count, "value")) that the same turn replaced" + cost(counted: false)
        case .burst:
            return "\(node) refreshed \(handler) \(times), and again in the same frame" + cost(counted: true)
        case .unobserved:
            return
                "\(node) \(areSeveral ? "were" : "was") evaluated \(times) while no handler observed \(areSeveral ? "them" : "it")"
        case .noopEvaluation:
            return "\(node) produced an unchanged value in \(Figures.count(count, "evaluation"))"
        case .resubscribedSource:
            return "\(node) was run \(times) for another subscriber while it was already running"
        case .feedback:
            let left = "; \(Figures.count(unsettled, "turn was", "turns were")) left unsettled"
            return "\(node) triggered itself again \(times)" + (unsettled > 0 ? left : "") + cost(counted: false)
        case .zombieRefresh:
            let name = owner ?? "its owner"
            let gone = isOverdue ? "should have been released" : "had been released"
            return "\(node) refreshed \(handler) \(times) after \(name) \(gone)" + cost(counted: true)
        case .crossThread:
            return "\(node) emitted \(times) on a thread other than its first\(others), without a hop"
        case .slowRefresh:
            let beyond = wasted.map { "; \($0) beyond that" } ?? ""
            return "\(node) refreshed \(handler) \(times) for longer than \(frame)\(beyond)"
        case .unhandledFailure where isExecution:
            let fed = target.map { ", which feeds \($0)," } ?? ""
            return "\(node)\(fed) failed \(times); nothing receives the failure"
        case .unhandledFailure:
            return "a failure of \(node) ended the subscription of \(handler) \(times); nothing handles it"
        case .repeatedSubscription where isOfState:
            return "\(node) wrote \(handler) \(times) through another binding of a line that already had one"
        case .repeatedSubscription:
            return
                "\(node) refreshed \(handler) \(times) through another subscription of a line that already had one"
                + cost(counted: true)
        case .cancelledRequest:
            let requests =
                all > 0
                ? "\(Figures.count(count)) of \(Figures.count(all, "request"))" : Figures.count(count, "request")
            return "\(node) cancelled \(requests) before an answer came, because the next value arrived"
        case .staleResponse:
            return
                "\(node) refreshed \(handler) \(times) with the answer to an earlier request, after that to a later one"
        case .repeatedSource:
            return "\(node) gave the same first value as another source of its line that ran at the same time, \(times)"
        case .repeatedRequest:
            return "\(node) started a request again \(times) for an unchanged value"
        }
    }

    /// The reason why the first counted event is redundant, to append to it; `counterpart` is an event's id.
    func reason(_ counterpart: String?) -> String {
        switch rule {
        case .repeatedValue: counterpart.map { ", after an equal one at \($0)" } ?? ", after an equal one"
        case .glitch: counterpart.map { ", replaced by \($0) in the same turn" } ?? ", replaced in the same turn"
        case .burst: counterpart.map { ", and again by \($0) in the same frame" } ?? ", and again in the same frame"
        case .unobserved: ", which reaches no handler"
        case .noopEvaluation: counterpart.map { ", equal to that of \($0)" } ?? ""
        case .resubscribedSource: counterpart.map { ", while that of \($0) lived" } ?? ""
        case .feedback: counterpart.map { ", within its own \($0)" } ?? ""
        case .zombieRefresh: counterpart.map { ", after the \(isOverdue ? "checkpoint" : "release") at \($0)" } ?? ""
        case .crossThread: ", on \(threads.dropFirst().first ?? "another thread")"
        case .staleResponse: counterpart.map { ", after the later answer at \($0)" } ?? ""
        case .repeatedSource: counterpart.map { ", equal to that of \($0)" } ?? ""
        case .repeatedSubscription:
            counterpart.map { ", while the subscription begun at \($0) lived" } ?? ""
        case .slowRefresh, .unhandledFailure, .repeatedRequest, .cancelledRequest: ""
        }
    }

    /// "; 24 refreshes, 1.2 ms wasted"; the refreshes are omitted if the sentence already counts them.
    private func cost(counted: Bool) -> String {
        let isReported = counted && refreshes == count
        let parts = [
            refreshes == 0 || isReported ? nil : Figures.count(refreshes, "refresh", "refreshes"), wasted,
        ].compactMap(\.self)
        return parts.isEmpty ? "" : "; " + parts.joined(separator: ", ") + " wasted"
    }

    /// " (thread 1, then thread 2, the actor Store)".
    private var others: String {
        guard let first = threads.first, threads.count > 1 else { return "" }
        return " (\(first), then \(threads.dropFirst().prefix(6).joined(separator: ", ")))"
    }
}
