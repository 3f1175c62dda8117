import WeirTrace

/// The tallies of one rule, by the index of a node or subscription.
struct TallyTable {
    let rule: RedundancyRule
    /// The position of a tally, from 1; 0 if there is none.
    private var slots: [Int32]
    private(set) var tallies: [RuleTally] = []
    /// The most counted events to keep for each tally.
    private let mostOccurrences: Int

    init(_ rule: RedundancyRule, ofNodes tables: FlowTables) {
        self.init(rule, places: tables.topology.nodeIDs.count, tables)
    }

    init(_ rule: RedundancyRule, ofSubscriptions tables: FlowTables) {
        self.init(rule, places: tables.topology.subscriptions.count, tables)
    }

    private init(_ rule: RedundancyRule, places: Int, _ tables: FlowTables) {
        self.rule = rule
        mostOccurrences = tables.mostOccurrences
        slots = Array(repeating: 0, count: places)
    }

    /// The position of the tally at an index, to count another event; if there is none, `first` makes it.
    @inline(__always)
    mutating func slot(_ place: Int32, _ first: (RedundancyRule) -> RuleTally) -> Int32 {
        let known = slots[Int(place)]
        return _fastPath(known > 0 && mostOccurrences == 0) ? known - 1 : keep(place, first)
    }

    // Not inlined: tallies are large, and rarely made.
    @inline(never)
    private mutating func keep(_ place: Int32, _ first: (RedundancyRule) -> RuleTally) -> Int32 {
        var new = first(rule)
        if let known = self[place] {
            tallies[Int(known)].occurrences.append(new.example, most: mostOccurrences)
            return known
        }
        new.occurrences.append(new.example, most: mostOccurrences)
        tallies.append(new)
        slots[Int(place)] = Int32(truncatingIfNeeded: tallies.count)
        return Int32(truncatingIfNeeded: tallies.count - 1)
    }

    /// Increments the count of the tally at an index; if there is none, `first` makes it.
    @inline(__always)
    mutating func count(_ place: Int32, _ first: (RedundancyRule) -> RuleTally) {
        tallies[Int(slot(place, first))].count &+= 1
    }

    /// Notes the node that the event just counted at an index follows from.
    mutating func note(cause node: Int32, _ place: Int32, _ tables: FlowTables) {
        guard let slot = self[place] else { return }
        tallies[Int(slot)].note(cause: node >= 0 ? tables.nodes[Int(node)].id : nil)
    }

    @inline(__always)
    mutating func change(_ slot: Int32, _ body: (inout RuleTally) -> Void) { body(&tallies[Int(slot)]) }

    /// The position of the tally at an index; nil if there is none.
    subscript(place: Int32) -> Int32? { slots[Int(place)] > 0 ? slots[Int(place)] - 1 : nil }

    /// Adds a redundant refresh that a tally counts.
    @inline(__always)
    mutating func waste(_ slot: Int32, _ ticks: UInt64) {
        tallies[Int(slot)].refreshes &+= 1
        tallies[Int(slot)].wastedTicks &+= ticks
    }
}

extension [EventID] {
    /// Appends an event, if there are fewer than `most`.
    mutating func append(_ event: EventID, most: Int) { if count < most { append(event) } }
}

/// Counts the refreshes and evaluations that a rule could not judge, by node.
struct UnjudgedTable {
    private var counts: [Key: UInt64] = [:]

    private struct Key: Hashable {
        let rule: RedundancyRule
        let node: UInt32
        let reason: UnjudgedTally.Reason
    }

    mutating func count(_ rule: RedundancyRule, _ node: UInt32, _ reason: UnjudgedTally.Reason) {
        counts[Key(rule: rule, node: node, reason: reason), default: 0] &+= 1
    }

    /// Sorted by rule, node and reason.
    var tallies: [UnjudgedTally] {
        counts.map { UnjudgedTally(rule: $0.rule, node: $0.node, reason: $0.reason, count: $1) }.sorted {
            ($0.rule.bit, $0.node, $0.reason.rawValue) < ($1.rule.bit, $1.node, $1.reason.rawValue)
        }
    }
}
