import WeirTrace

/// Gathers the nodes of a drawing that would be too large, so that a reader sees all of it and can open what is gathered.
///
/// A drawing has at most `mostBoxes` boxes and, where gathering can achieve it, at most `mostLinks` lines. The largest gatherings
/// come first, so that small owners stay open:
///
/// 1. If there are too many lines, nodes of one owner that have the same sources and the same targets are one box.
/// 2. If there are too many boxes, the nodes of an owner are one box, those of the largest owner first.
/// 3. A single owner that is too large is divided in the order of its source lines; one with too many lines between its nodes, by
///    their distance from its sources.
/// 4. The least active ones of too many owners are one box.
package struct GraphFolding: Sendable {
    /// The parts that a drawing shows by itself if there is room for it.
    package struct Item: Sendable {
        /// Its name, without its owner's.
        package var name: String
        /// The index of its owner or file; nil: it has neither.
        package var group: Int?
        /// The line that made it.
        package var site: TraceSite?
        /// How much it did.
        package var activity: UInt64

        /// An item with these properties.
        package init(name: String, group: Int?, site: TraceSite?, activity: UInt64) {
            (self.name, self.group, self.site, self.activity) = (name, group, site, activity)
        }
    }

    /// A box of a drawing.
    package struct Box: Sendable, Equatable {
        /// The indexes of the items in it, ascending.
        package var items: [Int]
        /// The name of several items; empty for a single one.
        package var name: String
        /// Their common owner; nil for items of several owners.
        package var group: Int?

        /// Whether it is a single item.
        package var isSingle: Bool { items.count == 1 }
    }

    /// The most boxes of a drawing that can be read.
    package static let mostBoxes = 150
    /// The most lines of a drawing that can be followed.
    package static let mostLinks = 600
    private static let leastTwins = 3

    private let items: [Item]
    private let groups: [String]
    private let links: [(source: Int, target: Int)]
    private let mostBoxes: Int
    private let mostLinks: Int

    /// Prepares drawings of `items`; `groups` are the names of the owners, and `links` lead from item to item.
    package init(
        _ items: [Item], groups: [String], links: [(source: Int, target: Int)], mostBoxes: Int = Self.mostBoxes,
        mostLinks: Int = Self.mostLinks
    ) {
        (self.items, self.groups, self.links) = (items, groups, links)
        (self.mostBoxes, self.mostLinks) = (max(2, mostBoxes), mostLinks)
    }

    /// Whether a drawing of single items would be too large.
    package var isNeeded: Bool { items.count > mostBoxes || linkCount(of: Array(items.indices)) > mostLinks }

    /// The boxes of a drawing of some items, in the order of their first items. Its cost grows with the items and all links.
    package func boxes(of members: [Int]) -> [Box] {
        var boxes = members.map(single)
        if boxes.count <= mostBoxes, linkCount(of: members) <= mostLinks { return boxes }
        if linkCount(of: members) > mostLinks {
            boxes = twins(members)
            if boxes.count == 1 { return members.map(single) }
        }
        if boxes.count > mostBoxes { boxes = byOwner(boxes) }
        return unravelled(boxes).sorted { $0.items[0] < $1.items[0] }
    }

    /// Gathers further owners, the largest first, while there are too many lines and any owner is left.
    private func unravelled(_ boxes: [Box]) -> [Box] {
        var boxes = boxes
        while true {
            let boxOfItem = boxOfItem(boxes)
            var drawn: Set<[Int]> = []
            for link in links where boxOfItem[link.source] >= 0 && boxOfItem[link.target] >= 0 {
                drawn.insert([boxOfItem[link.source], boxOfItem[link.target]])
            }
            guard drawn.count > mostLinks else { return boxes }
            var ofGroup: [Int: [Box]] = [:]
            for box in boxes { if let group = box.group { ofGroup[group, default: []].append(box) } }
            // A single owner in one box would show nothing: its nodes are gathered by their distance from its sources.
            let largest = ofGroup.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
            guard ofGroup.count > 1, let (group, some) = largest, some.count > 1 else { return byRank(boxes) }
            boxes = boxes.filter { $0.group != group } + [gathered(some, group)]
        }
    }

    /// For each item the box that it is in; -1: in none.
    package func boxOfItem(_ boxes: [Box]) -> [Int] {
        var result = [Int](repeating: -1, count: items.count)
        for (place, box) in boxes.enumerated() { for item in box.items { result[item] = place } }
        return result
    }

    private func single(_ item: Int) -> Box { Box(items: [item], name: "", group: items[item].group) }

    /// The lines that a drawing of these single items has.
    private func linkCount(of members: [Int]) -> Int {
        let isMember = mark(members)
        return links.count { isMember[$0.source] && isMember[$0.target] }
    }

    private func mark(_ members: [Int]) -> [Bool] {
        var isMember = [Bool](repeating: false, count: items.count)
        for member in members { isMember[member] = true }
        return isMember
    }

    // MARK: items with the same links

    private struct Neighbourhood: Hashable {
        var group: Int?
        var sources: [Int]
        var targets: [Int]
    }

    private func twins(_ members: [Int]) -> [Box] {
        let isMember = mark(members)
        var sources = [[Int]](repeating: [], count: items.count)
        var targets = sources
        for link in links where isMember[link.source] && isMember[link.target] {
            sources[link.target].append(link.source)
            targets[link.source].append(link.target)
        }
        var alike: [Neighbourhood: [Int]] = [:]
        for member in members {
            let key = Neighbourhood(
                group: items[member].group, sources: sources[member].sorted(), targets: targets[member].sorted())
            // Items without links make no drawing hard to read.
            if key.sources.isEmpty, key.targets.isEmpty { continue }
            alike[key, default: []].append(member)
        }
        let gathered = alike.values.filter { $0.count >= Self.leastTwins }
        var isGathered = [Bool](repeating: false, count: items.count)
        for item in gathered.joined() { isGathered[item] = true }
        return members.filter { !isGathered[$0] }.map(single)
            + gathered.map { Box(items: $0, name: range($0), group: items[$0[0]].group) }
    }

    /// "first … last".
    private func range(_ some: [Int]) -> String {
        some.count == 1 ? items[some[0]].name : "\(items[some[0]].name) … \(items[some[some.count - 1]].name)"
    }

    // MARK: owners

    private func byOwner(_ boxes: [Box]) -> [Box] {
        var ofGroup: [Int: [Box]] = [:]
        for box in boxes { ofGroup[box.group ?? -1, default: []].append(box) }
        guard ofGroup.count > 1 else { return parts(boxes) }
        // The smallest owners are opened first, for as long as there is room.
        var room = mostBoxes - ofGroup.count
        guard room >= 0 else { return mostActive(ofGroup) }
        var result: [Box] = []
        for (group, some) in ofGroup.sorted(by: { ($0.value.count, $0.key) < ($1.value.count, $1.key) }) {
            if some.count - 1 <= room {
                room -= some.count - 1
                result += some
            } else if some.count > mostBoxes, case let pieces = parts(some), pieces.count - 1 <= room {
                // Its parts say more than one box of many hundreds.
                room -= pieces.count - 1
                result += pieces
            } else {
                result.append(gathered(some, group))
            }
        }
        return result
    }

    /// Items that are equally far from the sources, on the longest path; what lies on a cycle counts from where it is entered.
    private func byRank(_ boxes: [Box]) -> [Box] {
        let boxOfItem = boxOfItem(boxes)
        var targets = [[Int]](repeating: [], count: boxes.count)
        var open = [Int](repeating: 0, count: boxes.count)
        for link in links {
            let (source, target) = (boxOfItem[link.source], boxOfItem[link.target])
            guard source >= 0, target >= 0, source != target else { continue }
            targets[source].append(target)
            open[target] += 1
        }
        var ranks = [Int](repeating: 0, count: boxes.count)
        var ready = boxes.indices.filter { open[$0] == 0 }
        while let place = ready.popLast() {
            for target in targets[place] {
                ranks[target] = max(ranks[target], ranks[place] + 1)
                open[target] -= 1
                if open[target] == 0 { ready.append(target) }
            }
        }
        let alike = Dictionary(grouping: boxes.indices) { ranks[$0] }.values
        guard alike.count > 1 else { return boxes }
        return alike.flatMap { some -> [Box] in
            guard some.count >= Self.leastTwins else { return some.map { boxes[$0] } }
            let members = some.flatMap { boxes[$0].items }.sorted()
            return [Box(items: members, name: range(members), group: boxes[some[0]].group)]
        }
    }

    private func gathered(_ some: [Box], _ group: Int) -> Box {
        let name = groups.indices.contains(group) ? groups[group] : "no owner"
        return Box(items: some.flatMap(\.items).sorted(), name: name, group: group < 0 ? nil : group)
    }

    /// The most active owners, each as one box, and the others as one.
    private func mostActive(_ ofGroup: [Int: [Box]]) -> [Box] {
        let all = ofGroup.map { gathered($0.value, $0.key) }
        let activity = all.map { box in box.items.reduce(UInt64(0)) { $0 &+ items[$1].activity } }
        let order = all.indices.sorted { (activity[$1], all[$0].items[0]) < (activity[$0], all[$1].items[0]) }
        let others = order[(mostBoxes - 1)...].map { all[$0] }
        return order[..<(mostBoxes - 1)].map { all[$0] }
            + [Box(items: others.flatMap(\.items).sorted(), name: "\(others.count) other owners", group: nil)]
    }

    /// Parts of one owner, in the order of the source lines: each so small that it can be drawn, if there may be so many.
    private func parts(_ boxes: [Box]) -> [Box] {
        let order = boxes.sorted { left, right in
            let (first, second) = (left.items[0], right.items[0])
            guard let left = items[first].site, let right = items[second].site else { return first < second }
            return (left.file, left.line, first) < (right.file, right.line, second)
        }
        let size = max(mostBoxes * 2 / 3, (order.count + mostBoxes - 1) / mostBoxes)
        return stride(from: 0, to: order.count, by: size).map { start in
            let some = order[start..<min(start + size, order.count)]
            let members = some.flatMap(\.items)
            return Box(items: members.sorted(), name: range(members), group: some[some.startIndex].group)
        }
    }
}

