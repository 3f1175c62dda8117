import WeirTrace

/// `zombie-refresh`: a refresh through a subscription whose owner had been released, or should have been.
///
/// The owner is that of the subscription's target node, or the one given when the subscription was made. Handlers without an
/// owner are not judged.
struct ZombieRefreshRule {
    var table: TallyTable
    /// The indexes of an object's subscriptions, by its id.
    private var subscriptionsOfObject: [UInt32: [Int32]] = [:]
    private var releases: [UInt32: (id: EventID, isOverdue: Bool)] = [:]
    /// Objects that should be gone by the next checkpoint.
    private var expected: Set<UInt32> = []

    init(_ tables: FlowTables) {
        let topology = tables.topology
        table = TallyTable(.zombieRefresh, ofSubscriptions: tables)
        for (place, subscription) in topology.subscriptions.enumerated() {
            let ofNode = subscription.target.flatMap { topology.definitions.nodes[$0]?.owner }
            for owner in Set([subscription.owner, ofNode].compactMap { $0 }) {
                subscriptionsOfObject[owner, default: []].append(Int32(place))
            }
        }
    }

    mutating func released(_ object: UInt32, _ id: EventID, isOverdue: Bool = false, _ tables: FlowTables) {
        for place in subscriptionsOfObject[object] ?? [] {
            tables.subscriptions[Int(place)].isOrphaned = true
            let subscription = tables.subscriptions[Int(place)].id
            if releases[subscription] == nil { releases[subscription] = (id, isOverdue) }
        }
    }

    mutating func expected(_ object: UInt32) { expected.insert(object) }

    mutating func checkpoint(_ id: EventID, _ tables: FlowTables) {
        for object in expected { released(object, id, isOverdue: true, tables) }
        expected = []
    }

    @inline(__always)
    mutating func judge(_ subscription: Int32, _ id: EventID, _ tables: FlowTables) -> Bool {
        guard tables.subscriptions[Int(subscription)].isOrphaned else { return false }
        let known = tables.subscriptions[Int(subscription)]
        table.count(subscription) {
            let release = releases[known.id]
            var tally = RuleTally(
                $0, node: tables.nodes[Int(known.source)].id, subscription: known.id, example: id,
                counterpart: release?.id)
            tally.isOverdue = release?.isOverdue ?? false
            return tally
        }
        return true
    }
}

extension ZombieRefreshRule: TallyingRule {
    static let counted = CountedEvents.refreshes

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        (.error, finding.changingSubscriptions(.dispose))
    }
}
