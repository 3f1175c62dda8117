@_spi(Records) import WeirTrace

/// `unhandled-failure`: a failure ended a subscription, and nothing received the failure.
struct UnhandledFailureRule {
    var table: TallyTable
    /// The last failure of each node, by index.
    private var failures: [Int32: Failure] = [:]
    /// The flatMap, by index, one of whose requests each of these failures came from.
    private var requests: [EventID: Int32] = [:]

    private struct Failure {
        let id: EventID
        /// The index of the flatMap; -1: it came from no request.
        let request: Int32
    }

    init(_ tables: FlowTables) { table = TallyTable(.unhandledFailure, ofSubscriptions: tables) }

    /// Notes a failure of a node, and which flatMap's request it came from, up to the failure that caused it.
    mutating func failed(
        _ node: Int32, _ id: EventID, _ thread: UnsafeMutablePointer<FlowThread>, _ tables: FlowTables
    ) {
        let request = request(behindFailureOf: node, thread, tables)
        failures[node] = Failure(id: id, request: request)
        if request >= 0 { requests[id] = request }
    }

    private func request(
        behindFailureOf node: Int32, _ thread: UnsafeMutablePointer<FlowThread>, _ tables: FlowTables
    ) -> Int32 {
        let places = thread.pointee.stack.places
        if places.hop > places.emission { return requests[thread.pointee.frames[Int(places.hop)].hopCause] ?? -1 }
        guard places.emission >= 0, case let around = thread.pointee.frames[Int(places.emission)], around.isEnding
        else { return -1 }
        if let known = requests[EventID(thread.pointee.number, around.sequence)] { return known }
        // Once its input has ended, no later request is lost.
        guard around.subscription >= 0, case let input = tables.subscriptions[Int(around.subscription)],
            input.isRequest, input.target == node, tables.nodes[Int(node)].liveInputs > 0
        else { return -1 }
        return node
    }

    /// Counts the end of a subscription, and shows the failure as its example.
    mutating func count(_ subscription: Int32, _ end: EventID, _ tables: FlowTables) {
        let known = tables.subscriptions[Int(subscription)]
        let failure = failures[known.source]
        table.count(subscription) {
            var tally = RuleTally(
                $0, node: tables.nodes[Int(known.source)].id, subscription: known.id, example: failure?.id ?? end)
            if let request = failure?.request, request >= 0 { tally.request = tables.nodes[Int(request)].id }
            return tally
        }
    }
}

extension UnhandledFailureRule: TallyingRule {
    static let counted = CountedEvents.subscriptions

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        let (request, nodes) = (finding.first.request, finding.definitions.nodes)
        guard request != 0, nodes[finding.first.node]?.kind != .execution else {
            var remedy = finding.changingSubscriptions(.handleFailure)
            remedy.isOfHandlers =
                nodes[finding.first.node]?.kind != .execution
                && remedy.subscriptions.allSatisfy { finding.definitions.subscriptions[$0]?.isInternal == false }
            return (.error, remedy)
        }
        let flatMaps = FindingFacts.distinct(finding.tallies.map(\.request))
        return (.error, Remedy(.catchInRequest, nodes: flatMaps, site: nodes[request]?.site))
    }
}
