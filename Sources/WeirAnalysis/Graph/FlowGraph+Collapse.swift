import WeirTrace

extension FlowGraph {
    /// Merges nodes with equal keys and adds groups; this graph draws each node of the trace by itself.
    func collapsed(by placement: NodePlacement) -> FlowGraph {
        var result = FlowGraph()
        var merged: [NodePlacement.MergeKey: Int] = [:]
        var groups: [NodePlacement.GroupKey: Int] = [:]
        // Owners and files that are drawn as nodes need no groups around them.
        let isGrouped = placement.collapse == .none || placement.collapse == .instances
        let drawn = nodes.indices.map { place in
            if let known = merged[placement.mergeKeys[place]] {
                result.nodes[known].absorb(nodes[place])
                return known
            }
            var node = nodes[place]
            let group = placement.groups[place]
            node.name = placement.names[place]
            if let group, let name = placement.groupNames[group] {
                if isGrouped {
                    node.group = groups[group] ?? result.groups.count
                    if groups[group] == nil { result.groups.append(Group(name: name, isOwner: group.isOwner)) }
                    groups[group] = node.group
                } else {
                    node.name = name
                    (node.kind, node.site, node.value) = (nil, nil, nil)
                }
            }
            merged[placement.mergeKeys[place]] = result.nodes.count
            result.nodes.append(node)
            return result.nodes.count - 1
        }
        var mergedEdges: [EdgeKey: Edge] = [:]
        for edge in edges {
            var new = edge
            (new.source, new.target) = (drawn[edge.source], drawn[edge.target])
            // A link between two instances is none of their common node to itself, unless it closes a cycle.
            if new.source == new.target, !isGrouped || edge.source != edge.target && !edge.isFeedback {
                result.nodes[new.source].hiddenEdges += 1
                continue
            }
            mergedEdges[EdgeKey(new), default: new.empty].add(count: new.count, deliveries: new.deliveries)
            if edge.isFeedback { mergedEdges[EdgeKey(new)]?.isFeedback = true }
        }
        result.edges = mergedEdges.values.sorted { EdgeKey($0) < EdgeKey($1) }
        return result
    }

    /// Keeps the nodes marked in `isKept` and the edges between them.
    mutating func keep(_ isKept: [Bool]) {
        var placeOfNode = [Int](repeating: -1, count: nodes.count)
        var placeOfGroup = [Int](repeating: -1, count: groups.count)
        var kept = FlowGraph()
        kept.idleNodes = idleNodes
        for (place, node) in nodes.enumerated() where isKept[place] {
            placeOfNode[place] = kept.nodes.count
            kept.nodes.append(node)
            guard let group = node.group else { continue }
            if placeOfGroup[group] < 0 {
                placeOfGroup[group] = kept.groups.count
                kept.groups.append(groups[group])
            }
            kept.nodes[kept.nodes.count - 1].group = placeOfGroup[group]
        }
        for var edge in edges where isKept[edge.source] && isKept[edge.target] {
            (edge.source, edge.target) = (placeOfNode[edge.source], placeOfNode[edge.target])
            kept.edges.append(edge)
        }
        self = kept
    }
}

extension FlowGraph.Node {
    /// The most source lines of handlers that a node keeps.
    static let mostHandlerSites = 12

    /// Merges another node into this one.
    mutating func absorb(_ other: FlowGraph.Node) {
        ids += other.ids
        if kind != other.kind { kind = nil }
        if site != other.site { site = nil }
        value = nil
        isPrivate = isPrivate || other.isPrivate
        isAlive = isAlive || other.isAlive
        emissions &+= other.emissions
        refreshes &+= other.refreshes
        suppressions &+= other.suppressions
        handlers += other.handlers
        // Few lines are shown, and a hostile trace may have very many.
        for site in other.handlerSites where handlerSites.count < Self.mostHandlerSites && !handlerSites.contains(site)
        {
            handlerSites.append(site)
        }
        hiddenEdges += other.hiddenEdges
    }
}
