import WeirTrace

/// Makes the fingerprints of findings: FNV-1a of the rule and the names of node and subscriber, without lines and modules.
///
/// If several lines have the same names, their order in the program's text distinguishes them.
struct FindingFingerprints {
    private struct Lines: Hashable, Comparable {
        var node: Int
        var subscription: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.node, left.subscription) < (right.node, right.subscription)
        }
    }

    private let lines: ProgramLines
    /// For each requested identity, the lines that have it, with their ordinals.
    private var ordinals: [StableHash: [Lines: Int]] = [:]

    /// Fingerprints for findings made of these tallies.
    init(_ tallies: some Sequence<RuleTally>, _ lines: ProgramLines) {
        self.lines = lines
        var wanted: Set<StableHash> = []
        for tally in tallies { wanted.insert(identity(tally.node, tally.subscription)) }
        guard !wanted.isEmpty else { return }
        var found: [StableHash: Set<Lines>] = [:]
        func note(_ node: UInt32, _ subscription: UInt32) {
            let identity = identity(node, subscription)
            if wanted.contains(identity) { found[identity, default: []].insert(place(node, subscription)) }
        }
        for node in lines.definitions.nodes.keys { note(node, 0) }
        for subscription in lines.definitions.subscriptions.values { note(subscription.source, subscription.id) }
        ordinals = found.mapValues { lines in
            Dictionary(uniqueKeysWithValues: zip(lines.sorted(), 0...))
        }
    }

    /// The fingerprint of a finding: 16 hexadecimal digits.
    func fingerprint(of tallies: [RuleTally]) -> String {
        // Instances have equal fingerprints, unless one line subscribes nodes with several names.
        let least = tallies.map(fingerprint).min() ?? 0
        return StableHash.digits(least)
    }

    private func fingerprint(_ tally: RuleTally) -> UInt64 {
        let identity = identity(tally.node, tally.subscription)
        return value(of: tally, ordinal: ordinals[identity]?[place(tally.node, tally.subscription)] ?? 0)
    }

    /// The fingerprint of a tally whose line has this place among the lines with the same names.
    func value(of tally: RuleTally, ordinal: Int) -> UInt64 {
        let identity = identity(tally.node, tally.subscription)
        var hash = StableHash()
        hash.add(tally.rule.rawValue)
        hash.add(String(identity.value))
        if ordinal > 0 { hash.add(String(ordinal)) }
        return hash.value
    }

    private func identity(_ node: UInt32, _ subscription: UInt32) -> StableHash {
        var hash = StableHash()
        for word in lines.identity(ofNode: node) { hash.add(word) }
        guard subscription != 0 else { return hash }
        hash.add("→")
        for word in lines.identity(ofSubscription: subscription) { hash.add(word) }
        return hash
    }

    private func place(_ node: UInt32, _ subscription: UInt32) -> Lines {
        let definitions = lines.definitions
        return Lines(
            node: definitions.nodes[node]?.site?.line ?? 0,
            subscription: definitions.subscriptions[subscription]?.site?.line ?? 0)
    }
}
