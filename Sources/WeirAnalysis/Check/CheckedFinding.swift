import WeirTrace

/// The facts of a finding by which a policy and a baseline judge it, whichever rule made it.
package struct CheckedFinding: Sendable {
    /// The rule.
    package let rule: CheckRule
    /// The severity that the rule gives it.
    package internal(set) var severity: Finding.Severity
    /// The key that recognises it in other recordings.
    package let key: FindingKey
    /// Its fingerprint in its trace, which is not the key's identity if several lines have the same names.
    package let fingerprint: String
    /// The names of its nodes and objects, the most important first; patterns of a policy are compared with these.
    package let names: [String]
    /// The names and types of the objects that it belongs to.
    package let owners: [String]
    /// Its lines, the one to show first.
    package let sites: [TraceSite]
    /// How often it occurs in its trace.
    package let count: UInt64
    /// The reason that the program declares for it; nil: it is not intended.
    package let intention: String?
}

extension CheckedFinding {
    /// The facts of a redundancy finding.
    init(_ finding: Finding, _ lines: ProgramLines) {
        let definitions = lines.definitions
        let subscription = definitions.subscriptions[finding.tallies[0].subscription]
        let nodes = [finding.node] + [subscription?.target].compactMap(\.self)
        let owners = nodes.map { definitions.nodes[$0]?.owner } + [subscription?.owner]
        self.init(
            rule: CheckRule(.redundancy(finding.rule)), severity: finding.severity, key: FindingKey(finding, lines),
            fingerprint: finding.fingerprint,
            names: nodes.map(definitions.name(ofNode:)), owners: definitions.names(ofObjects: owners),
            sites: Self.distinct([finding.site, definitions.nodes[finding.node]?.site, finding.remedy?.site]),
            count: finding.count, intention: finding.intention)
    }

    /// The facts of a leak finding, whose example is in `snapshot`.
    init(_ finding: LeakFinding, in snapshot: TraceSnapshot, _ definitions: TraceDefinitions) {
        var (names, owners, sites) = ([String](), [UInt32?](), [finding.remedy.site])
        switch finding.example {
        case .cycle, .object:
            let references = finding.references(in: snapshot)
            var places = references.map { Int($0.source) }
            if case .object(let place) = finding.example { places.insert(place, at: 0) }
            for place in places {
                guard let object = snapshot.object(place), !object.isInternal, object.kind == .instance else {
                    continue
                }
                names += [object.label, object.type].compactMap(\.self)
            }
            sites += references.map(\.site) + places.map { snapshot.object($0)?.site }
        case .tracked(let id):
            names += definitions.names(ofObjects: [id])
        case .orphan(let id), .openSubscription(let id):
            let subscription = definitions.subscriptions[id]
            names += [subscription?.source, subscription?.target].compactMap(\.self).map(definitions.name(ofNode:))
            owners.append(subscription?.owner)
            sites.append(subscription?.site)
        case .growth(let growth):
            switch growth.line {
            case .nodes(_, let site), .subscriptions(let site): sites.append(site)
            case .objects(let type, let label): names += [label, type].compactMap(\.self)
            }
        }
        self.init(
            rule: CheckRule(.leak(finding.rule)), severity: finding.severity, key: FindingKey(finding),
            fingerprint: finding.fingerprint,
            names: Self.distinct(names), owners: Self.distinct(names + definitions.names(ofObjects: owners)),
            sites: Self.distinct(sites), count: finding.count, intention: nil)
    }

    private static func distinct<Element: Hashable>(_ elements: [Element?]) -> [Element] {
        var seen: Set<Element> = []
        return elements.compactMap { $0 }.filter { seen.insert($0).inserted }
    }
}

extension LeakFinding {
    /// The references along the cycle or path of the example; none if a snapshot does not contain it.
    package func references(in snapshot: TraceSnapshot) -> [SnapshotReference] {
        switch example {
        case .cycle(let place):
            snapshot.cycles.indices.contains(place) ? snapshot.references(of: snapshot.cycles[place]) : []
        case .object(let place): snapshot.object(place) == nil ? [] : snapshot.way(to: place)
        case .tracked, .orphan, .openSubscription, .growth: []
        }
    }
}

extension TraceDefinitions {
    /// The labels and types of objects.
    func names(ofObjects ids: [UInt32?]) -> [String] {
        ids.compactMap { $0.flatMap { objects[$0] } }.flatMap { [$0.label, $0.type].compactMap(\.self) }
    }
}

/// The key that recognises a finding in other recordings, also those of other versions of the program.
package struct FindingKey: Sendable, Hashable {
    /// A hash of the rule and of the names, without lines, folders and modules: 16 hexadecimal digits.
    ///
    /// It is the fingerprint that the finding has if no other line of the program has the same names.
    package let identity: String
    /// The same without the names of files.
    package let looseIdentity: String
    /// The names of the files in `identity`, without folders: each once, sorted.
    package let files: [String]
    /// The lines, which distinguish findings with one identity in recordings of the same version of the program.
    package let lines: [String]

    /// The key of a finding of `rule`: `words` are its lasting names, `files` the names of its files, in order.
    init(rule: String, words: [String], files: [String], lines: [String]) {
        var (full, loose) = (StableHash(), StableHash())
        for word in [rule] + words {
            full.add(word)
            loose.add(word)
        }
        for file in files { full.add(file) }
        identity = StableHash.digits(full.value)
        looseIdentity = StableHash.digits(loose.value)
        self.files = Set(files).subtracting([""]).sorted()
        self.lines = lines
    }

    /// The key of a redundancy finding.
    init(_ finding: Finding, _ lines: ProgramLines) {
        let fingerprints = FindingFingerprints([], lines)
        let definitions = lines.definitions
        // As in a fingerprint, the least of several identities counts.
        let least = finding.tallies.min {
            fingerprints.value(of: $0, ordinal: 0) < fingerprints.value(of: $1, ordinal: 0)
        }
        let tally = least ?? finding.tallies[0]
        func words(withFiles: Bool) -> [String] {
            lines.identity(ofNode: tally.node, withFiles: withFiles)
                + lines.identity(ofSubscription: tally.subscription, withFiles: withFiles)
        }
        var loose = StableHash()
        for word in [finding.rule.rawValue] + words(withFiles: false) { loose.add(word) }
        let node = definitions.nodes[tally.node]
        let sites = [node?.site, definitions.subscriptions[tally.subscription]?.site]
        identity = StableHash.digits(fingerprints.value(of: tally, ordinal: 0))
        looseIdentity = StableHash.digits(loose.value)
        let named = zip(words(withFiles: true), words(withFiles: false)).filter { $0 != $1 }.map(\.0)
        files = Set(named).sorted()
        self.lines = sites.map { $0?.description ?? "" } + [lines.line(ofNode: tally.node).property ?? ""]
    }

    /// The key of a leak finding.
    init(_ finding: LeakFinding) {
        let words = finding.signature.words
        identity = StableHash.digits(finding.signature.hash(rule: finding.rule, withFiles: true).value)
        looseIdentity = StableHash.digits(finding.signature.hash(rule: finding.rule, withFiles: false).value)
        files = Set(words.compactMap { $0.site?.fileName }).sorted()
        lines = words.map { $0.site?.description ?? "" }
    }
}
