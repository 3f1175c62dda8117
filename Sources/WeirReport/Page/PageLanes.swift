import WeirAnalysis
import WeirTrace

/// The lanes of a page: one for each node of the graph, or for several instances of one line, and one for each view.
///
/// A view is what a terminal subscription calls: subscriptions that one line makes for one owner to one lane share a lane.
struct PageLanes {
    struct Lane {
        var name: String
        /// The whole name, with its owner's.
        var fullName: String
        /// The name by which `weir diff` matches nodes of two runs; a view has that of the node that it observes.
        var match: String
        var group: Int?
        /// The kind of the node; nil: a view.
        var kind: String
        var isView = false
        var isPrivate = false
        /// Whether the program gave its node a name.
        var isNamed = false
        var site: TraceSite?
        var valueType: String?
        /// The indexes of its nodes in the topology.
        var nodes: [Int] = []
        /// For a view: the lane that it observes.
        var source: Int?
        var emissions: UInt64 = 0
        var refreshes: UInt64 = 0
        var suppressions: UInt64 = 0

        var json: JSONValue {
            [
                "name": .string(PageText.short(name)), "full": .string(PageText.short(fullName)),
                "match": .string(PageText.short(match)),
                "group": group.map { .unsigned(UInt64($0)) } ?? .null, "kind": .string(kind), "view": .bool(isView),
                "private": .bool(isPrivate), "site": site.map { .string(PageText.short($0.description)) } ?? .null,
                "type": valueType.map { .string(PageText.short($0)) } ?? .null,
                "nodes": .array(nodes.prefix(4096).map { .unsigned(UInt64($0)) }),
                "instances": .unsigned(UInt64(nodes.count)),
                "source": source.map { .unsigned(UInt64($0)) } ?? .null,
                "emissions": .unsigned(emissions), "refreshes": .unsigned(refreshes),
                "suppressions": .unsigned(suppressions),
            ]
        }
    }

    private var groupsByName: [String: Int] = [:]

    private struct ViewKey: Hashable {
        var source: Int
        var site: TraceSite?
        var owner: String?
    }

    private(set) var lanes: [Lane] = []
    private(set) var groups: [String]
    /// By index of a node in the topology; -1: it did nothing and has no lane.
    private(set) var laneOfNode: [Int]
    /// By index of a subscription in the topology: the lane of its view; -1: it feeds a node.
    private(set) var laneOfSubscription: [Int]

    init(_ graph: FlowGraph, _ topology: Topology, _ state: TraceState) {
        groups = graph.groups.map(\.name)
        for (place, name) in groups.enumerated() where groupsByName[name] == nil { groupsByName[name] = place }
        laneOfNode = Array(repeating: -1, count: topology.nodeIDs.count)
        laneOfSubscription = Array(repeating: -1, count: topology.subscriptions.count)
        for node in graph.nodes { add(node, graph, topology) }
        addViews(topology, state)
    }

    private mutating func add(_ node: FlowGraph.Node, _ graph: FlowGraph, _ topology: Topology) {
        let places = node.ids.compactMap { topology.place(ofNode: $0) }
        for place in places { laneOfNode[place] = lanes.count }
        let definition = topology.definitions.nodes[node.ids[0]]
        var lane = Lane(
            name: node.name, fullName: node.ids.count == 1 ? topology.definitions.name(ofNode: node.ids[0]) : node.name,
            match: topology.definitions.stableName(ofNode: node.ids[0]), group: node.group,
            kind: node.kind?.name ?? "node")
        if node.ids.count > 1, definition?.label != nil, let group = node.group, graph.groups[group].isOwner {
            lane.fullName = groups[group] + "." + node.name
        }
        (lane.isPrivate, lane.site, lane.valueType, lane.nodes) =
            (node.isPrivate, node.site, definition?.valueType, places)
        lane.isNamed = definition?.label != nil
        (lane.emissions, lane.refreshes, lane.suppressions) = (node.emissions, node.refreshes, node.suppressions)
        lanes.append(lane)
    }

    private mutating func addViews(_ topology: Topology, _ state: TraceState) {
        var groupsOfFile: [String: Set<Int>] = [:]
        for lane in lanes {
            guard let site = lane.site, let group = lane.group, !isWithoutOwner(group, site) else { continue }
            groupsOfFile[site.file, default: []].insert(group)
        }
        var known: [ViewKey: Int] = [:]
        for (place, subscription) in topology.subscriptions.enumerated() {
            let source = laneOfNode[topology.sources[place]]
            guard !subscription.isInternal, topology.targets[place] < 0, source >= 0 else { continue }
            let object = subscription.owner.flatMap { topology.definitions.objects[$0] }
            let key = ViewKey(source: source, site: subscription.site, owner: object?.type ?? object?.name)
            let lane = known[key] ?? lanes.count
            if known[key] == nil {
                known[key] = lane
                let (observed, line) = (lanes[source], subscription.site.map { ":\($0.line)" } ?? "")
                let suffix = subscription.site.map { " at \($0.shortDescription)" } ?? ""
                let full = "view of \(observed.fullName)\(suffix)"
                let short =
                    observed.isNamed ? "\(observed.name) → \(line)" : subscription.site?.shortDescription ?? full
                var view = Lane(name: short, fullName: full, match: observed.match, kind: "view")
                (view.isView, view.site, view.source) = (true, subscription.site, source)
                let files = subscription.site.flatMap { groupsOfFile[$0.file] } ?? []
                if let name = key.owner {
                    view.group = group(named: name)
                } else if files.count == 1 {
                    view.group = files.first
                } else {
                    view.group = subscription.site.map { group(ofFile: $0) } ?? lanes[source].group
                }
                lanes.append(view)
            }
            laneOfSubscription[place] = lane
            lanes[lane].refreshes &+= state.subscriptions[place].deliveries
        }
    }

    private func isWithoutOwner(_ group: Int, _ site: TraceSite) -> Bool {
        [site.fileName, site.file].contains { groups[group] == FlowGraph.Group.name(withoutOwnerIn: $0) }
    }

    /// The group of what has no owner and was made in this file.
    private mutating func group(ofFile site: TraceSite) -> Int {
        let long = FlowGraph.Group.name(withoutOwnerIn: site.file)
        return groupsByName[long] ?? group(named: FlowGraph.Group.name(withoutOwnerIn: site.fileName))
    }

    private mutating func group(named name: String) -> Int {
        if let known = groupsByName[name] { return known }
        groupsByName[name] = groups.count
        groups.append(name)
        return groups.count - 1
    }
}

/// Limits texts that a page shows as they are.
enum PageText {
    static func short(_ text: String) -> String { PrintableText.brief(text, scalars: 300) }
}
