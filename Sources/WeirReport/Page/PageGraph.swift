import WeirAnalysis
import WeirTrace

/// The drawings of the graph pane: every instance, lists as one, an overview, and owners as one. The page switches between them.
///
/// The overview of a large graph gathers nodes in boxes. Each such box opens a drawing of its own, with the boxes around it.
struct PageGraph {
    /// The most boxes of a drawing; larger ones are left out, and the page says so.
    static let mostBoxes = 1000
    /// The most links of a drawing.
    static let mostLinks = 2000
    /// The most drawings of the overview and its boxes.
    static let mostFolds = 400

    private struct Box {
        var lanes: [Int]
        /// For single instances: the index of the node in the topology.
        var node: Int?
        var name: String
        var detail: String
        var group: Int?
        var isView = false
        /// The id of the drawing that it opens.
        var opens: String?
        /// Whether it is only a neighbour of what the drawing is about.
        var isContext = false
    }

    private struct Link: Hashable {
        var source: Int
        var target: Int
        var kind: Int
    }

    private struct Weight {
        var count: UInt64 = 0
        var deliveries: UInt64 = 0
        var isFeedback = false
    }

    private let lanes: PageLanes
    private let topology: Topology
    private let state: TraceState

    init(_ lanes: PageLanes, _ topology: Topology, _ state: TraceState) {
        (self.lanes, self.topology, self.state) = (lanes, topology, state)
    }

    /// The drawings that have a sensible size, the most detailed first; each with its name.
    func levels(lists: FlowGraph, every: FlowGraph) -> JSONValue {
        var levels: [JSONValue] = []
        if every.nodes.count > lists.nodes.count {
            if let level = instances(every) { levels.append(level) }
        }
        if let level = listsAsOne(lists) { levels.append(level) }
        let overview = overview(lists)
        levels += overview
        if overview.isEmpty, let level = owners(lists) { levels.append(level) }
        return .array(levels)
    }

    // MARK: the overview

    /// The overview and the drawings of its boxes; empty if all lanes can be drawn by themselves.
    private func overview(_ graph: FlowGraph) -> [JSONValue] {
        let links = links(graph) { $0 }
        let folding = GraphFolding(
            lanes.lanes.map {
                .init(name: $0.name, group: $0.group, site: $0.site, activity: $0.emissions &+ $0.refreshes)
            }, groups: lanes.groups, links: links.keys.map { ($0.source, $0.target) })
        guard folding.isNeeded else { return [] }
        struct Drawing {
            var id: String
            var title: String
            var parent: String?
            var boxes: [GraphFolding.Box]
            var context: [GraphFolding.Box] = []
        }
        var drawings = [
            Drawing(id: "overview", title: "Overview", boxes: folding.boxes(of: Array(lanes.lanes.indices)))
        ]
        var levels: [JSONValue] = []
        // A box opens the same drawing wherever it stands.
        var opening: [[Int]: String] = [:]
        var next = 0
        while next < drawings.count {
            let drawing = drawings[next]
            next += 1
            for box in drawing.boxes where !box.isSingle && drawings.count < Self.mostFolds {
                let id = "fold-\(drawings.count)"
                let around = drawing.boxes.filter { $0 != box } + drawing.context
                drawings.append(
                    Drawing(
                        id: id, title: box.name, parent: drawing.id, boxes: folding.boxes(of: box.items),
                        context: neighbours(of: box.items, among: around, links, folding)))
                opening[box.items] = id
            }
            let all = drawing.boxes + drawing.context
            let boxOfLane = folding.boxOfItem(all)
            var merged: [Link: Weight] = [:]
            for (link, weight) in links {
                let (source, target) = (boxOfLane[link.source], boxOfLane[link.target])
                // Edges between neighbours are not drawn.
                guard source >= 0, target >= 0, source != target || link.source == link.target,
                    source < drawing.boxes.count || target < drawing.boxes.count
                else { continue }
                let new = Link(source: source, target: target, kind: link.kind)
                merged[new, default: Weight()].count &+= weight.count
                merged[new]?.deliveries &+= weight.deliveries
                if weight.isFeedback { merged[new]?.isFeedback = true }
            }
            let boxes = all.enumerated().map { place, box in
                shown(box, opens: opening[box.items], isContext: place >= drawing.boxes.count)
            }
            guard
                let level = drawn(
                    drawing.id, drawing.title, boxes, merged, groups: lanes.groups, parent: drawing.parent)
            else { continue }
            levels.append(level)
        }
        return levels
    }

