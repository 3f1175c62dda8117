import WeirAnalysis
import WeirTrace

/// The words for one rule of redundancy.
struct RuleWords: Sendable {
    /// A phrase for the work that it reports. Help, SARIF and the JSON Schema of policies use it.
    let meaning: String
    /// The headline of a finding.
    let headline: @Sendable (FindingWords) -> String
    /// Why the first counted event is redundant, to append to it.
    let reason: @Sendable (FindingWords) -> String

    init(
        _ meaning: String, headline: @escaping @Sendable (FindingWords) -> String,
        reason: @escaping @Sendable (FindingWords) -> String = { _ in "" }
    ) {
        (self.meaning, self.headline, self.reason) = (meaning, headline, reason)
    }

    static func of(_ rule: RedundancyRule) -> RuleWords {
        switch rule {
        case .repeatedValue: repeatedValue
        case .glitch: glitch
        case .burst: burst
        case .unobserved: unobserved
        case .noopEvaluation: noopEvaluation
        case .resubscribedSource: resubscribedSource
        case .feedback: feedback
        case .zombieRefresh: zombieRefresh
        case .crossThread: crossThread
        case .slowRefresh: slowRefresh
        case .unhandledFailure: unhandledFailure
        case .repeatedSubscription: repeatedSubscription
        case .repeatedRequest: repeatedRequest
        case .cancelledRequest: cancelledRequest
        case .staleResponse: staleResponse
        case .repeatedSource: repeatedSource
        }
    }

    private static let repeatedValue = RuleWords(
        "a refresh with a value equal to the one before",
        headline: {
            "\($0.node) refreshed \($0.handler) \($0.times) with an unchanged value" + $0.cost(counted: true)
        },
        reason: {
            $0.counterpart.map { ", after an equal one at \($0)" } ?? ", after an equal one"
        })

    private static let glitch = RuleWords(
        "a value that the same turn replaces, because two flows from one origin join",
        headline: {
            "\($0.node) emitted \(Figures.count($0.count, "value")) that the same turn replaced"
                + $0.cost(counted: false)
        },
        reason: {
            $0.counterpart.map { ", replaced by \($0) in the same turn" } ?? ", replaced in the same turn"
        })

    private static let burst = RuleWords(
        "refreshes of several turns within one frame of the screen",
        headline: {
            "\($0.node) refreshed \($0.handler) \($0.times), and again in the same frame" + $0.cost(counted: true)
        },
        reason: {
            $0.counterpart.map { ", and again by \($0) in the same frame" } ?? ", and again in the same frame"
        })

    private static let unobserved = RuleWords(
        "an evaluation that no handler could show",
        headline: {
            $0.areSeveral
                ? "\($0.node) were evaluated \($0.times) while no handler observed them"
                : "\($0.node) was evaluated \($0.times) while no handler observed it"
        },
        reason: { _ in
            ", which reaches no handler"
        })

    private static let noopEvaluation = RuleWords(
        "an evaluation that gave an equal value",
        headline: {
            "\($0.node) produced an unchanged value in \(Figures.count($0.count, "evaluation"))"
        },
        reason: {
            $0.counterpart.map { ", equal to that of \($0)" } ?? ""
        })

    private static let resubscribedSource = RuleWords(
        "a cold source that ran twice at the same time",
        headline: {
            "\($0.node) was run \($0.times) for another subscriber while it was already running"
        },
        reason: {
            $0.counterpart.map { ", while that of \($0) lived" } ?? ""
        })

    private static let feedback = RuleWords(
        "a node that makes itself run again",
        headline: {
            let left = "; \(Figures.count($0.unsettled, "turn was", "turns were")) left unsettled"
            return "\($0.node) triggered itself again \($0.times)" + ($0.unsettled > 0 ? left : "")
                + $0.cost(counted: false)
        },
        reason: {
            $0.counterpart.map { ", within its own \($0)" } ?? ""
        })

    private static let zombieRefresh = RuleWords(
        "a refresh of something that was released",
        headline: {
            let gone = $0.isOverdue ? "should have been released" : "had been released"
            return "\($0.node) refreshed \($0.handler) \($0.times) after \($0.owner ?? "its owner") \(gone)"
                + $0.cost(counted: true)
        },
        reason: {
            let moment = $0.isOverdue ? "checkpoint" : "release"
            return $0.counterpart.map { ", after the \(moment) at \($0)" } ?? ""
        })

    private static let crossThread = RuleWords(
        "a node that several threads drive without a hop",
        headline: {
            "\($0.node) emitted \($0.times) on a thread other than its first\($0.others), without a hop"
        },
        reason: {
            ", on \($0.threads.dropFirst().first ?? "another thread")"
        })

    private static let slowRefresh = RuleWords(
        "a handler that takes longer than a frame",
        headline: {
            let beyond = $0.wasted.map { "; \($0) beyond that" } ?? ""
            return "\($0.node) refreshed \($0.handler) \($0.times) for longer than \($0.frame)\(beyond)"
        })

    private static let unhandledFailure = RuleWords(
        "a failure that no handler receives",
        headline: {
            guard $0.isExecution else {
                return "a failure of \($0.node) ended the subscription of \($0.handler) \($0.times); nothing handles it"
            }
            let fed = $0.target.map { ", which feeds \($0)," } ?? ""
            return "\($0.node)\(fed) failed \($0.times); nothing receives the failure"
        })

    private static let repeatedSubscription = RuleWords(
        "a handler that a line subscribed again while it was subscribed",
        headline: {
            $0.isOfState
                ? "\($0.node) wrote \($0.handler) \($0.times) through another binding of a line that already had one"
                : "\($0.node) refreshed \($0.handler) \($0.times) through another subscription of a line that already had one"
                    + $0.cost(counted: true)
        },
        reason: {
            $0.counterpart.map { ", while the subscription begun at \($0) lived" } ?? ""
        })

    private static let repeatedRequest = RuleWords(
        "a flatMap that starts the same request again for an equal value",
        headline: {
            "\($0.node) started a request again \($0.times) for an unchanged value"
        })

    private static let cancelledRequest = RuleWords(
        "a request of a flatMap that the next value cancels before it has answered",
        headline: {
            let requests =
                $0.all > 0
                ? "\(Figures.count($0.count)) of \(Figures.count($0.all, "request"))"
                : Figures.count($0.count, "request")
            return "\($0.node) cancelled \(requests) before an answer came, because the next value arrived"
        })

    private static let staleResponse = RuleWords(
        "an answer to an earlier request, after that to a later one",
        headline: {
            "\($0.node) refreshed \($0.handler) \($0.times) with the answer to an earlier request, after that to a later one"
        },
        reason: {
            $0.counterpart.map { ", after the later answer at \($0)" } ?? ""
        })

    private static let repeatedSource = RuleWords(
        "a source that gives the same first value as another one of its line at the same time",
        headline: {
            "\($0.node) gave the same first value as another source of its line that ran at the same time, \($0.times)"
        },
        reason: {
            $0.counterpart.map { ", equal to that of \($0)" } ?? ""
        })
}
