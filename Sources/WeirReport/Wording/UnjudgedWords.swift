import WeirAnalysis
import WeirTrace

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
