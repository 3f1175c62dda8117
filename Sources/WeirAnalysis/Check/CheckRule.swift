import WeirTrace

/// Everything that `weir check` can report, by the names that policies and outputs use.
package struct CheckRule: Sendable, Hashable {
    /// The origin of a rule.
    package enum Kind: Sendable, Hashable {
        /// A rule of redundancy.
        case redundancy(RedundancyRule)
        /// A rule of leaks.
        case leak(LeakRule)
        /// A budget of the policy.
        case budget(BudgetMetric)
        /// A fault of a trace, not of the program.
        case trace(TraceFault)
    }

    /// The origin.
    package let kind: Kind

    /// All rules: those of redundancy, those of leaks, the budgets, and the faults of traces.
    package static let all =
        RedundancyRule.allCases.map { CheckRule(.redundancy($0)) } + LeakRule.allCases.map { CheckRule(.leak($0)) }
        + BudgetMetric.allCases.map { CheckRule(.budget($0)) } + TraceFault.allCases.map { CheckRule(.trace($0)) }

    /// The rule of an origin.
    package init(_ kind: Kind) { self.kind = kind }

    /// The name: "retain-cycle".
    package var name: String {
        switch kind {
        case .redundancy(let rule): rule.rawValue
        case .leak(let rule): rule.rawValue
        case .budget(let metric): metric.ruleName
        case .trace(let fault): fault.rawValue
        }
    }
}

/// The measure that a budget limits; the raw values are the names in a policy.
package enum BudgetMetric: String, CaseIterable, Sendable {
    /// How often one stimulus refreshes one handler, hops included.
    case refreshesPerStimulus
    /// How long one call of a handler takes, in milliseconds, without the handlers that it refreshes.
    case handlerMilliseconds
    /// How many of 100 refreshes of all traces are redundant.
    case redundantPercent
    /// How many values a turn emits; with `nodes` in the budget, how many each of these nodes emits.
    case emissionsPerTurn
    /// How many subscriptions of one line of the program are alive at a time.
    case liveSubscriptionsPerLine

    /// The name of the rule: "refreshes-per-stimulus".
    package var ruleName: String {
        rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }

    /// Whether a budget can be limited to nodes, owners or files.
    package var hasSubjects: Bool { self != .redundantPercent }
}

/// A fault of a trace that weakens the verdict on it.
package enum TraceFault: String, CaseIterable, Sendable {
    /// The file cannot be read as a trace.
    case unreadable = "unreadable-trace"
    /// Events or snapshots of the recording are missing.
    case incomplete = "incomplete-trace"
    /// A heap walk ended before it had seen everything.
    case abortedWalk = "aborted-walk"
}