    /// The boxes that are linked with some lanes.
    private func neighbours(
        of some: [Int], among boxes: [GraphFolding.Box], _ links: [Link: Weight], _ folding: GraphFolding
    ) -> [GraphFolding.Box] {
        let boxOfLane = folding.boxOfItem(boxes)
        let members = Set(some)
        var isLinked = [Bool](repeating: false, count: boxes.count)
        for link in links.keys where members.contains(link.source) != members.contains(link.target) {
            let outside = boxOfLane[members.contains(link.source) ? link.target : link.source]
            if outside >= 0 { isLinked[outside] = true }
        }
        return boxes.indices.filter { isLinked[$0] }.map { boxes[$0] }
    }

    private func shown(_ box: GraphFolding.Box, opens: String?, isContext: Bool) -> Box {
        guard !box.isSingle else {
            let lane = lanes.lanes[box.items[0]]
            let many = lane.nodes.count > 1 ? " ×\(lane.nodes.count)" : ""
            return Box(
                lanes: box.items, name: lane.name + many, detail: lane.kind, group: lane.group, isView: lane.isView,
                isContext: isContext)
        }
        // An owner that is one box needs no frame around it.
        let isOwner = box.group.map { lanes.groups[$0] == box.name } ?? true
        return Box(
            lanes: box.items, name: box.name, detail: contents(box.items), group: isOwner ? nil : box.group,
            opens: opens, isContext: isContext)
    }

    /// "37 nodes, 12 views".
    private func contents(_ some: [Int]) -> String {
        let views = some.count { lanes.lanes[$0].isView }
        let nodes = some.count - views
        return [
            nodes > 0 ? Figures.count(nodes, "node") : nil, views > 0 ? Figures.count(views, "view") : nil,
        ].compactMap(\.self).joined(separator: ", ")
    }

    // MARK: the other drawings

    private func listsAsOne(_ graph: FlowGraph) -> JSONValue? {
        let boxes = lanes.lanes.enumerated().map { place, lane in
            let many = lane.nodes.count > 1 ? " ×\(lane.nodes.count)" : ""
            return Box(
                lanes: [place], name: lane.name + many, detail: lane.kind, group: lane.group, isView: lane.isView)
        }
        return drawn("lists", "Lists as one", boxes, links(graph) { $0 }, groups: lanes.groups)
    }

    private func instances(_ graph: FlowGraph) -> JSONValue? {
        let boxes = graph.nodes.map { node in
            let place = topology.place(ofNode: node.ids[0]) ?? 0
            let lane = lanes.laneOfNode[place]
            return Box(
                lanes: lane >= 0 ? [lane] : [], node: place, name: node.name, detail: node.kind?.name ?? "node",
                group: node.group)
        }
        var links: [Link: Weight] = [:]
        for edge in graph.edges { add(edge, edge.source, edge.target, to: &links) }
        return drawn("every", "Every instance", boxes, links, groups: graph.groups.map(\.name))
    }

    private func owners(_ graph: FlowGraph) -> JSONValue? {
        var boxOfGroup: [Int: Int] = [:]
        var boxes: [Box] = []
        let boxOfLane = lanes.lanes.enumerated().map { place, lane in
            let key = lane.group ?? -1
            let box = boxOfGroup[key] ?? boxes.count
            if boxOfGroup[key] == nil {
                boxOfGroup[key] = box
                boxes.append(Box(lanes: [], name: lane.group.map { lanes.groups[$0] } ?? "other", detail: ""))
            }
            boxes[box].lanes.append(place)
            return box
        }
        for place in boxes.indices {
            boxes[place].detail = contents(boxes[place].lanes)
        }
        return drawn("owners", "Owners as one", Array(boxes), links(graph) { boxOfLane[$0] }, groups: [])
    }

