import WeirAnalysis
import WeirTrace

/// The possible contents of a policy file: one table for the reader and for the JSON Schema.
indirect enum PolicyGrammar: Sendable {
    /// A member of an object.
    struct Field: Sendable {
        let name: String
        let grammar: PolicyGrammar
        let help: String
        var isRequired = false
    }

    /// An object with these members only.
    case object([Field])
    /// An object whose members are the names of rules, or "*".
    case rules(PolicyGrammar)
    /// A list.
    case list(PolicyGrammar)
    /// Text; an empty one is refused.
    case text
    /// A day: "2026-12-31".
    case day
    /// One of these words.
    case choice([String])
    /// A number from 0 to the limit, whole or not.
    case number(most: Double?, isWhole: Bool)
    /// Exactly this whole number.
    case version(Int64)

    /// The version of policies and baselines.
    static let version: Int64 = 1

    /// A whole policy.
    static let policy = PolicyGrammar.object(
        [
            Field(name: "$schema", grammar: .text, help: "The address of the schema, for editors."),
            Field(name: "version", grammar: .version(version), help: "The version of this format.", isRequired: true),
            Field(
                name: "failOn", grammar: .choice(["note", "warning", "error"]),
                help: "The least level that fails a check; without it, warning."),
            Field(name: "rules", grammar: .rules(level), help: "The level of each rule; \"*\" stands for all."),
            Field(
                name: "overrides",
                grammar: .list(
                    .object(
                        scope + [
                            Field(
                                name: "rules", grammar: .rules(level), help: "The level of each rule there.",
                                isRequired: true)
                        ])),
                help: "Levels for parts of the program; the last entry that applies counts."),
            Field(
                name: "budgets",
                grammar: .list(
                    .object(
                        scope
                            + BudgetMetric.allCases.map {
                                Field(name: $0.rawValue, grammar: $0.grammar, help: $0.meaning)
                            } + [
                                Field(
                                    name: "level", grammar: level,
                                    help: "The level of what exceeds it; without it, error.")
                            ]
                    )),
                help: "The largest values that are allowed; of several budgets for a value, the last one counts."),
            Field(
                name: "waivers",
                grammar: .list(
                    .object(
                        scope + [
                            Field(name: "rule", grammar: .choice(ruleNames), help: "The rule; without it, all rules."),
                            Field(name: "fingerprint", grammar: .text, help: "The fingerprint of one finding."),
                            Field(name: "reason", grammar: .text, help: "Why it is accepted.", isRequired: true),
                            Field(name: "expires", grammar: .day, help: "The last day on which it holds: 2026-12-31."),
                        ])),
                help: "Findings that are accepted."),
        ])

    /// A whole baseline.
    static let baseline = PolicyGrammar.object([
        Field(name: "version", grammar: .version(version), help: "", isRequired: true),
        Field(
            name: "findings",
            grammar: .list(
                .object([
                    Field(name: "rule", grammar: .text, help: "", isRequired: true),
                    Field(name: "name", grammar: .text, help: ""),
                    Field(name: "files", grammar: .list(.text), help: "", isRequired: true),
                    Field(name: "fingerprint", grammar: .text, help: "", isRequired: true),
                    Field(name: "looseFingerprint", grammar: .text, help: "", isRequired: true),
                    Field(name: "count", grammar: .number(most: 1_000_000, isWhole: true), help: "", isRequired: true),
                ])),
            help: "", isRequired: true),
    ])

    private static let level = PolicyGrammar.choice(Policy.Level.allCases.map(\.rawValue))
    static var ruleNames: [String] { CheckRule.all.map(\.name) }
    private static let scope = [
        Field(name: "nodes", grammar: .list(.text), help: "Patterns of names of nodes and objects: LoginViewModel.*"),
        Field(name: "owners", grammar: .list(.text), help: "Patterns of names and types of owners: PlayerScreen"),
        Field(name: "files", grammar: .list(.text), help: "Patterns of paths in the repository: Sources/Legacy/**"),
    ]
}

extension BudgetMetric {
    fileprivate var grammar: PolicyGrammar {
        switch self {
        case .redundantPercent: .number(most: 100, isWhole: false)
        case .handlerMilliseconds: .number(most: nil, isWhole: false)
        case .refreshesPerStimulus, .emissionsPerTurn, .liveSubscriptionsPerLine: .number(most: nil, isWhole: true)
        }
    }
}
