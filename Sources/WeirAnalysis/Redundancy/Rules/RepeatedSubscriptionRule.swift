import WeirTrace

/// `repeated-subscription`: a refresh of a handler that an earlier subscription of the same line refreshes, too; or a value that an
/// earlier binding of the same line brings to the same state, too.
///
/// Two such subscriptions are *alike* if one line made them, with the same owner and target, and if their values come from the same
/// hot nodes. The node of a binding to a view, which each call of `bind` makes anew, is no target. Counts each delivery through a
/// subscription while one that is alike lives and began on an earlier occasion: in another named stimulus or turn; outside of these,
/// before the last stimulus or frame mark. A loop that subscribes many views is no repetition. Exempt is the first value for a new
/// subscriber.
struct RepeatedSubscriptionRule {
    var table: TallyTable
    private var groups: [Likeness: Int] = [:]
    /// The subscriptions of each group in the order in which they began.
    private var members: [Members] = []
    /// The subscriptions that repeat another one: their groups, and the occasions in which they began.
    private var repeats: [Int32: (group: Int, occasion: Occasion)] = [:]

    private struct Members {
        let isOfOneView: Bool
        var all: [(place: Int32, occasion: Occasion, id: EventID)] = []
        /// The index of the first one that may be alive.
        var first = 0

        /// The earliest one that is alive.
        mutating func eldest(_ tables: FlowTables) -> (place: Int32, occasion: Occasion, id: EventID)? {
            while first < all.count, tables.subscriptions[Int(all[first].place)].life == .ended { first += 1 }
            return first < all.count ? all[first] : nil
        }
    }

    init(_ tables: FlowTables) {
        table = TallyTable(.repeatedSubscription, ofSubscriptions: tables)
    }

    /// Notes the recorded beginning of a subscription.
    mutating func began(_ place: Int32, _ id: EventID, in occasion: Occasion, _ tables: FlowTables) {
        let topology = tables.topology
        let likeness = Likeness(Int(place), topology, { topology.definitions.nodes[topology.nodeIDs[$0]]?.kind })
        guard let likeness else { return }
        let group = groups[likeness] ?? members.count
        if group == members.count {
            groups[likeness] = group
            members.append(Members(isOfOneView: likeness.isOfOneView))
        }
        if let eldest = members[group].eldest(tables), eldest.occasion < occasion {
            tables.subscriptions[Int(place)].isAgain = true
            repeats[place] = (group, occasion)
        }
        members[group].all.append((place, occasion, id))
    }

    /// Counts a delivery through a subscription that repeats another one, if one that began earlier still lives.
    ///
    /// Returns whether a refresh is redundant. Without owner and target it may be of another view, and is not.
    mutating func judge(_ place: Int32, _ id: EventID, _ tables: FlowTables) -> Bool {
        guard let (group, occasion) = repeats[place], let eldest = members[group].eldest(tables),
            eldest.occasion < occasion
        else { return false }
        let known = tables.subscriptions[Int(place)]
        let isOfOneView = members[group].isOfOneView
        table.count(place) {
            var tally = RuleTally(
                $0, node: tables.nodes[Int(known.source)].id, subscription: known.id, example: id,
                counterpart: eldest.id)
            tally.isOfOneView = isOfOneView
            return tally
        }
        return isOfOneView
    }
}

extension RepeatedSubscriptionRule: TallyingRule {
    static let counted = CountedEvents.refreshes

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        // The handlers may belong to several views.
        let isOfOneView = finding.tallies.contains(where: \.isOfOneView)
        return (isOfOneView ? .warning : .note, finding.changingSubscriptions(.subscribeOnce))
    }
}