    /// The edges between boxes, given the box of a lane: from what a view observes to the view, too.
    private func links(_ graph: FlowGraph, _ box: (Int) -> Int) -> [Link: Weight] {
        var links: [Link: Weight] = [:]
        let laneOf = graph.nodes.map { node in topology.place(ofNode: node.ids[0]).map { lanes.laneOfNode[$0] } ?? -1 }
        for edge in graph.edges where laneOf[edge.source] >= 0 && laneOf[edge.target] >= 0 {
            let (source, target) = (box(laneOf[edge.source]), box(laneOf[edge.target]))
            if source == target, laneOf[edge.source] != laneOf[edge.target] { continue }
            add(edge, source, target, to: &links)
        }
        for (place, lane) in lanes.laneOfSubscription.enumerated() where lane >= 0 {
            guard let source = lanes.lanes[lane].source, box(source) != box(lane) else { continue }
            let link = Link(source: box(source), target: box(lane), kind: FlowGraph.EdgeKind.data.rawValue)
            links[link, default: Weight()].count += 1
            links[link]?.deliveries &+= state.subscriptions[place].deliveries
        }
        return links
    }

    private func add(_ edge: FlowGraph.Edge, _ source: Int, _ target: Int, to links: inout [Link: Weight]) {
        let link = Link(source: source, target: target, kind: edge.kind.rawValue)
        links[link, default: Weight()].count &+= UInt64(clamping: edge.count)
        links[link]?.deliveries &+= edge.deliveries
        if edge.isFeedback { links[link]?.isFeedback = true }
    }

    private func drawn(
        _ id: String, _ title: String, _ boxes: [Box], _ links: [Link: Weight], groups: [String], parent: String? = nil
    ) -> JSONValue? {
        guard boxes.count <= Self.mostBoxes, links.count <= Self.mostLinks else { return nil }
        let order = links.keys.sorted { ($0.source, $0.target, $0.kind) < ($1.source, $1.target, $1.kind) }
        let layout = LayeredLayout(
            nodes: boxes.map { box in
                // The contents of a box must fit below its name, with the sign that opens it.
                let contents = box.opens == nil ? 0 : TerminalText.width(box.detail) + 3
                let columns = min(34, max(TerminalText.width(box.name), 13, contents))
                return LayeredLayout.Node(width: Double(columns) * 8.3 + 24, height: 46, group: box.group)
            },
            edges: order.map {
                LayeredLayout.Edge(source: $0.source, target: $0.target, isFeedback: links[$0]?.isFeedback ?? false)
            },
            groupCount: groups.count)
        let shapes = zip(boxes, layout.boxes).map { box, place -> JSONValue in
            [
                "lanes": .array(box.lanes.map { .unsigned(UInt64($0)) }),
                "node": box.node.map { .unsigned(UInt64($0)) } ?? .null,
                "name": .string(TerminalText.cut(PageText.short(box.name), to: 34)), "detail": .string(box.detail),
                "view": .bool(box.isView), "at": rectangle(place), "opens": box.opens.map { .string($0) } ?? .null,
                "context": .bool(box.isContext),
            ]
        }
        let lines = zip(order, layout.routes).map { link, route -> JSONValue in
            let weight = links[link] ?? Weight()
            return [
                "from": .unsigned(UInt64(link.source)), "to": .unsigned(UInt64(link.target)),
                "kind": .string(["data", "timing", "handler"][link.kind]), "count": .unsigned(weight.count),
                "deliveries": .unsigned(weight.deliveries), "feedback": .bool(weight.isFeedback),
                "path": .string(SVGPath.data(route)),
                "tip": route.points.last.map { .string(route.points.count > 1 ? SVGPath.tip(route, at: $0) : "") }
                    ?? .string(""),
            ]
        }
        let frames = zip(groups, layout.groups).compactMap { name, place -> JSONValue? in
            place.map { ["name": .string(TerminalText.cut(PageText.short(name), to: 40)), "at": rectangle($0)] }
        }
        return [
            "id": .string(id), "title": .string(PageText.short(title)), "parent": parent.map { .string($0) } ?? .null,
            "width": .double(layout.width), "height": .double(layout.height),
            "boxes": .array(Array(shapes)), "links": .array(Array(lines)), "frames": .array(frames),
        ]
    }

    private func rectangle(_ place: Rectangle) -> JSONValue {
        .array([place.x, place.y, place.width, place.height].map { .double(($0 * 10).rounded() / 10) })
    }
}
