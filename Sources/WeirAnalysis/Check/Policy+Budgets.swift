extension Policy {
    /// A policy whose budgets are the measures of good runs, and a share of head room above them.
    ///
    /// Nodes that only their lines name get no budget, because lines move.
    public init(budgetsOf measures: Measures, headRoom: Double) {
        self.init()
        func limit(_ value: Double, _ headRoom: Double) -> Double { (value * (1 + headRoom)).rounded(.up) }
        var perNode: [String: Double] = [:]
        var general: [BudgetMetric: Double] = [:]
        for measure in measures.all {
            if measure.metric == .refreshesPerStimulus {
                guard let name = measure.subject.names.first, !name.contains(".swift:") else { continue }
                let pattern = String(ReferenceLabel.withoutIndexes(name).map { $0 == "…" ? "*" : $0 })
                perNode[pattern] = max(perNode[pattern] ?? 0, measure.value)
            } else if measure.metric != .emissionsPerTurn || measure.subject.names.isEmpty {
                general[measure.metric] = max(general[measure.metric] ?? 0, measure.value)
            }
        }
        var all = Budget()
        for (metric, value) in general {
            // Times differ between machines, and between runs on one of them.
            all.limits[metric] = metric == .handlerMilliseconds ? limit(value, 10 * headRoom) : limit(value, headRoom)
        }
        if let share = all.limits[.redundantPercent] { all.limits[.redundantPercent] = min(100, share) }
        if !all.limits.isEmpty { budgets.append(all) }
        for (pattern, value) in perNode.sorted(by: { $0.key < $1.key }) {
            var budget = Budget()
            budget.scope.nodes = [NamePattern(pattern)]
            budget.limits[.refreshesPerStimulus] = limit(value, headRoom)
            budgets.append(budget)
        }
    }
}
