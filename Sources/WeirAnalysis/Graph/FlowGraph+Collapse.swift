import WeirTrace

extension FlowGraph {
    /// Merges nodes with equal keys and adds groups; this graph draws each node of the trace by itself.
    func collapsed(by placement: NodePlacement) -> FlowGraph {
        var result = FlowGraph()
        var merged: [NodePlacement.MergeKey: Int] = [:]
        var groups: [NodePlacement.GroupKey: Int] = [:]
        // Owners and files that are drawn as nodes need no groups around them.
        let isGrouped = placement.collapse == .none || placement.collapse == .instances
        let feeding = Set(edges.map(\.source))
        let drawn = nodes.indices.map { place in
            var node = nodes[place]
            node.unheard = node.emissions > 0 && node.handlers == 0 && !feeding.contains(place) ? 1 : 0
            if let known = merged[placement.mergeKeys[place]] {
                result.nodes[known].absorb(node)
                return known
            }
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
        unheard += other.unheard
        // Few lines are shown, and a hostile trace may have very many.
        for site in other.handlerSites where handlerSites.count < Self.mostHandlerSites && !handlerSites.contains(site)
        {
            handlerSites.append(site)
        }
        hiddenEdges += other.hiddenEdges
    }
}

/// Names of the items of lists, without their indexes: "screens[0].title" and "screens[7].title" are one, "screens[0…7].title".
struct ItemNames {
    /// A range of indexes for each pair of brackets of a pattern.
    private typealias Ranges = [ClosedRange<UInt64>]

    /// Lists in different groups have ranges of their own.
    private struct Key: Hashable {
        var pattern: String
        var group: NodePlacement.GroupKey?
    }

    private let keys: [Key]
    private var ranges: [Key: Ranges] = [:]

    init(_ names: [String], groups: [NodePlacement.GroupKey?]) {
        var keys: [Key] = []
        for (name, group) in zip(names, groups) {
            let (pattern, indexes) = Self.parts(of: name)
            let key = Key(pattern: pattern, group: group)
            keys.append(key)
            guard !indexes.isEmpty else { continue }
            let known = ranges[key] ?? indexes.map { $0...$0 }
            ranges[key] = zip(known, indexes).map { min($0.lowerBound, $1)...max($0.upperBound, $1) }
        }
        self.keys = keys
    }

    /// The part that the name at `place` has in common with the other items of its list.
    func pattern(_ place: Int) -> String { keys[place].pattern }

    /// The names with ranges of indexes.
    var shown: [String] {
        keys.map { key in
            guard let ranges = ranges[key] else { return key.pattern }
            var (shown, rest) = ("", key.pattern[...])
            for range in ranges {
                guard let brackets = rest.firstRange(of: "[]") else { break }
                // Not its count: a hostile trace may name the whole range of integers.
                let (low, high) = (range.lowerBound, range.upperBound)
                shown += rest[..<brackets.lowerBound] + (low == high ? "[\(low)]" : "[\(low)…\(high)]")
                rest = rest[brackets.upperBound...]
            }
            return shown + rest
        }
    }

    /// "screens[].title" and 3 of "screens[3].title". A name that already has empty brackets has no indexes.
    private static func parts(of name: String) -> (pattern: String, indexes: [UInt64]) {
        guard name.utf8.contains(UInt8(ascii: "[")), !name.contains("[]") else { return (name, []) }
        var (pattern, indexes, rest) = ("", [UInt64](), name[...])
        while let open = rest.firstIndex(of: "[") {
            let inside = rest[rest.index(after: open)...]
            let digits = inside.prefix { $0.isASCII && $0.isNumber }
            pattern += rest[...open]
            if !digits.isEmpty, digits.endIndex < inside.endIndex, inside[digits.endIndex] == "]",
                let index = UInt64(digits)
            {
                indexes.append(index)
                pattern += "]"
                rest = inside[inside.index(after: digits.endIndex)...]
            } else {
                rest = inside
            }
        }
        return (pattern + rest, indexes)
    }
}
