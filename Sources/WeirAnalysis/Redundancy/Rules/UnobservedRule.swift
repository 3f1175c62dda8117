import WeirTrace

/// `unobserved`: an evaluation of a node from which no live terminal subscription can be reached.
///
/// The search follows live subscriptions. Nodes that keep a value to be shown or read (observers, bindings, commands,
/// observables, channels, arrays) count as terminal when they are fed.
///
/// Two cases are not judged:
///
/// - The node, or one that it reaches, was made before the recording began: the trace may not have mentioned its subscribers
///   yet.
/// - The graph changes so often that the searches take more than 20 million steps.
///
/// The result for an unobserved node holds until a subscription begins; for an observed node, until a subscription ends.
struct UnobservedRule {
    var table: TallyTable
    private var starts: UInt64 = 1
    private var ends: UInt64 = 1
    private var search: UInt64 = 0
    private var pending: [Int32] = []
    /// Steps that searches may still take; after that, an evaluation is judged only if its node has a current result.
    private var steps = 20_000_000

    init(_ tables: FlowTables) { table = TallyTable(.unobserved, ofNodes: tables) }

    mutating func subscriptionBegan() { starts &+= 1 }
    mutating func subscriptionEnded() { ends &+= 1 }

    @inline(__always)
    mutating func judge(_ place: Int32, _ id: EventID, _ tables: FlowTables, _ unjudged: inout UnjudgedTable) {
        let node = tables.nodes + Int(place)
        let sight = node.pointee.sight
        if sight == .observed && node.pointee.sightVersion == ends { return }
        if sight == .notAsked || node.pointee.sightVersion != (sight == .observed ? ends : starts) {
            node.pointee.sight = look(from: place, tables)
            node.pointee.sightVersion = node.pointee.sight == .observed ? ends : starts
        }
        switch node.pointee.sight {
        case .observed, .notAsked: break
        case .unknown: unjudged.count(.unobserved, node.pointee.id, .madeBefore)
        case .unsearched: unjudged.count(.unobserved, node.pointee.id, .changesTooOften)
        case .unobserved:
            let nodeID = node.pointee.id
            table.count(place) { RuleTally($0, node: nodeID, example: id) }
        }
    }

    private mutating func look(from place: Int32, _ tables: FlowTables) -> FlowNode.Sight {
        if steps < 0 { return .unsearched }
        search &+= 1
        pending.removeAll(keepingCapacity: true)
        pending.append(place)
        tables.nodes[Int(place)].visit = search
        var isUnknown = false
        while let next = pending.popLast() {
            if tables.nodes[Int(next)].isOlder { isUnknown = true }
            steps &-= tables.topology.outputs[Int(next)].count &+ 1
            for output in tables.topology.outputs[Int(next)] {
                let subscription = tables.subscriptions + output
                guard subscription.pointee.life == .alive else { continue }
                if subscription.pointee.isTerminal { return .observed }
                let target = subscription.pointee.target
                guard target >= 0, tables.nodes[Int(target)].visit != search else { continue }
                if tables.nodes[Int(target)].traits.contains(.shows) { return .observed }
                tables.nodes[Int(target)].visit = search
                pending.append(target)
            }
        }
        return isUnknown ? .unknown : .unobserved
    }
}

extension FlowNode {
    /// Whether it was made before the recording began, or has a subscription without a recorded beginning.
    fileprivate var isOlder: Bool { hasUnbegun || traits.contains(.isMade) && !isBorn }
}

extension UnobservedRule: TallyingRule {
    static let counted = CountedEvents.evaluations

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        (.note, finding.changingNodes(.makeLater))
    }
}