extension FlowGraph {
    /// The graph with the boxes of `GraphFolding` in place of what would make a drawing too large, but for those whose names are in
    /// `open`; nil: every node can be drawn by itself.
    package func folded(open: Set<String> = []) -> FlowGraph? {
        let folding = GraphFolding(
            nodes.map { .init(name: $0.name, group: $0.group, site: $0.site, activity: $0.activity) },
            groups: groups.map(\.name), links: edges.map { ($0.source, $0.target) })
        guard folding.isNeeded else { return nil }
        var boxes: [GraphFolding.Box] = []
        for box in folding.boxes(of: Array(nodes.indices)) {
            let owner = box.group.map { groups[$0].name }
            if !box.isSingle, open.contains(box.name) || owner.map(open.contains) == true {
                boxes += box.items.map { GraphFolding.Box(items: [$0], name: "", group: nodes[$0].group) }
            } else {
                boxes.append(box)
            }
        }
        boxes.sort { $0.items[0] < $1.items[0] }
        let boxOfNode = folding.boxOfItem(boxes)
        var result = FlowGraph()
        (result.groups, result.idleNodes) = (groups, idleNodes)
        for box in boxes {
            var node = nodes[box.items[0]]
            if !box.isSingle {
                for item in box.items.dropFirst() { node.absorb(nodes[item]) }
                (node.name, node.kind, node.site, node.foldedNodes) = (box.name, nil, nil, box.items.count)
                // An owner that is one box needs no frame around it.
                node.group = box.group.flatMap { groups[$0].name == box.name ? nil : $0 }
            }
            result.nodes.append(node)
        }
        var merged: [EdgeKey: Edge] = [:]
        for edge in edges {
            var new = edge
            (new.source, new.target) = (boxOfNode[edge.source], boxOfNode[edge.target])
            if new.source == new.target, edge.source != edge.target {
                result.nodes[new.source].hiddenEdges += 1
                continue
            }
            merged[EdgeKey(new), default: new.empty].add(count: new.count, deliveries: new.deliveries)
            if edge.isFeedback { merged[EdgeKey(new)]?.isFeedback = true }
        }
        result.edges = merged.values.sorted { EdgeKey($0) < EdgeKey($1) }
        return result
    }
}
