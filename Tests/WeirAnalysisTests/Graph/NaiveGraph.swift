@testable import WeirAnalysis
@testable import WeirTrace

/// The graph of a list of events, computed from all of them for each question.
struct NaiveGraph: Equatable {
    struct Node: Equatable {
        var emissions = 0
        var refreshes = 0
        var suppressions = 0
        var handlers = 0
    }

    struct EdgeName: Hashable {
        let source: UInt32
        let target: UInt32
        let kind: FlowGraph.EdgeKind
    }

    struct Edge: Equatable {
        var count = 0
        var deliveries = 0
    }

    private(set) var nodes: [UInt32: Node] = [:]
    private(set) var edges: [EdgeName: Edge] = [:]

    /// The content of the tool's own graph, with each node drawn separately.
    init(_ graph: FlowGraph) {
        for node in graph.nodes {
            nodes[node.ids[0]] = Node(
                emissions: Int(node.emissions), refreshes: Int(node.refreshes), suppressions: Int(node.suppressions),
                handlers: node.handlers)
        }
        for edge in graph.edges {
            let name = EdgeName(
                source: graph.nodes[edge.source].ids[0], target: graph.nodes[edge.target].ids[0], kind: edge.kind)
            edges[name] = Edge(count: edge.count, deliveries: Int(edge.deliveries))
        }
    }

    init(_ events: [TraceEvent], _ definitions: TraceDefinitions, isMoment: Bool) {
        let subscriptions = definitions.subscriptions.values
        let ids = Set(definitions.nodes.keys).union(
            subscriptions.flatMap { [$0.source] + [$0.target].compactMap(\.self) })

        func values(through subscription: UInt32) -> Int {
            events.count { $0.isDelivery && $0.subject == subscription && !$0.deliversEnd }
        }
        func hasBegun(_ subscription: UInt32) -> Bool {
            let end = events.firstIndex { $0.kind == .subscriptionEnded && $0.subject == subscription }
            return events[..<(end ?? events.count)].contains {
                ($0.isDelivery || $0.kind == .subscriptionStarted) && $0.subject == subscription
            }
        }
        func hasEnded(_ subscription: UInt32) -> Bool {
            events.contains { $0.kind == .subscriptionEnded && $0.subject == subscription }
        }
        func isShown(_ subscription: UInt32) -> Bool {
            !isMoment || hasBegun(subscription) && !hasEnded(subscription)
        }
        func isShown(node: UInt32) -> Bool {
            if !isMoment { return true }
            let own: [EventKind] = [.emitted, .completed, .failed, .suppressed, .nodeCreated]
            return !events.contains { $0.kind == .nodeReleased && $0.subject == node }
                && (events.contains { own.contains($0.kind) && $0.subject == node }
                    || subscriptions.contains { ($0.source == node || $0.target == node) && hasBegun($0.id) })
        }

        for id in ids where isShown(node: id) {
            let terminal = subscriptions.filter { $0.source == id && !$0.isInternal }
            nodes[id] = Node(
                emissions: events.count { $0.kind == .emitted && $0.subject == id && !$0.isReplayed },
                refreshes: terminal.reduce(0) { $0 + values(through: $1.id) },
                suppressions: events.count { $0.kind == .suppressed && $0.subject == id },
                handlers: terminal.count { $0.target == nil && isShown($0.id) })
        }
        for subscription in subscriptions where isShown(subscription.id) {
            guard let target = subscription.target, nodes[target] != nil, nodes[subscription.source] != nil else {
                continue
            }
            let kind = subscription.isTiming ? FlowGraph.EdgeKind.timing : .data
            let name = EdgeName(source: subscription.source, target: target, kind: kind)
            edges[name, default: Edge()].count += 1
            edges[name, default: Edge()].deliveries += values(through: subscription.id)
        }
        let written: [UInt8?] = [nil, 1, 2, 3, 6, 7, 8, NodeKind.foreign.rawValue]
        func isComputed(_ id: UInt32) -> Bool {
            (definitions.nodes[id]?.technique == .observation || definitions.nodes[id]?.kind == .combiner)
                && subscriptions.contains { $0.target == id }
        }
        for (place, event) in events.enumerated() {
            guard event.kind == .emitted && !event.isReplayed || event.kind == .suppressed && event.reason != 7,
                written.contains(definitions.nodes[event.subject]?.rawKind),
                let origin = Self.delivery(around: place, events),
                !(origin.isInHop && isComputed(event.subject)),
                let subscription = definitions.subscriptions[origin.subscription],
                isShown(subscription.id), !(subscription.isInternal && subscription.target == event.subject)
            else { continue }
            let source = subscription.target ?? subscription.source
            guard nodes[source] != nil, nodes[event.subject] != nil else { continue }
            let name = EdgeName(source: source, target: event.subject, kind: .handler)
            edges[name, default: Edge()].count += 1
            edges[name, default: Edge()].deliveries += 1
        }
    }

    /// The subscription of the enclosing delivery, or of the one that scheduled the enclosing hop, found by looking back at
    /// shallower events rather than in the event itself.
    private static func delivery(
        around place: Int, _ events: [TraceEvent]
    ) -> (subscription: UInt32, isInHop: Bool)? {
        let thread = events[place].id.thread
        var depth = events[place].depth
        var subscription: UInt32?
        for event in events[..<place].reversed() where event.id.thread == thread {
            if event.depth == depth, subscription == nil, event.isDelivery { subscription = event.subject }
            guard event.depth == depth - 1 else { continue }
            switch event.kind {
            case .emitted, .completed, .failed: return (subscription ?? 0, false)
            case .hopBegan: return (event.scheduledBy, true)
            default:
                depth -= 1
                subscription = nil
            }
        }
        return nil
    }
}

extension TraceEvent {
    fileprivate var isDelivery: Bool { kind == .deliveryBegan || kind == .deliveryNext }
}
