/// The findings that a project had when it began to check, or when it last updated its baseline.
///
/// A finding is known if an entry has its identity; each entry covers as many findings as its count. A file that no checked
/// trace mentions any more may have been renamed: its entries also cover findings that differ in the names of files only.
package struct Baseline: Sendable, Equatable {
    /// Findings with one identity.
    package struct Entry: Sendable, Equatable {
        /// The name of the rule.
        package var rule: String
        /// The name of the node or object, for readers.
        package var name: String
        /// The identity; see `FindingKey`.
        package var identity: String
        /// The identity without the names of files.
        package var looseIdentity: String
        /// The names of the files.
        package var files: [String]
        /// How many findings it covers.
        package var count: Int

        /// An entry.
        package init(
            rule: String, name: String, identity: String, looseIdentity: String, files: [String], count: Int
        ) {
            self.rule = rule
            self.name = name
            self.identity = identity
            self.looseIdentity = looseIdentity
            self.files = files
            self.count = count
        }
    }

    /// The entries, by file, rule, name and identity.
    package private(set) var entries: [Entry]

    /// A baseline with these entries.
    package init(_ entries: [Entry] = []) {
        self.entries = entries.sorted {
            ($0.files.joined(separator: "/"), $0.rule, $0.name, $0.identity)
                < ($1.files.joined(separator: "/"), $1.rule, $1.name, $1.identity)
        }
    }

    /// The baseline of findings.
    package init(of findings: [CheckedFinding]) {
        let groups = Dictionary(grouping: findings, by: \.key.identity)
        self.init(
            groups.values.map { group in
                let names = group.map { $0.names.first ?? "" }
                return Entry(
                    rule: group[0].rule.name, name: names.min() ?? "", identity: group[0].key.identity,
                    looseIdentity: group[0].key.looseIdentity, files: group[0].key.files, count: group.count)
            })
    }

    /// The baseline that also covers what `others` cover.
    func adding(_ others: [Entry]) -> Baseline {
        Baseline(
            Dictionary(grouping: entries + others, by: \.identity).values.map { group in
                var entry = group[0]
                entry.count = group.reduce(0) { $0 + $1.count }
                return entry
            })
    }

    /// The result of a comparison with findings.
    package struct Match: Sendable, Equatable {
        /// The indexes of the findings that the baseline covers.
        package var known: Set<Int> = []
        /// The entries that cover fewer findings than their count, with the number that is left.
        package var cured: [Entry] = []
    }

    /// Matches findings and entries one to one.
    ///
    /// Of several findings with one identity, the first ones count as known: those that come first in the order given.
    /// `mentionedFiles` are the names of the files that the checked traces mention.
    package func match(_ findings: [CheckedFinding], mentionedFiles: Set<String>) -> Match {
        var match = Match()
        var left = entries
        func cover(_ candidates: [Int]?, by entry: Int) {
            let open = (candidates ?? []).lazy.filter { !match.known.contains($0) }
            let covered = Array(open.prefix(left[entry].count))
            left[entry].count -= covered.count
            match.known.formUnion(covered)
        }
        let byIdentity = Dictionary(grouping: findings.indices, by: { findings[$0].key.identity })
        for place in left.indices { cover(byIdentity[left[place].identity], by: place) }
        let byLooseIdentity = Dictionary(grouping: findings.indices, by: { findings[$0].key.looseIdentity })
        for place in left.indices where left[place].count > 0 {
            guard left[place].files.contains(where: { !mentionedFiles.contains($0) }) else { continue }
            cover(byLooseIdentity[left[place].looseIdentity], by: place)
        }
        match.cured = left.filter { $0.count > 0 }
        return match
    }
}
