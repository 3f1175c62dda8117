import WeirTrace

@testable import WeirAnalysis

extension NaiveFindings {
    /// All differences between the findings of a pass and those of the page, in words.
    static func differences(_ findings: Findings, _ rules: NaiveRules) -> [String] {
        var naive = NaiveFindings(rules)
        let found = findings.found + findings.intended
        func subjects(_ finding: Finding) -> Set<Subject> {
            Set(finding.tallies.map { Subject(rule: $0.rule, node: $0.node, subscription: $0.subscription) })
        }
        let known = Dictionary(uniqueKeysWithValues: found.enumerated().map { (subjects($1), $0) })
        let missing = naive.found.filter { known[$0.subjects] == nil }
        if found.count != naive.found.count || !missing.isEmpty {
            return ["other findings: \(missing.map { "\($0.subjects)" }.sorted())"]
        }
        naive.sort { known[$0] }
        naive.group()
        var faults: [String] = []
        let order = naive.found.filter { !$0.isIntended }.map(\.subjects)
        if order != findings.found.map(subjects) { faults.append("another order") }
        for expected in naive.found {
            let finding = found[known[expected.subjects]!]
            let name = expected.subjects.map(\.description).sorted().joined(separator: " and ")
            if finding.severity != expected.severity {
                faults.append("severity: \(name) is \(finding.severity), by the page \(expected.severity)")
            }
            let primary = finding.primary.flatMap { key in found.first { $0.fingerprint == key } }.map(subjects)
            let expectedPrimary = expected.primary.map { naive.found[$0].subjects }
            if primary != expectedPrimary {
                faults.append(
                    "cause: \(name) is listed under \(primary.map { "\($0)" } ?? "none"),"
                        + " by the page under \(expectedPrimary.map { "\($0)" } ?? "none")")
                continue
            }
            guard let remedy = finding.remedy, let wanted = expected.remedy else {
                if (finding.remedy == nil) != (expected.remedy == nil) {
                    faults.append(
                        "remedy: \(name) has \(finding.remedy.map { $0.kind.rawValue } ?? "none"),"
                            + " by the page \(expected.remedy.map { $0.kind.rawValue } ?? "none")")
                }
                continue
            }
            if remedy.kind != wanted.kind
                || !wanted.nodes.isEmpty && wanted.nodes != Set(remedy.nodes)
                || !wanted.subscriptions.isEmpty && wanted.subscriptions != Set(remedy.subscriptions)
            {
                faults.append(
                    "remedy: \(name) has \(remedy.kind.rawValue) at \(remedy.nodes), \(remedy.subscriptions),"
                        + " by the page \(wanted.kind.rawValue) at \(wanted.nodes.sorted()), \(wanted.subscriptions.sorted())"
                )
            }
        }
        return faults
    }
}

extension NaiveFindings {
    /// The numbers of the compared findings.
    struct Figures: CustomStringConvertible {
        private(set) var findings = 0
        private(set) var listed = 0
        private(set) var severities: [String: Int] = [:]
        private(set) var remedies: [String: Int] = [:]

        mutating func add(_ findings: Findings) {
            for finding in findings.found + findings.intended {
                self.findings += 1
                if finding.primary != nil { listed += 1 }
                severities["\(finding.rule.rawValue) \(finding.severity)", default: 0] += 1
                remedies[finding.remedy?.kind.rawValue ?? "none", default: 0] += 1
            }
        }

        var description: String {
            func list(_ counts: [String: Int]) -> String {
                counts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
            }
            return "\(findings) findings, \(listed) listed under others\n\(list(severities))\n\(list(remedies))"
        }
    }
}
