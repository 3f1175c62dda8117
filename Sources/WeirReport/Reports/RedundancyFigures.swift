import WeirAnalysis

/// The totals that a pass of the redundancy rules counted over the whole trace.
struct RedundancyFigures {
    var refreshes: UInt64 = 0
    var redundantRefreshes: UInt64 = 0
    var handlerTicks: UInt64 = 0
    var wastedTicks: UInt64 = 0
    var evaluations: UInt64 = 0
    var noopEvaluations: UInt64 = 0
    var hasFrameMarks = false
    var unjudged: [UnjudgedTally] = []
}

extension RedundancyFigures {
    init(_ pass: RedundancyPass) {
        refreshes = pass.refreshes
        redundantRefreshes = pass.redundantRefreshes
        handlerTicks = pass.handlerTicks
        wastedTicks = pass.wastedTicks
        evaluations = pass.evaluations
        noopEvaluations = pass.noopEvaluations
        hasFrameMarks = pass.hasFrameMarks
        unjudged = pass.unjudged
    }
}

extension Figures {
    /// A share in percent: "64 %"; it reads 0 % or 100 % only if it is exactly that.
    static func percent(_ part: UInt64, of whole: UInt64) -> String {
        guard whole > 0, part > 0 else { return "0 %" }
        if part >= whole { return "100 %" }
        let percent = (Double(part) / Double(whole) * 100).rounded()
        return percent < 1 ? "under 1 %" : percent > 99 ? "over 99 %" : "\(Int(percent)) %"
    }
}
