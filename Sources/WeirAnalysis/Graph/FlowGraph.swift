import WeirTrace

/// The dependency graph of a trace, at one moment or over a whole recording, ready to be drawn.
///
/// Nodes, edges and groups refer to each other by their indexes in `nodes` and `groups`. Self-loops and cycles occur.
package struct FlowGraph: Sendable, Equatable {
    /// A node of the data flow, or several that are drawn as one.
    package struct Node: Sendable, Equatable {
        /// The ids in the trace of the nodes that it represents, in order; never empty.
        package var ids: [UInt32]
        /// Its label without its owner's name, else its kind and site; for several nodes, their common name.
        package var name: String
        /// Its kind; nil if unknown or mixed.
        package var kind: NodeKind?
        /// The line that made it; nil if unknown or several.
        package var site: TraceSite?
        /// Whether its values are withheld.
        package var isPrivate = false
        /// The index of its group in `groups`.
        package var group: Int?
        /// Whether it (or one of several) existed at the moment that the graph shows.
        ///
        /// Over a whole recording, it is false only for a combiner that was released while it had subscribers and its inputs
        /// went on emitting.
        package var isAlive = true
        /// The value that it held then; nil if it held none, or if the value is unknown or several.
        package var value: TraceValue?
        /// New values that it had emitted until then.
        package var emissions: UInt64 = 0
        /// Deliveries of its values to terminal handlers, such as views.
        package var refreshes: UInt64 = 0
        /// Its values that went no further, for whatever reason.
        package var suppressions: UInt64 = 0
        /// Terminal handlers subscribed to it: live ones at a moment, all over a whole recording.
        package var handlers = 0
        /// The source lines of these handlers, each once, in the order of their first subscriptions.
        package var handlerSites: [TraceSite] = []
        /// How many of the nodes that it represents emitted values and feed neither a node nor a handler.
        package var unheard = 0
        /// Edges between the nodes that it represents, if these are not drawn.
        package var hiddenEdges = 0
        /// The nodes of the graph that it represents, because a drawing of each would be too large; 0: only itself.
        package var foldedNodes = 0

        /// A node that represents `ids`; all other properties have their defaults.
        package init(ids: [UInt32], name: String) {
            self.ids = ids
            self.name = name
        }

        /// All activity that is counted here.
        package var activity: UInt64 { emissions &+ refreshes &+ suppressions }
    }

    /// How one node depends on another.
    package enum EdgeKind: Int, Sendable, CaseIterable {
        /// A subscription that carries values.
        case data
        /// A subscription that triggers and carries no value.
        case timing
        /// A handler or function of the source wrote to the target: events show it, no subscription does.
        case handler
    }

    /// A dependency, or several of one kind between the same two nodes.
    package struct Edge: Sendable, Equatable {
        /// The index of the observed node.
        package var source: Int
        /// The index of the node that it feeds.
        package var target: Int
        /// Its kind.
        package var kind: EdgeKind
        /// Subscriptions that it represents; for a handler's edge, observed writes.
        package var count = 1
        /// Deliveries of values through it; for a handler's edge, observed writes.
        package var deliveries: UInt64 = 0
        /// Whether it closes a cycle of the program's own nodes: without the marked edges, there are no cycles.
        ///
        /// Nodes that are drawn as one may still form a cycle in the drawing that is no cycle of the program.
        package var isFeedback = false
        /// Whether it (or one of several) existed at the moment that the graph shows.
        package var isAlive = true

        /// An edge from one node to another.
        package init(source: Int, target: Int, kind: EdgeKind) {
            self.source = source
            self.target = target
            self.kind = kind
        }
    }

    /// Nodes with the same owner, or made in the same file.
    package struct Group: Sendable, Equatable {
        /// The owner's name; "no owner: Login.swift" for nodes without owner that were made in this file.
        package var name: String
        /// Whether its nodes have this owner; otherwise they have none.
        package var isOwner: Bool

        /// A group of this name.
        package init(name: String, isOwner: Bool = true) { (self.name, self.isOwner) = (name, isOwner) }

        /// The name of the nodes without owner that were made in a file.
        package static func name(withoutOwnerIn file: String) -> String { "no owner: \(file)" }
    }

    /// The nodes, ordered by their first id.
    package var nodes: [Node] = []
    /// The edges, ordered by source, target and kind.
    package var edges: [Edge] = []
    /// The groups, ordered by the first node in each.
    package var groups: [Group] = []
    /// The number of nodes left out because they did nothing and have no connections.
    package var idleNodes = 0

    /// An empty graph.
    package init() {}
}

