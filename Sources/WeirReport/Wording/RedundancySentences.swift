import WeirAnalysis
import WeirTrace

/// The sentences around redundancy findings.
enum RedundancySentences {
    /// "61 of 96 refreshes were redundant (64 %), 38 ms of 55 ms handler time."; the times are nil if not measured.
    static func refreshes(
        _ redundant: UInt64, of all: UInt64, wasted: String?, handlers: String?, rules: Set<RedundancyRule>,
        scope: String = ""
    ) -> String {
        guard all > 0 else {
            return "There were no refreshes\(scope): no handler, such as a view's, was given a value."
        }
        let time = if let wasted, let handlers { ", \(wasted) of \(handlers) handler time" } else { "" }
        let isAll = rules.count == RedundancyRule.allCases.count
        let reported = isAll ? "" : ", judged by \(names(rules)) only"
        return "\(Figures.count(redundant)) of \(Figures.count(all, "refresh", "refreshes")) "
            + "\(redundant == 1 || all == 1 ? "was" : "were") redundant (\(Figures.percent(redundant, of: all)))\(time)\(reported)."
    }

    /// "12 of 25 evaluations gave an equal value."; nil: nothing was evaluated.
    static func evaluations(_ equal: UInt64, of all: UInt64) -> String? {
        all == 0 ? nil : "\(Figures.count(equal)) of \(Figures.count(all, "evaluation")) gave an equal value."
    }

    /// The heading above the findings.
    static func heading(_ findings: Int, ofSomeNodes: Bool) -> String {
        Figures.count(findings, "finding") + (ofSomeNodes ? " at the nodes asked for" : "")
            + (findings == 1 ? ":" : ", worst first:")
    }

    /// The sentence that nothing was found, with the rules that were applied; `scope` limits it.
    static func nothing(rules: Set<RedundancyRule>, ofSomeNodes: Bool, hasIntended: Bool, scope: String = "") -> String
    {
        let asked =
            rules.count == RedundancyRule.allCases.count ? "any rule" : names(rules)
        return "Nothing was found\(ofSomeNodes ? " at the nodes asked for" : "") by \(asked)\(scope)"
            + (hasIntended ? ", beyond what is meant so." : ".")
    }

    /// How frames of the screen were determined.
    static func frames(areMarked: Bool, length: String) -> String {
        areMarked
            ? "A frame is what lies between two marks of the program (Trace.frame())."
            : "The program marks no frames (Trace.frame()): one is \(length) from a first refresh on (--frame)."
    }

    private static func names(_ rules: Set<RedundancyRule>) -> String {
        let names = RedundancyRule.allCases.filter(rules.contains).map(\.rawValue)
        guard let last = names.last, names.count > 1 else { return names.first ?? "no rule" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    /// The number of findings that are not shown.
    static func more(_ rest: Int, errors: Int, of all: Int) -> String {
        let worst =
            errors == 0 ? "" : errors == rest ? ", all errors" : ", \(Figures.count(errors, "error")) among them"
        return "and \(Figures.count(rest)) more\(worst) (--top \(all) shows all)"
    }
}

/// Explains the refreshes of a table, because not all of them show something.
enum Refreshes {
    /// A sentence for a table whose refreshes are too low because some deliveries belong to no row.
    static func shortfall(_ deliveries: UInt64) -> String {
        "\(Figures.count(deliveries, "delivery", "deliveries")) could not be attributed, since the trace does not "
            + "define the subscriptions: refreshes are too low."
    }

    /// A line below a table of one or several summaries; nil if there is no refresh.
    static func explanation(_ summaries: [TraceSummary]) -> String? {
        guard summaries.contains(where: { $0.refreshes > 0 }) else { return nil }
        let definition = "Refreshes are deliveries to handlers, such as views"
        let counts = summaries.map(\.carriedOn)
        guard counts.contains(where: { $0 > 0 }) else { return definition + "." }
        let isSame = Set(counts).count == 1
        let figures = (isSame ? [counts[0]] : counts).map { Figures.count($0) }.joined(separator: " → ")
        return "\(definition); \(figures) of them carried a value on, such as a user's input."
    }
}

extension UnjudgedTally.Reason {
    /// Why a rule could not judge; follows the count: "12 refreshes of X: …".
    var phrase: String {
        switch self {
        case .withheld: "the values are private"
        case .notRecorded: "values were not recorded"
        case .unrecordable: "values of this type were not recorded"
        case .sameDescription: "the descriptions agree, and two values may have one description"
        case .madeBefore: "what it may reach was made before the recording began"
        case .changesTooOften: "the graph changes too often to be searched for handlers each time"
        }
    }

    /// The change that would enable the rule to judge.
    var help: String {
        switch self {
        case .withheld: "record test data, with .disclosed() or without .private"
        case .notRecorded: "record with values: .scalars (WEIR_VALUES)"
        case .unrecordable: "make the type Hashable or TraceValueConvertible"
        case .sameDescription: "make the type Hashable"
        case .madeBefore: "start the recording before the model is made"
        case .changesTooOften: "record a shorter run"
        }
    }
}

extension CountedEvents {
    /// "12 refreshes".
    func count(_ number: UInt64) -> String {
        switch self {
        case .refreshes: Figures.count(number, "refresh", "refreshes")
        case .emissions: Figures.count(number, "emission")
        case .evaluations: Figures.count(number, "evaluation")
        case .subscriptions: Figures.count(number, "subscription")
        case .requests: Figures.count(number, "request")
        }
    }
}
