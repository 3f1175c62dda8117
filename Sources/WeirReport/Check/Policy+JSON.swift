import WeirAnalysis

extension Policy {
    /// Reads the text of a policy file; throws the first of its `mistakes`.
    package init(json text: String) throws(PolicyMistake) {
        let document = try PolicyDocument.value(of: text)
        if let mistake = Self.mistakes(in: document).first { throw mistake }
        self.init()
        if let level = document["failOn"]?.string.flatMap(Level.init(rawValue:)) { failOn = level }
        rules = Self.levels(document["rules"])
        for entry in document["overrides"]?.elements ?? [] {
            var override = Override()
            override.scope = Scope(entry)
            override.rules = Self.levels(entry["rules"])
            overrides.append(override)
        }
        budgets = (document["budgets"]?.elements ?? []).map(Self.budget)
        for entry in document["waivers"]?.elements ?? [] {
            var waiver = Waiver()
            waiver.scope = Scope(entry)
            waiver.rule = entry["rule"]?.string
            waiver.fingerprint = entry["fingerprint"]?.string
            waiver.reason = entry["reason"]?.string ?? ""
            waiver.expires = entry["expires"]?.string
            waivers.append(waiver)
        }
    }

    /// All mistakes in the text of a policy file; none: it is a policy.
    ///
    /// A text that is not JSON has one mistake.
    package static func mistakes(inJSON text: String) -> [PolicyMistake] {
        do { return mistakes(in: try PolicyDocument.value(of: text)) } catch { return [error] }
    }

    private static func mistakes(in document: JSONValue) -> [PolicyMistake] {
        func entries(_ name: String) -> [(path: String, entry: JSONValue)] {
            (document[name]?.elements ?? []).enumerated().map { ("\(name)[\($0)]", $1) }
        }
        // An entry with a mistake in its grammar may only seem to be empty.
        let ofGrammar = PolicyDocument.mistakes(in: document, .policy)
        func isSound(_ path: String) -> Bool { !ofGrammar.contains { $0.path.hasPrefix(path) } }
        var found = ofGrammar
        for (path, entry) in entries("overrides") where isSound(path) && levels(entry["rules"]).isEmpty {
            found.append(PolicyMistake(path: "\(path).rules", problem: .empty("rules")))
        }
        for (path, entry) in entries("budgets") where isSound(path) {
            let metrics = BudgetMetric.allCases.filter { entry[$0.rawValue] != nil }
            if metrics.isEmpty { found.append(PolicyMistake(path: path, problem: .empty("limits"))) }
            for metric in metrics where !metric.hasSubjects && !Scope(entry).isEverything {
                let problem = PolicyMistake.Problem.needsNoScope(metric.rawValue)
                found.append(PolicyMistake(path: "\(path).\(metric.rawValue)", problem: problem))
            }
        }
        for (path, entry) in entries("waivers") where isSound(path) {
            guard entry["rule"] == nil, entry["fingerprint"] == nil, Scope(entry).isEverything else { continue }
            found.append(PolicyMistake(path: path, problem: .empty("waiver")))
        }
        return found
    }

    private static func levels(_ rules: JSONValue?) -> [String: Level] {
        (rules?.members ?? []).reduce(into: [:]) { levels, member in
            levels[member.name] = member.value.string.flatMap(Level.init(rawValue:))
        }
    }

    private static func budget(_ entry: JSONValue) -> Budget {
        var budget = Budget()
        budget.scope = Scope(entry)
        for metric in BudgetMetric.allCases { budget.limits[metric] = entry[metric.rawValue]?.number }
        if let level = entry["level"]?.string.flatMap(Level.init(rawValue:)) { budget.level = level }
        return budget
    }

