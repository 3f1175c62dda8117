/// Counts to compare: those of the recording, and those of a replay.
struct Figures: Equatable {
    var refreshes: Int64 = 0
    var handlerTicks: Int64 = 0
    var evaluations: Int64 = 0
    var sourceRuns: Int64 = 0

    static func + (left: Figures, right: Figures) -> Figures {
        Figures(
            refreshes: left.refreshes &+ right.refreshes, handlerTicks: left.handlerTicks &+ right.handlerTicks,
            evaluations: left.evaluations &+ right.evaluations, sourceRuns: left.sourceRuns &+ right.sourceRuns)
    }

    static func - (left: Figures, right: Figures) -> Figures {
        Figures(
            refreshes: left.refreshes &- right.refreshes, handlerTicks: left.handlerTicks &- right.handlerTicks,
            evaluations: left.evaluations &- right.evaluations, sourceRuns: left.sourceRuns &- right.sourceRuns)
    }
}
