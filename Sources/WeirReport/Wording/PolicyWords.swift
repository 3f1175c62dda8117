import WeirAnalysis

/// The sentence about a mistake in a policy or baseline: file, path in the document, what is wrong, and what is allowed.
package struct PolicyWords {
    private let path: String
    private let mistake: PolicyMistake

    /// Words about a mistake in the file at a path.
    package init(path: String, mistake: PolicyMistake) {
        self.path = path
        self.mistake = mistake
    }

    /// One sentence, not escaped.
    package var sentence: String {
        if case .notJSON(let error) = mistake.problem {
            return "\(path):\(error.line):\(error.column): this is not JSON: \(error.problem)."
        }
        let place = mistake.path.isEmpty ? "" : ": \(mistake.path)"
        let problem = problem
        return "\(path)\(place): \(problem)" + (problem.hasSuffix("?") ? "" : ".")
    }

    private var problem: String {
        switch mistake.problem {
        case .notJSON(let error): error.problem
        case .unknownMember(let name, let allowed):
            "there is no \"\(name)\"; " + (near(name, allowed) ?? "allowed are \(list(allowed))")
        case .missing(let name): "\"\(name)\" is missing; add it"
        case .expected(let expected): "this must be \(expected)"
        case .unknownWord(let word, let allowed):
            "\"\(word)\" is not allowed; " + (near(word, allowed) ?? "allowed are \(list(allowed))")
        case .version(let found, let known):
            "this file has version \(found), and this weir reads version \(known); update weir, or make the file again with this one"
        case .empty(let what):
            what == "waiver"
                ? "this would waive everything; add a rule, a fingerprint, nodes, owners or files"
                : what == "limits"
                    ? "this limits nothing; add one of \(list(BudgetMetric.allCases.map(\.rawValue)))"
                    : "this names no rule; add one, such as \"burst\": \"off\""
        case .needsNoScope(let metric):
            "\(metric) is a figure of all traces together; leave out nodes, owners and files"
        }
    }

    private func near(_ word: String, _ allowed: [String]) -> String? {
        let nearest = Spelling.nearest(to: word, among: allowed, limit: 2)
        return nearest.isEmpty ? nil : "did you mean \(nearest.map { "\"\($0)\"" }.joined(separator: " or "))?"
    }

    private func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
