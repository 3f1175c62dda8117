import WeirTrace

/// Redundant work, its cost, and a remedy.
///
/// If one line of the program makes many instances (the cells of a list), they form one finding, with their number.
package struct Finding: Sendable, Equatable {
    /// The severity of a finding.
    package enum Severity: Int, Sendable, Comparable {
        /// Work without visible effect.
        case note
        /// Refreshes that were redundant or too long.
        case warning
        /// A fault of the program.
        case error

        /// Orders severities from note to error.
        package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// The rule.
    package let rule: RedundancyRule
    /// The severity.
    package let severity: Severity
    /// The tallies of the rule; that of the instance that wasted most comes first.
    package let tallies: [RuleTally]
    /// The count over all instances.
    package let count: UInt64
    /// Redundant refreshes, over all instances.
    package let refreshes: UInt64
    /// Their handler time in ticks; for `slowRefresh`, the time beyond a frame.
    package let wastedTicks: UInt64
    /// The line that it concerns: the subscription's, or else the node's.
    package let site: TraceSite?
    /// The suggested change; nil if none is known to help, or if that of the finding `primary` cures this one, too.
    package internal(set) var remedy: Remedy?
    /// An identifier of 16 hexadecimal digits: the same in each recording of the program, also after lines have moved.
    package let fingerprint: String
    /// The node whose emissions all counted events follow from, as for `RuleTally.cause`; nil: no single line made such nodes.
    package let cause: UInt32?
    /// The fingerprint of the worst finding with the same cause; nil if this is that one, or the only one.
    package internal(set) var primary: String?
    /// Why it is intended, in the program's words; nil if no intention is declared.
    package let intention: String?

    /// Whether it is what a condition does: its inputs change, and its value does not; no change of the program helps.
    package var isNormal: Bool { rule == .noopEvaluation && remedy == nil && primary == nil }

    /// The first event that was counted.
    package var example: EventID { tallies[0].example }
    /// The events whose evidence a report shows or names.
    package var shownEvents: [EventID] {
        let examples = tallies.prefix(Self.talliesShown).flatMap(\.examples).flatMap { [$0.first, $0.next] }
        return [example] + (tallies[0].counterpart.map { [$0] } ?? []) + examples
    }
    /// How many instances a report looks at for the parts of the program that write.
    package static let talliesShown = 3

    /// The id of the node that it concerns, in the instance that wasted most.
    package var node: UInt32 { tallies[0].node }
}

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