extension FlowGraph {
    /// Marks edges without which the graph has no cycles (`FeedbackEdges`).
    ///
    /// Data edges come before timing edges, and these before writes of handlers. Within a kind, an edge from an earlier node to
    /// a later one comes before one that leads back.
    mutating func markFeedback(stepLimit: Int = 20_000_000) {
        let order = edges.indices.sorted { before($0, $1) }
        let found = FeedbackEdges(
            order.map { (edges[$0].source, edges[$0].target) }, nodes: nodes.count, stepLimit: stepLimit)
        for (place, isFeedback) in zip(order, found.isFeedback) { edges[place].isFeedback = isFeedback }
    }

    private func before(_ left: Int, _ right: Int) -> Bool {
        func key(_ edge: Edge) -> (Int, Int, Int, Int) {
            (edge.kind.rawValue, edge.source > edge.target ? 1 : 0, edge.source, edge.target)
        }
        return key(edges[left]) < key(edges[right])
    }
}

extension FlowGraph {
    /// Keeps the nodes that represent one of `ids`, and the nodes connected with them over at most `depth` edges.
    mutating func select(_ ids: Set<UInt32>, depth: Int?, _ direction: GraphOptions.Direction) {
        let roots = nodes.indices.filter { place in nodes[place].ids.contains(where: ids.contains) }
        var isKept = [Bool](repeating: false, count: nodes.count)
        for place in roots { isKept[place] = true }
        if direction != .upstream { reach(roots, depth, edges.map { ($0.source, $0.target) }, &isKept) }
        if direction != .downstream { reach(roots, depth, edges.map { ($0.target, $0.source) }, &isKept) }
        keep(isKept)
    }

    private func reach(_ roots: [Int], _ depth: Int?, _ steps: [(from: Int, to: Int)], _ isKept: inout [Bool]) {
        var next = [[Int]](repeating: [], count: nodes.count)
        for step in steps { next[step.from].append(step.to) }
        var isReached = [Bool](repeating: false, count: nodes.count)
        for root in roots { isReached[root] = true }
        var rim = roots
        var left = depth ?? .max
        while !rim.isEmpty, left > 0 {
            left -= 1
            var further: [Int] = []
            for place in rim.flatMap({ next[$0] }) where !isReached[place] {
                isReached[place] = true
                isKept[place] = true
                further.append(place)
            }
            rim = further
        }
    }

    /// Removes and counts nodes that did nothing and have no connections, except those with `ids`.
    mutating func leaveOutIdleNodes(except ids: Set<UInt32>) {
        var isKept = nodes.map { node in
            node.activity > 0 || node.handlers > 0 || node.hiddenEdges > 0 || node.ids.contains(where: ids.contains)
        }
        for edge in edges {
            isKept[edge.source] = true
            isKept[edge.target] = true
        }
        let idle = nodes.indices.reduce(0) { isKept[$1] ? $0 : $0 + nodes[$1].ids.count }
        keep(isKept)
        idleNodes = idle
    }
}

/// The identity of an edge in a graph: edges with equal keys are drawn as one.
struct EdgeKey: Hashable, Comparable {
    let source: Int
    let target: Int
    let kind: FlowGraph.EdgeKind

    init(_ edge: FlowGraph.Edge) { (source, target, kind) = (edge.source, edge.target, edge.kind) }

    static func < (left: EdgeKey, right: EdgeKey) -> Bool {
        (left.source, left.target, left.kind.rawValue) < (right.source, right.target, right.kind.rawValue)
    }
}

extension FlowGraph.Edge {
    /// The edge with its counts set to zero.
    var empty: FlowGraph.Edge {
        var result = self
        (result.count, result.deliveries) = (0, 0)
        return result
    }

    /// Adds further counts to the edge.
    mutating func add(count more: Int, deliveries moreDeliveries: UInt64) {
        let (sum, overflow) = count.addingReportingOverflow(more)
        count = overflow ? .max : sum
        deliveries &+= moreDeliveries
    }
}

/// Which nodes of a graph are drawn, and which are merged.
package struct GraphOptions: Sendable, Equatable {
    /// Which nodes are merged.
    package enum Collapse: String, Sendable, CaseIterable {
        /// None.
        case none
        /// Nodes with the same name and kind whose owners have the same type, such as the cells of a list.
        case instances
        /// All nodes with the same owner.
        case owner
        /// All nodes made in one file.
        case file
    }

    /// In which direction edges are followed from the selected nodes.
    package enum Direction: Sendable, CaseIterable {
        /// To the nodes on which they depend.
        case upstream
        /// To the nodes that depend on them.
        case downstream
        /// Both, each by itself: other inputs of a node downstream are not shown.
        case both
    }

    /// Which nodes are merged.
    package var collapse = Collapse.instances
    /// Only these nodes, by id, and the nodes connected with them; nil selects all.
    package var nodes: Set<UInt32>?
    /// How many edges are followed from these nodes; nil follows all.
    package var depth: Int?
    /// The direction in which edges are followed.
    package var direction = Direction.both
    /// Whether nodes are shown that did nothing and have no connections.
    package var showsIdleNodes = false

    /// All nodes that did something, with instances merged.
    package init() {}
}
