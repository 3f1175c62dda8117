import WeirTrace

/// Builds the dependency graph of a trace from one of its states and from all events up to that state.
///
///     var builder = GraphBuilder(topology)
///     var pass = try MomentPass(reader, topology, to: .end)
///     try pass.run { event, _ in builder.take(event); return true }
///     let graph = builder.graph(of: pass.state)
///
/// Subscriptions show which node feeds which. Events show the writes of a handler or a combiner's function: an emission, or a
/// suppressed write, during a delivery to it, or in a hop whose work was scheduled there. Memory grows with nodes,
/// subscriptions, and pairs of a subscription and a node written because of its deliveries.
package struct GraphBuilder: Sendable {
    /// The period that a graph shows.
    package enum Scope: Sendable, Equatable {
        /// Everything that existed up to the state, with totals; only combiners that nobody kept are shown as dead.
        case wholeRecording
        /// Everything alive in the state, with its values.
        case moment
    }

    private let topology: Topology
    private var writes: HandlerWrites
    private var ends: EarlyEnds

    /// A builder that has seen no events.
    package init(_ topology: Topology) { self.init(topology, HandlerWrites(topology), EarlyEnds(topology)) }

    /// A builder that has seen these writes and ends.
    init(_ topology: Topology, _ writes: HandlerWrites, _ ends: EarlyEnds) {
        (self.topology, self.writes, self.ends) = (topology, writes, ends)
    }

    /// Takes the next event of the trace.
    package mutating func take(_ event: TraceEvent) {
        writes.take(event)
        ends.take(event)
    }

    /// The graph, with its nodes selected and merged as `options` specify.
    package func graph(
        of state: TraceState, _ scope: Scope = .wholeRecording, _ options: GraphOptions = GraphOptions()
    ) -> FlowGraph {
        var graph = detail(state, scope)
        // Before nodes are merged: a cycle that only merging creates is none.
        graph.markFeedback()
        let places = graph.nodes.map { topology.place(ofNode: $0.ids[0]) ?? 0 }
        graph = graph.collapsed(by: NodePlacement(topology, places, edges: graph.edges, options.collapse))
        if let nodes = options.nodes { graph.select(nodes, depth: options.depth, options.direction) }
        if !options.showsIdleNodes { graph.leaveOutIdleNodes(except: options.nodes ?? []) }
        return graph
    }

    /// The graph with one node for each node of the trace, without groups.
    private func detail(_ state: TraceState, _ scope: Scope) -> FlowGraph {
        var graph = FlowGraph()
        var drawn = [Int](repeating: -1, count: topology.nodeIDs.count)
        for place in topology.nodeIDs.indices where scope == .wholeRecording || state.nodes[place].life == .alive {
            drawn[place] = graph.nodes.count
            graph.nodes.append(node(place, state, scope))
        }
        var edges: [EdgeKey: FlowGraph.Edge] = [:]
        func add(_ source: Int, _ target: Int, _ kind: FlowGraph.EdgeKind, count: Int, deliveries: UInt64) {
            guard drawn[source] >= 0, drawn[target] >= 0 else { return }
            let new = FlowGraph.Edge(source: drawn[source], target: drawn[target], kind: kind)
            edges[EdgeKey(new), default: new.empty].add(count: count, deliveries: deliveries)
        }
        for (place, subscription) in topology.subscriptions.enumerated() where topology.targets[place] >= 0 {
            guard shows(place, state, scope) else { continue }
            add(
                topology.sources[place], topology.targets[place], subscription.isTiming ? .timing : .data, count: 1,
                deliveries: state.subscriptions[place].deliveries)
        }
        for (write, count) in writes.counts where shows(write.subscription, state, scope) {
            add(writer(write.subscription), write.node, .handler, count: Int(clamping: count), deliveries: count)
        }
        graph.edges = edges.values.sorted { EdgeKey($0) < EdgeKey($1) }
        return graph
    }

    /// The node whose code a delivery through a subscription runs.
    private func writer(_ subscription: Int) -> Int {
        let (source, target) = (topology.sources[subscription], topology.targets[subscription])
        // An execution publishes its values and errors itself.
        let isPublished =
            topology.subscriptions[subscription].isInternal
            && topology.definitions.nodes[topology.nodeIDs[source]]?.kind == .execution
        return target < 0 || isPublished ? source : target
    }

    private func shows(_ subscription: Int, _ state: TraceState, _ scope: Scope) -> Bool {
        scope == .wholeRecording || state.subscriptions[subscription].life == .alive
    }

    private func node(_ place: Int, _ trace: TraceState, _ scope: Scope) -> FlowGraph.Node {
        let id = topology.nodeIDs[place]
        let definition = topology.definitions.nodes[id]
        let state = trace.nodes[place]
        var node = FlowGraph.Node(ids: [id], name: topology.definitions.name(ofNode: id))
        node.kind = definition?.kind
        node.site = definition?.site
        node.isPrivate = definition?.isPrivate ?? false
        node.isAlive = scope == .moment || !ends.diedInSilence(place)
        if scope == .moment, definition != nil, state.value != .notRecorded { node.value = state.value }
        (node.emissions, node.refreshes, node.suppressions) = (state.emissions, state.refreshes, state.suppressions)
        for output in topology.outputs[place] {
            let subscription = topology.subscriptions[output]
            guard topology.targets[output] < 0, !subscription.isInternal, shows(output, trace, scope) else { continue }
            node.handlers += 1
            guard let site = subscription.site, node.handlerSites.count < FlowGraph.Node.mostHandlerSites,
                !node.handlerSites.contains(site)
            else { continue }
            node.handlerSites.append(site)
        }
        return node
    }
}

/// Finds combiners that were released although they had subscribers and their inputs went on emitting, because nobody kept
/// them.
struct EarlyEnds: Sendable {
    private let topology: Topology
    /// How many events were seen when each node's release last ended a subscription; 0 if none has.
    private var ends: [UInt64]
    /// How many events were seen when each node last emitted.
    private var lastEmissions: [UInt64]
    private var count: UInt64 = 0

    init(_ topology: Topology) {
        self.topology = topology
        ends = Array(repeating: 0, count: topology.nodeIDs.count)
        lastEmissions = ends
    }

    /// Takes the positions of ends and last emissions from a count.
    mutating func set(ends: [UInt64], lastEmissions: [UInt64]) {
        (self.ends, self.lastEmissions) = (ends, lastEmissions)
    }

    mutating func take(_ event: TraceEvent) {
        count &+= 1
        switch event.kind {
        case .subscriptionEnded where event.endReason == .sourceReleased:
            guard let place = topology.place(ofSubscription: event.subject) else { return }
            ends[topology.sources[place]] = count
        case .emitted where !event.isReplayed:
            if let place = topology.place(ofNode: event.subject) { lastEmissions[place] = count }
        default: break
        }
    }

    /// Whether the node at an index is such a combiner.
    func diedInSilence(_ place: Int) -> Bool {
        guard ends[place] > 0, topology.definitions.nodes[topology.nodeIDs[place]]?.kind == .combiner else {
            return false
        }
        return topology.inputs[place].contains { lastEmissions[topology.sources[$0]] > ends[place] }
    }
}
