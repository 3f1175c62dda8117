import WeirAnalysis
import WeirTrace

/// Looks up a trace's nodes by name and accepts only those with a known state.
struct NodesWithState {
    private let topology: Topology
    private let directory: NodeDirectory
    private let path: String

    init(_ topology: Topology, path: String) {
        self.topology = topology
        self.path = path
        directory = NodeDirectory(topology.definitions)
    }

    /// The ids of the nodes with a name; refuses a node that the trace mentions without defining it.
    func ids(named name: String) throws(UsageError) -> [UInt32] {
        let ids = try directory.ids(named: name, in: path)
        if let id = ids.first(where: { topology.place(ofNode: $0) == nil }) {
            throw .undefinedNode(id, trace: path, last: topology.nodeIDs.last ?? 0)
        }
        return ids
    }
}
