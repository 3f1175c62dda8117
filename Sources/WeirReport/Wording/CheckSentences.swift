import WeirAnalysis

/// The sentences of `weir check`.
enum CheckSentences {
    /// "Checked 6 traces (1.2 MiB): 2 new findings, 5 in the baseline, 1 waived."
    static func summary(_ report: CheckReport) -> String {
        let counts = report.counts
        var parts = [Figures.count(counts.new, "new finding")]
        if counts.notes > 0 { parts.append(Figures.count(counts.notes, "note")) }
        if counts.known > 0 { parts.append("\(Figures.count(counts.known)) in the baseline") }
        if counts.waived > 0 { parts.append("\(Figures.count(counts.waived)) waived") }
        if counts.intended > 0 { parts.append("\(Figures.count(counts.intended)) intended") }
        return "Checked \(Figures.count(report.judged, "trace")) (\(Figures.bytes(report.bytes))): "
            + parts.joined(separator: ", ") + "."
    }

    /// "The check failed: 2 new findings."
    static func outcome(_ report: CheckReport) -> String {
        switch report.outcome {
        case .passed: return "The check passed."
        case .failed where report.verdict.failures.isEmpty:
            return "The check failed: a trace has more than \(Figures.count(TraceFindings.limit)) findings."
        case .failed: return "The check failed: \(Figures.count(report.verdict.failures.count, "new finding"))."
        case .unreadable:
            let count = report.faults.count { $0.fault == .unreadable }
            return "The check failed: \(Figures.count(count, "trace")) could not be read."
        case .incomplete: return "The check failed: a trace is incomplete, so a fault may have been missed."
        }
    }

    /// Findings that were not kept.
    static func omitted(_ count: UInt64) -> String {
        "\(Figures.count(count, "finding")) beyond the worst \(Figures.count(TraceFindings.limit)) of a trace "
            + "\(count == 1 ? "is" : "are") not listed and fail the check."
    }

    /// A waiver that covers nothing, or has expired; `place` counts from 0.
    static func waiver(_ waiver: Policy.Waiver, at place: Int, hasExpired: Bool) -> String {
        let reason = "“\(TerminalText.cut(TerminalText.escaped(waiver.reason), to: 100))”"
        return hasExpired
            ? "waivers[\(place)] expired after \(waiver.expires ?? ""): \(reason)"
            : "waivers[\(place)] covers no finding, so remove it: \(reason)"
    }

    /// The findings of the baseline that no longer fail the check: they are gone, or the policy covers them.
    static func cured(_ count: Int, isCertain: Bool) -> String {
        let subject =
            "\(Figures.count(count, "finding")) of the baseline no longer fail\(count == 1 ? "s" : "") the check"
        return isCertain
            ? "\(subject): `weir check --update-baseline` removes \(count == 1 ? "it" : "them")."
            : "\(subject), but a trace was not read in full: `weir check --update-baseline` removes nothing until all are."
    }

    /// Why a finding is new although the baseline has findings like it.
    static func alike(_ count: Int) -> String {
        "\(Figures.count(count, "finding has", "findings have")) this fingerprint, and the baseline has fewer: the last of them are new"
    }

    /// A file name that has no single path.
    static func ambiguous(_ file: String, _ paths: [String]) -> String {
        let shown = paths.prefix(4).map { TerminalText.escaped($0) }
        let rest = paths.count - shown.count
        return "\(TerminalText.escaped(file)) may be "
            + (shown + (rest > 0 ? ["\(Figures.count(rest)) more"] : [])).joined(separator: " or ")
    }
}

extension CheckReport {
    /// How many findings have each status; new ones below the failing level are notes.
    var counts: (new: Int, notes: Int, known: Int, waived: Int, intended: Int) {
        var counts = (new: 0, notes: 0, known: 0, waived: 0, intended: 0)
        for item in verdict.items {
            switch item.status {
            case .new: if item.level >= verdict.policy.failOn { counts.new += 1 } else { counts.notes += 1 }
            case .known: counts.known += 1
            case .waived: counts.waived += 1
            case .intended: counts.intended += 1
            }
        }
        return counts
    }

    /// The files of shown findings that several paths may have, sorted.
    var ambiguousFiles: [(file: String, paths: [String])] {
        sources.ambiguousFiles(of: verdict.items.lazy.map(\.entry))
    }

    /// The reason for which a finding does not fail the check; nil: it is new.
    func reason(of item: CheckVerdict<FindingStory>.Item) -> String? {
        switch item.status {
        case .new: return nil
        case .known: return "in the baseline"
        case .waived(let place):
            let waiver = verdict.policy.waivers[place]
            return "waived\(waiver.expires.map { " until \($0)" } ?? ""): \(TerminalText.escaped(waiver.reason))"
        case .intended(let reason): return "intended: \(TerminalText.escaped(reason))"
        }
    }
}

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
