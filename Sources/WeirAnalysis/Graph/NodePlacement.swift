import WeirTrace

/// Decides for each node of a graph to which group it belongs, its name there, and with which nodes it is merged.
///
/// A node belongs to the object that owns it, or else to the owner in its label ('LoginViewModel.username'). A node of neither,
/// such as an operator, stands with the others without owner from its file: being made in the same file as a model does not
/// make it the model's. Owners of the same type count as one, unless nothing is merged.
struct NodePlacement {
    enum GroupKey: Hashable {
        case owner(String)
        case object(UInt32)
        case file(String)

        var isOwner: Bool { if case .file = self { false } else { true } }
    }

    /// Nodes with equal keys are merged.
    struct MergeKey: Hashable {
        var group: GroupKey?
        var name = ""
        /// Distinguishes nodes with the same name that are not instances of the same code.
        var rank = 0
        var id: UInt32 = 0
    }

    /// One element for each node of the graph.
    private(set) var groups: [GroupKey?]
    private(set) var names: [String]
    private(set) var mergeKeys: [MergeKey]
    private(set) var groupNames: [GroupKey: String]
    let collapse: GraphOptions.Collapse

    private let definitions: TraceDefinitions
    private let ids: [UInt32]

    /// Places the nodes of an unmerged graph; `places` are their indexes in the topology.
    init(_ topology: Topology, _ places: [Int], edges: [FlowGraph.Edge], _ collapse: GraphOptions.Collapse) {
        self.collapse = collapse
        definitions = topology.definitions
        ids = places.map { topology.nodeIDs[$0] }
        groups = []
        names = []
        mergeKeys = []
        groupNames = [:]
        if collapse == .file {
            groups = ids.map { id in definitions.nodes[id]?.site.map { .file($0.file) } }
        } else {
            placeByOwner()
            placeByFile()
        }
        nameGroups()
        names = ids.indices.map(shownName)
        formMergeKeys(edges)
    }

    // MARK: groups

    private mutating func placeByOwner() {
        var objectsByType: [String: Int] = [:]
        for object in definitions.objects.values { object.type.map { objectsByType[$0, default: 0] += 1 } }
        groups = ids.map { id in
            guard let node = definitions.nodes[id] else { return nil }
            if let owner = node.owner, let object = definitions.objects[owner] {
                if collapse == .none { return .object(owner) }
                if let type = object.type, objectsByType[type, default: 0] > 1 { return .owner(type) }
                return .owner(object.name)
            }
            return node.label.flatMap(Self.owner).map { .owner($0) }
        }
    }

    /// "LoginViewModel" in "LoginViewModel.username".
    private static func owner(inLabel label: String) -> String? {
        guard let dot = label.firstIndex(of: "."), dot > label.startIndex else { return nil }
        return String(label[..<dot])
    }

    private mutating func placeByFile() {
        for (place, id) in ids.enumerated() where groups[place] == nil {
            groups[place] = definitions.nodes[id]?.site.map { .file($0.file) }
        }
    }

    private mutating func nameGroups() {
        let keys = Set(groups.lazy.compactMap(\.self))
        var uses: [String: Int] = [:]
        for key in keys { uses[shortName(key), default: 0] += 1 }
        for key in keys {
            let name = shortName(key)
            switch key {
            case .object(let id) where uses[name, default: 0] > 1: groupNames[key] = "\(name) #\(id)"
            case .file(let file):
                let shown = uses[name, default: 0] > 1 ? file : name
                groupNames[key] = collapse == .file ? shown : FlowGraph.Group.name(withoutOwnerIn: shown)
            default: groupNames[key] = name
            }
        }
    }

    private func shortName(_ key: GroupKey) -> String {
        switch key {
        case .owner(let name): name
        case .object(let id): definitions.objects[id]?.name ?? "object \(id)"
        case .file(let file): file.split(separator: "/").last.map(String.init) ?? file
        }
    }

    // MARK: names

