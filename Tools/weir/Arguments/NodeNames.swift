import WeirAnalysis
import WeirTrace

extension NodeDirectory {
    /// The ids of the nodes that `name` stands for: several when the program made several instances.
    func ids(named name: String, in path: String) throws(UsageError) -> [UInt32] {
        switch find(name) {
        case .found(let ids): return ids
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
