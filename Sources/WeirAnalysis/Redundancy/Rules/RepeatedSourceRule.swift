@_spi(Records) import WeirTrace

/// `repeated-source`: a cold source that gives the same first value as another one of its line that runs at the same time.
///
/// A function that makes a source for each call may thus do the same work several times. Exempt are `()`, `nil` and Bool, which
/// say too little, and the requests of a flatMap, which `repeated-request` judges. Memory grows with the sources.
struct RepeatedSourceRule {
    var table: TallyTable
    /// The last source of a line with a first value, and the emission of that value.
    private var last: [Given: (node: Int32, event: EventID, order: UInt64)] = [:]

    private struct Given: Hashable {
        let line: TraceSite
        let value: ValueKey
    }

    init(_ tables: FlowTables) { table = TallyTable(.repeatedSource, ofNodes: tables) }

    /// Notes the first subscription to a node whose beginning was recorded: it is a request of a flatMap, or serves one through operators.
    func began(_ subscription: Int32, _ order: UInt64, _ tables: FlowTables) {
        let known = tables.subscriptions[Int(subscription)]
        let node = tables.nodes + Int(known.source)
        guard node.pointee.firstRun == 0 else { return }
        node.pointee.firstRun = order
        node.pointee.isRequested = known.isRequest || servesRequest(known.target, tables)
    }

    private func servesRequest(_ target: Int32, _ tables: FlowTables) -> Bool {
        guard target >= 0, case let node = tables.nodes[Int(target)] else { return false }
        return node.isRequested && !node.traits.contains(.hot)
    }

    /// Judges the first value of a source, in an emission that has not been opened yet.
    mutating func gave(
        _ value: ValueKey, _ place: Int32, _ sequence: UInt64, _ order: UInt64,
        _ thread: UnsafeMutablePointer<FlowThread>, _ tables: FlowTables
    ) {
        let id = EventID(thread.pointee.number, sequence)
        let node = tables.nodes + Int(place)
        node.pointee.hasGiven = true
        guard node.pointee.firstRun > 0, !node.pointee.isRequested, value.saysMuch,
            let line = tables.topology.definitions.nodes[node.pointee.id]?.site
        else { return }
        let former = last.updateValue((place, id, order), forKey: Given(line: line, value: value))
        guard let former, case let other = tables.nodes[Int(former.node)],
            other.liveRuns > 0 || other.lastEnd > node.pointee.firstRun
        else { return }
        let nodeID = node.pointee.id
        table.count(place) {
            var tally = RuleTally($0, node: nodeID, example: id, counterpart: former.event)
            tally.original = other.id
            return tally
        }
        guard former.order < node.pointee.firstRun, let slot = table[place] else { return }
        let isAtOnce = thread.pointee.isInBeginning(
            sequence, below: thread.pointee.stack.count, of: node.pointee.lastRun)
        table.change(slot) { if isAtOnce { $0.atOnce &+= 1 } else { $0.late &+= 1 } }
    }
}

extension ValueKey {
    /// Whether equal values are no mere chance, and are known to be equal.
    fileprivate var saysMuch: Bool { !(2...5).contains(form) && ValueKey.compare(self, self) == .equal }
}

extension RepeatedSourceRule: TallyingRule {
    static let counted = CountedEvents.refreshes

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        let tallies = finding.tallies
        let originals = Dictionary(tallies.lazy.filter { $0.original > 0 }.map { ($0.node, $0.original) }) { $1 }
        var remedy = Remedy(
            .makeOnce, nodes: FindingFacts.distinct(finding.nodes + originals.values), site: finding.nodeSite)
        remedy.originals = originals
        remedy.needsReplay = tallies.contains { $0.atOnce > 0 }
        remedy.missesEarlierValues = !remedy.needsReplay && tallies.contains { $0.late > 0 }
        return (.note, remedy)
    }
}