    /// The label without the owner's name, or else kind and site.
    private func shownName(_ place: Int) -> String {
        let name = definitions.name(ofNode: ids[place])
        guard let node = definitions.nodes[ids[place]], let label = node.label else { return name }
        let object = node.owner.flatMap { definitions.objects[$0] }
        let prefixes = [object?.label, object?.type, object == nil ? Self.owner(inLabel: label) : nil]
        for prefix in prefixes.compactMap(\.self) where label.hasPrefix(prefix + ".") && label.count > prefix.count + 1
        {
            return String(label.dropFirst(prefix.count + 1))
        }
        return label
    }

    // MARK: merged nodes

    private mutating func formMergeKeys(_ edges: [FlowGraph.Edge]) {
        switch collapse {
        case .owner, .file:
            mergeKeys = ids.indices.map { place in
                groups[place].map { MergeKey(group: $0) } ?? MergeKey(name: names[place], id: ids[place])
            }
        case .none:
            mergeKeys = ids.map { MergeKey(id: $0) }
            addNumbersToSharedNames()
        case .instances:
            let ranks = ranksWithinSites(edges)
            let items = ItemNames(names, groups: groups)
            mergeKeys = ids.indices.map { place in
                // A node without definition is not an instance of anything.
                let id = definitions.nodes[ids[place]] == nil ? ids[place] : 0
                return MergeKey(group: groups[place], name: items.pattern(place), rank: ranks[place], id: id)
            }
            names = items.shown
            addOrdinalsToChains()
        }
    }

    private mutating func addNumbersToSharedNames() {
        var uses: [MergeKey: Int] = [:]
        for place in ids.indices { uses[MergeKey(group: groups[place], name: names[place]), default: 0] += 1 }
        for place in ids.indices where uses[MergeKey(group: groups[place], name: names[place]), default: 0] > 1 {
            names[place] += " #\(ids[place])"
        }
    }

    /// "map Cell.swift:12" and "map Cell.swift:12 (2)", if one line chains two operators of the same kind.
    private mutating func addOrdinalsToChains() {
        var ranksOfName: [MergeKey: Set<Int>] = [:]
        for key in mergeKeys { ranksOfName[key.withoutRank, default: []].insert(key.rank) }
        // Computed once for each name: a chain may be as long as the trace has nodes.
        let ordinals = ranksOfName.mapValues { ranks in
            Dictionary(uniqueKeysWithValues: ranks.sorted().enumerated().map { ($0.element, $0.offset) })
        }
        for (place, key) in mergeKeys.enumerated() where key.rank > 0 {
            let ordinal = ordinals[key.withoutRank]?[key.rank] ?? 0
            if ordinal > 0 { names[place] += " (\(ordinal + 1))" }
        }
    }

    /// For each node without label, how many nodes of the same line feed each other before it.
    ///
    /// Operators chained on one line are not instances of each other. If they were merged, they would seem to feed themselves.
    private func ranksWithinSites(_ edges: [FlowGraph.Edge]) -> [Int] {
        func site(_ place: Int) -> TraceSite? {
            guard let node = definitions.nodes[ids[place]], node.label == nil else { return nil }
            return node.site
        }
        let inner = edges.filter { edge in
            edge.kind != .handler && edge.source != edge.target && site(edge.source) != nil
                && site(edge.source) == site(edge.target)
        }
        var next = [[Int]](repeating: [], count: ids.count)
        var open = [Int](repeating: 0, count: ids.count)
        for edge in inner {
            next[edge.source].append(edge.target)
            open[edge.target] += 1
        }
        var ranks = [Int](repeating: 0, count: ids.count)
        var ready = ids.indices.filter { open[$0] == 0 }
        // Nodes on a cycle never become ready, and keep the rank found so far.
        while let place = ready.popLast() {
            for target in next[place] {
                ranks[target] = max(ranks[target], ranks[place] + 1)
                open[target] -= 1
                if open[target] == 0 { ready.append(target) }
            }
        }
        return ranks
    }
}

extension NodePlacement.MergeKey {
    fileprivate var withoutRank: Self {
        var result = self
        result.rank = 0
        return result
    }
}
