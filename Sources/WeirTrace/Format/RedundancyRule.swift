// `Weir` compiles this file, too, if it is built without recording: `Weir/Off` links to it.
#if !InWeir || !Recording
/// The rules that find unnecessary refreshes and evaluations, with the names that traces and commands use.
public enum RedundancyRule: String, CaseIterable, Sendable {
    /// A refresh with a value equal to the one before.
    case repeatedValue = "repeated-value"
    /// A value that the same turn replaces, because two flows from one origin join.
    case glitch
    /// Refreshes by several writes within one frame of the screen.
    case burst
    /// An evaluation that no terminal subscription could show.
    case unobserved
    /// An evaluation that produced an unchanged value.
    case noopEvaluation = "noop-evaluation"
    /// A cold source that ran twice at the same time.
    case resubscribedSource = "resubscribed-source"
    /// A node that makes itself run again.
    case feedback
    /// A refresh on behalf of a released object.
    case zombieRefresh = "zombie-refresh"
    /// A node that several threads drive without a hop.
    case crossThread = "cross-thread"
    /// A handler that takes longer than a frame.
    case slowRefresh = "slow-refresh"
    /// A failure that ended a subscription without a handler for it.
    case unhandledFailure = "unhandled-failure"
    /// A refresh of a handler that an earlier subscription of the same line refreshes, too.
    case repeatedSubscription = "repeated-subscription"
    /// A flatMap that starts the same request again for an unchanged value.
    case repeatedRequest = "repeated-request"
    /// A request that the next value cancels before it has answered.
    case cancelledRequest = "cancelled-request"
    /// A refresh with the answer to an earlier request, after that to a later one.
    case staleResponse = "stale-response"
    /// A source that gives the same first value as another one of its line that runs at the same time.
    case repeatedSource = "repeated-source"
}
#endif
