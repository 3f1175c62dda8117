import WeirAnalysis
import WeirTrace

extension NodeDirectory {
    /// The ids of the nodes with the name `name`; several if the program made several instances.
    ///
    /// With `areDefined` a number is valid only if the trace defines that node. With `orEvent` the user may have meant an event.
    func ids(
        named name: String, in path: String, areDefined: Bool = true, orEvent: Bool = false
    ) throws(UsageError) -> [UInt32] {
        switch find(name) {
        case .found(let ids):
            // A number may refer to a node whose definition is lost.
            if areDefined, let id = ids.first, ids.count == 1, definitions.nodes[id] == nil {
                throw .undefinedNode(id, trace: path, last: definitions.nodes.keys.max() ?? 0, orEvent: orEvent)
            }
            return ids
        case .ambiguous(let candidates):
            throw .ambiguousNode(name, candidates: candidates.prefix(6).map(describe))
        case .unknown(let nearest): throw .unknownNode(name, trace: path, nearest: nearest)
        }
    }

    /// "LoginViewModel.username (12, Login/LoginViewModel.swift:18)".
    private func describe(_ id: UInt32) -> String {
        let site = definitions.nodes[id]?.site.map { ", \($0)" } ?? ""
        return "\(definitions.name(ofNode: id)) (\(id)\(site))"
    }
}
