import WeirTrace

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
