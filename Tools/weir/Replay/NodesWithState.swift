import WeirAnalysis
import WeirTrace

/// The nodes of a trace by name, as far as their state can be told.
struct NodesWithState {
    private let topology: Topology
    private let directory: NodeDirectory
    private let path: String

    init(_ topology: Topology, path: String) {
        self.topology = topology
        self.path = path
        directory = NodeDirectory(topology.definitions)
    }

    /// The ids of the nodes of a name; one that the trace mentions without defining it is refused.
    func ids(named name: String) throws(UsageError) -> [UInt32] {
        let ids = try directory.ids(named: name, in: path)
        if let id = ids.first(where: { topology.place(ofNode: $0) == nil }) {
            throw .undefinedNode(id, trace: path)
        }
        return ids
    }
}
