/// A project's demands on its data flows: levels of rules, budgets, and waivers.
package struct Policy: Sendable, Equatable {
    /// How serious a finding is.
    package enum Level: String, CaseIterable, Sendable, Comparable {
        /// It is not reported.
        case off
        /// It is reported and never fails a check.
        case note
        /// It fails a check, unless the policy fails on errors only.
        case warning
        /// It fails a check.
        case error

        /// The level of a severity.
        package init(_ severity: Finding.Severity) {
            self =
                switch severity {
                case .note: .note
                case .warning: .warning
                case .error: .error
                }
        }

        /// Orders levels from off to error.
        package static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The findings that an entry of the policy concerns: those that match one pattern of each list that is not empty.
    package struct Scope: Sendable, Equatable {
        /// Patterns of the names of nodes and objects.
        package var nodes: [NamePattern] = []
        /// Patterns of the names and types of owners.
        package var owners: [NamePattern] = []
        /// Patterns of the paths of files in the repository, or of `#fileID`s.
        package var files: [NamePattern] = []

        /// All findings.
        package init() {}
    }

    /// Levels for a part of the program.
    package struct Override: Sendable, Equatable {
        /// The part.
        package var scope = Scope()
        /// The level of each rule; "*" means all.
        package var rules: [String: Level] = [:]

        /// No level for anything.
        package init() {}
    }

    /// Limits for a part of the program.
    package struct Budget: Sendable, Equatable {
        /// The part.
        package var scope = Scope()
        /// The largest allowed value of each metric.
        package var limits: [BudgetMetric: Double] = [:]
        /// The level of what exceeds it.
        package var level = Level.error

        /// No limit for anything.
        package init() {}
    }

    /// Findings that are accepted, with the reason.
    package struct Waiver: Sendable, Equatable {
        /// The findings' places in the program.
        package var scope = Scope()
        /// The rule; nil: all.
        package var rule: String?
        /// The fingerprint of one finding; nil: any.
        package var fingerprint: String?
        /// The reason, for people.
        package var reason = ""
        /// The last day on which it holds, such as "2026-12-31"; nil: it does not expire.
        package var expires: String?

        /// A waiver of everything.
        package init() {}
    }

    /// The least level that fails a check.
    package var failOn = Level.warning
    /// The level of each rule; "*" means all, and rules that are not named keep the severity of the finding.
    package var rules: [String: Level] = [:]
    /// Levels for parts of the program; the last that applies counts.
    package var overrides: [Override] = []
    /// The budgets.
    package var budgets: [Budget] = []
    /// The waivers.
    package var waivers: [Waiver] = []

    /// No budgets, no waivers, and the level of each rule.
    package init() {}

    /// The level of a finding; `paths` are those of its files.
    package func level(of finding: CheckedFinding, paths: [String]) -> Level {
        let names = [finding.rule.name, "*"]
        var level = names.lazy.compactMap { rules[$0] }.first ?? Level(finding.severity)
        for override in overrides where override.scope.contains(finding, paths: paths) {
            level = names.lazy.compactMap { override.rules[$0] }.first ?? level
        }
        return level
    }

    /// The metrics that its budgets limit.
    package var metrics: Set<BudgetMetric> { Set(budgets.flatMap(\.limits.keys)) }
}

extension Policy.Scope {
    /// Whether it contains everything.
    package var isEverything: Bool { nodes.isEmpty && owners.isEmpty && files.isEmpty }

    /// Whether it contains a finding.
    func contains(_ finding: CheckedFinding, paths: [String]) -> Bool {
        contains(names: finding.names, owners: finding.owners, paths: paths)
    }

    func contains(names: [String], owners: [String], paths: [String]) -> Bool {
        (nodes.isEmpty || nodes.contains { pattern in names.contains { pattern.matches($0) } })
            && (self.owners.isEmpty || self.owners.contains { pattern in owners.contains { pattern.matches($0) } })
            && (files.isEmpty || files.contains { pattern in paths.contains { pattern.matches(path: $0) } })
    }
}

extension Policy.Waiver {
    /// Whether it has expired on a day, such as "2026-11-24".
    func isExpired(on day: String) -> Bool { expires.map { $0 < day } ?? false }

    package func covers(_ finding: CheckedFinding, paths: [String]) -> Bool {
        (rule == nil || rule == finding.rule.name)
            && (fingerprint == nil || fingerprint == finding.key.identity || fingerprint == finding.fingerprint)
            && scope.contains(finding, paths: paths)
    }
}

extension Policy {
    private static let leastRedundantPercent: Double = 5

    /// A policy whose budgets are the measures of good runs, and a share of head room above them.
    ///
    /// Nodes that only their lines name get no budget, because lines move. With head room, at least 5 % of all refreshes may be
    /// redundant.
    package init(budgetsOf measures: Measures, headRoom: Double) {
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
        if let share = all.limits[.redundantPercent] {
            // A share of nothing is nothing: a good run without redundancy would allow none.
            all.limits[.redundantPercent] = headRoom > 0 ? min(100, max(share, Self.leastRedundantPercent)) : share
        }
        if !all.limits.isEmpty { budgets.append(all) }
        for (pattern, value) in perNode.sorted(by: { $0.key < $1.key }) {
            var budget = Budget()
            budget.scope.nodes = [NamePattern(pattern)]
            budget.limits[.refreshesPerStimulus] = limit(value, headRoom)
            budgets.append(budget)
        }
    }
}

/// A pattern of a policy: `*` matches any characters, `**` in a path also for slashes.
package struct NamePattern: Sendable, Hashable {
    /// The text of the pattern.
    package let text: String
    private let parts: [UInt8]

    /// A pattern; every text is one.
    package init(_ text: String) {
        self.text = text
        parts = Array(text.utf8)
    }

    /// Whether the pattern describes the whole name. Cost: the product of both lengths at most.
    package func matches(_ name: String) -> Bool { matches(Array(name.utf8), stopsAtSlash: false) }

    /// Whether the pattern describes the whole path, or a folder that contains it, or, without a slash, the file's name.
    package func matches(path: String) -> Bool {
        let bytes = Array(path.utf8)
        if matches(bytes, stopsAtSlash: true) { return true }
        let slash = UInt8(ascii: "/")
        if !parts.contains(slash), let last = bytes.lastIndex(of: slash) {
            if matches(Array(bytes[(last + 1)...]), stopsAtSlash: true) { return true }
        }
        return bytes.indices.contains { bytes[$0] == slash && matches(Array(bytes[..<$0]), stopsAtSlash: true) }
    }

    private func matches(_ name: [UInt8], stopsAtSlash: Bool) -> Bool {
        let (star, slash) = (UInt8(ascii: "*"), UInt8(ascii: "/"))
        // The states: how many bytes of the pattern are used up, after each byte of the name.
        var states = Set([0])
        func skipStars(_ states: Set<Int>) -> Set<Int> {
            var states = states
            for var place in states {
                while place < parts.count, parts[place] == star {
                    place += 1
                    states.insert(place)
                }
            }
            return states
        }
        states = skipStars(states)
        for byte in name {
            var next: Set<Int> = []
            for place in states where place < parts.count {
                if parts[place] == star {
                    let isDouble =
                        place + 1 < parts.count && parts[place + 1] == star || place > 0 && parts[place - 1] == star
                    if !stopsAtSlash || byte != slash || isDouble { next.insert(place) }
                } else if parts[place] == byte {
                    next.insert(place + 1)
                }
            }
            if next.isEmpty { return false }
            states = skipStars(next)
        }
        return states.contains(parts.count)
    }
}
