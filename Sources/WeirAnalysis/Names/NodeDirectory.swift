import WeirTrace

/// Finds the nodes of a trace that a person names: by id, by name, or by the end of a name.
public struct NodeDirectory: Sendable {
    /// What a name stands for.
    public enum Match: Sendable, Equatable {
        /// The ids of the nodes so named: several when the program made several instances.
        case found([UInt32])
        /// Nodes of different names end like this; their ids, in order of name.
        case ambiguous([UInt32])
        /// No node is named so; the names that come nearest, best first.
        case unknown(nearest: [String])
    }

    /// Everything that the trace defines.
    public let definitions: TraceDefinitions
    private let ids: [UInt32]

    /// A directory of the nodes of `definitions`.
    public init(_ definitions: TraceDefinitions) {
        self.definitions = definitions
        ids = definitions.nodes.keys.sorted()
    }

    /// The nodes that `query` stands for.
    ///
    /// A decimal number is an id. Otherwise the whole name decides, then its last components
    /// ('username' for 'LoginViewModel.username'), then both again without regard to letter case.
    public func find(_ query: String) -> Match {
        if let id = UInt32(query), definitions.nodes[id] != nil { return .found([id]) }
        for (fold, whole) in [(false, true), (false, false), (true, true), (true, false)] {
            let wanted = fold ? query.lowercased() : query
            let hits = ids.filter { id in
                let name = fold ? name(of: id).lowercased() : name(of: id)
                return name == wanted || (!whole && name.hasSuffix("." + wanted))
            }
            guard !hits.isEmpty else { continue }
            if Set(hits.map(name(of:))).count == 1 { return .found(hits) }
            return .ambiguous(hits.sorted { (name(of: $0), $0) < (name(of: $1), $1) })
        }
        return .unknown(nearest: nearest(to: query))
    }

    private func name(of id: UInt32) -> String { definitions.name(ofNode: id) }

    private func nearest(to query: String) -> [String] {
        var nameByEnd: [String: String] = [:]
        for id in ids {
            let name = name(of: id)
            nameByEnd[name] = name
            // A short query is compared with the last component: 'usernme' means 'LoginViewModel.username'.
            if !query.contains("."), let end = name.split(separator: ".").last, nameByEnd[String(end)] == nil {
                nameByEnd[String(end)] = name
            }
        }
        var names: [String] = []
        for end in Spelling.nearest(to: query, among: nameByEnd.keys, limit: 6) {
            guard let name = nameByEnd[end], !names.contains(name) else { continue }
            names.append(name)
        }
        return Array(names.prefix(3))
    }
}
