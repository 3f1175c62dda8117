import Weir
import WeirAnalysis

/// A program with one finding that has a remedy, and the same program with that remedy applied as Weir words it.
struct RemedyProgram {
    /// The answer of `--what-if` to the question what the remedy saves.
    enum Prediction: Equatable {
        /// The figures of the cured program.
        case exact
        /// Some turns cannot be computed, for this reason.
        case partial(WhatIf.Reason)
        /// Nothing can be said about remedies of this kind.
        case none
    }

    /// A finding, by its rule and the name of its node.
    struct Found: Hashable, CustomStringConvertible {
        let rule: RedundancyRule
        let node: String

        var description: String { "\(rule.rawValue) \(node)" }
    }

    let name: String
    let finding: Found
    let remedy: Remedy.Kind
    /// The text of the remedy, without lines of the program.
    let says: String
    let prediction: Prediction
    let values: TraceValues
    /// Evaluations of the operators that the remedy adds, which no prediction counts.
    let addedEvaluations: UInt64
    /// The rules of notes that the cured program cannot avoid.
    let leaves: Set<RedundancyRule>
    /// Whether the prediction is about the change that the program makes, rather than the other one that the remedy names.
    let isPredictedAsWorded: Bool
    /// Other findings, whose remedies differ.
    let besides: Set<Found>
    /// Whether the cured program shows the same in the end; it does not if the remedy ends a subscription.
    let showsSame: Bool
    /// Runs the program, with the remedy if it is cured.
    let body: (_ scene: Scene, _ isCured: Bool) throws -> Void

    init(
        _ name: String, _ rule: RedundancyRule, _ node: String, _ remedy: Remedy.Kind, says: String,
        prediction: Prediction = .exact, values: TraceValues = .scalars, addedEvaluations: UInt64 = 0,
        leaves: Set<RedundancyRule> = [], isPredictedAsWorded: Bool = true, besides: Set<Found> = [],
        showsSame: Bool = true,
        _ body: @escaping (Scene, Bool) throws -> Void
    ) {
        self.name = name
        finding = Found(rule: rule, node: node)
        self.remedy = remedy
        self.says = says
        self.prediction = prediction
        self.values = values
        self.addedEvaluations = addedEvaluations
        self.leaves = leaves
        self.isPredictedAsWorded = isPredictedAsWorded
        self.besides = besides
        self.showsSame = showsSame
        self.body = body
    }
}

/// A program with a finding that has no remedy, because none that Weir knows would cure it.
struct UncuredProgram {
    let name: String
    let finding: RemedyProgram.Found
    let body: (_ scene: Scene) -> Void

    init(_ name: String, _ rule: RedundancyRule, _ node: String, _ body: @escaping (Scene) -> Void) {
        self.name = name
        finding = RemedyProgram.Found(rule: rule, node: node)
        self.body = body
    }
}

/// The programs of all rules.
enum RemedyPrograms {
    static var all: [RemedyProgram] {
        RepeatedValueRemedies.all + GlitchRemedies.all + BurstRemedies.all + EvaluationRemedies.all
            + SourceRemedies.all + HandlerRemedies.all + OtherTechniqueRemedies.all
    }
}