    /// The text of a policy file.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init(name: "version", value: .signed(PolicyGrammar.version)),
            .init(name: "failOn", value: .string(failOn.rawValue)),
        ]
        if !rules.isEmpty { members.append(.init(name: "rules", value: Self.json(rules))) }
        if !overrides.isEmpty {
            let entries = overrides.map {
                JSONValue.object($0.scope.members + [.init(name: "rules", value: Self.json($0.rules))])
            }
            members.append(.init(name: "overrides", value: .array(entries)))
        }
        if !budgets.isEmpty { members.append(.init(name: "budgets", value: .array(budgets.map(\.json)))) }
        if !waivers.isEmpty { members.append(.init(name: "waivers", value: .array(waivers.map(\.json)))) }
        return .object(members)
    }

    private static func json(_ rules: [String: Level]) -> JSONValue {
        .object(rules.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value.rawValue)) })
    }
}

extension Policy.Budget {
    fileprivate var json: JSONValue {
        let limits = BudgetMetric.allCases.compactMap { metric in
            self.limits[metric].map { JSONValue.Member(name: metric.rawValue, value: .number($0)) }
        }
        let level = level == .error ? [] : [JSONValue.Member(name: "level", value: .string(level.rawValue))]
        return .object(scope.members + limits + level)
    }
}

extension Policy.Waiver {
    fileprivate var json: JSONValue {
        let texts: [(String, String?)] = [
            ("rule", rule), ("fingerprint", fingerprint), ("reason", reason), ("expires", expires),
        ]
        let members = texts.compactMap { name, text in
            text.map { JSONValue.Member(name: name, value: .string($0)) }
        }
        return .object(scope.members + members)
    }
}

extension Policy.Scope {
    fileprivate init(_ entry: JSONValue) {
        self.init()
        nodes = Self.patterns(entry["nodes"])
        owners = Self.patterns(entry["owners"])
        files = Self.patterns(entry["files"])
    }

    private static func patterns(_ list: JSONValue?) -> [NamePattern] {
        (list?.elements ?? []).compactMap { $0.string.map(NamePattern.init) }
    }

    fileprivate var members: [JSONValue.Member] {
        [("nodes", nodes), ("owners", owners), ("files", files)].filter { !$0.1.isEmpty }.map { name, patterns in
            .init(name: name, value: .array(patterns.map { .string($0.text) }))
        }
    }
}

extension Baseline {
    /// Reads the text of a baseline file.
    package init(json text: String) throws(PolicyMistake) {
        let document = try PolicyDocument.value(of: text)
        if let mistake = PolicyDocument.mistakes(in: document, .baseline).first { throw mistake }
        self.init(
            (document["findings"]?.elements ?? []).map { entry in
                Entry(
                    rule: entry["rule"]?.string ?? "", name: entry["name"]?.string ?? "",
                    identity: entry["fingerprint"]?.string ?? "",
                    looseIdentity: entry["looseFingerprint"]?.string ?? "",
                    files: (entry["files"]?.elements ?? []).compactMap(\.string),
                    count: Int(entry["count"]?.number ?? 0))
            })
    }

    /// The text of a baseline file; equal findings give the same text, so that version control shows what changed.
    package var json: JSONValue {
        [
            "version": .signed(PolicyGrammar.version),
            "findings": .array(
                entries.map { entry in
                    let name = entry.name.isEmpty ? [] : [JSONValue.Member(name: "name", value: .string(entry.name))]
                    return .object(
                        [.init(name: "rule", value: .string(entry.rule))] + name + [
                            .init(name: "files", value: .array(entry.files.map { .string($0) })),
                            .init(name: "fingerprint", value: .string(entry.identity)),
                            .init(name: "looseFingerprint", value: .string(entry.looseIdentity)),
                            .init(name: "count", value: .signed(Int64(entry.count))),
                        ])
                }),
        ]
    }
}

extension JSONValue {
    /// A number, without decimals if it has none.
    static func number(_ number: Double) -> JSONValue {
        Int64(exactly: number).map(JSONValue.signed) ?? .double(number)
    }
}

extension Policy {
    /// Whether a text is a day of the calendar, such as "2026-12-31".
    package static func isDay(_ text: String) -> Bool { PolicyDocument.isDay(text) }
}
