import WeirTrace

/// Finds the nodes of a trace that a person names: by id, by name, or by the end of a name.
package struct NodeDirectory: Sendable {
    /// The result of a search.
    package enum Match: Sendable, Equatable {
        /// The ids of the nodes with this name: several if the program made several instances.
        case found([UInt32])
        /// Nodes with different names end like this; their ids, in order of name.
        case ambiguous([UInt32])
        /// No node has this name; the most similar names, best first.
        case unknown(nearest: [String])
    }

    /// Everything that the trace defines.
    package let definitions: TraceDefinitions
    private let ids: [UInt32]

    /// A directory of the nodes of `definitions`.
    package init(_ definitions: TraceDefinitions) {
        self.definitions = definitions
        ids = definitions.nodes.keys.sorted()
    }

    /// The nodes that `query` names.
    ///
    /// A decimal number is an id ('12', '#12'), and so is a number that follows a name and '#' ('LoginViewModel.username #12'). Otherwise the
    /// search compares, in this order:
    ///
    /// - the whole name;
    /// - the property's name ('username' for 'LoginViewModel.username'), or the name's beginning and '…', as a table cuts it;
    /// - the last words ('main.swift:21' for 'observable main.swift:21').
    ///
    /// It then repeats these steps without regard to letter case, and at last takes the query for the beginning of names
    /// ('quantityField' for 'OrderModel.quantityField.view'). A number without match, or 'node 12', names a node that the
    /// trace may mention without defining it.
    package func find(_ query: String) -> Match {
        if let id = UInt32(query), definitions.nodes[id] != nil { return .found([id]) }
        let match = findByName(query)
        guard case .unknown = match else { return match }
        if let id = numbered(query) { return .found([id]) }
        return match
    }

    /// How a name matches the query, best first.
    private enum Likeness: CaseIterable {
        case whole
        /// The query is the property's own name, without its owner's, or a name cut by a table.
        case property
        /// The query is the last words of the name.
        case words
    }

    private func findByName(_ query: String) -> Match {
        for (fold, likeness) in [false, true].flatMap({ fold in Likeness.allCases.map { (fold, $0) } }) {
            let wanted = fold ? query.lowercased() : query
            let hits = ids.filter { id in
                let name = fold ? name(of: id).lowercased() : name(of: id)
                switch likeness {
                case .whole: return name == wanted
                case .property:
                    return name.hasSuffix("." + wanted) || wanted.hasSuffix("…") && name.hasPrefix(wanted.dropLast())
                case .words: return name.hasSuffix(" " + wanted)
                }
            }
            guard !hits.isEmpty else { continue }
            if Set(hits.map(name(of:))).count == 1 { return .found(hits) }
            return .ambiguous(hits.sorted { (name(of: $0), $0) < (name(of: $1), $1) })
        }
        // The nodes through which a command or channel publishes, or those of an owner.
        let parts = ids.filter { name(of: $0).hasPrefix(query + ".") || name(of: $0).contains("." + query + ".") }
        if parts.isEmpty { return .unknown(nearest: nearest(to: query)) }
        return .ambiguous(parts.sorted { (name(of: $0), $0) < (name(of: $1), $1) })
    }

    /// The id in 'NAME #12' if that node has the name, in '12', '#12' and 'node 12'.
    private func numbered(_ query: String) -> UInt32? {
        if let id = UInt32(query) ?? UInt32(query.drop { $0 == "#" }) { return id }
        if let hash = query.lastIndex(of: "#"), let id = UInt32(query[hash...].dropFirst()) {
            let name = query[..<hash].dropLast()
            guard query[..<hash].hasSuffix(" ") else { return nil }
            switch findByName(String(name)) {
            case .found(let ids), .ambiguous(let ids): return ids.contains(id) ? id : nil
            case .unknown: return nil
            }
        }
        let words = query.split(separator: " ")
        guard words.count == 2, let id = UInt32(words[1]) else { return nil }
        return query == TraceNode.name(ofUndefined: id) ? id : nil
    }

    private func name(of id: UInt32) -> String { definitions.name(ofNode: id) }

    private func nearest(to query: String) -> [String] {
        var nameByEnd: [String: String] = [:]
        for id in ids {
            let name = name(of: id)
            nameByEnd[name] = name
            // A short query is compared with the last component: 'usernme' matches 'LoginViewModel.username'.
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
