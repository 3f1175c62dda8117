import WeirAnalysis
import WeirTrace

/// A dependency graph as JSON; `JSONOutput.md` documents its fields.
package struct GraphJSON {
    private let graph: FlowGraph
    private let path: String
    private let moment: JSONValue

    /// A rendering of the graph of the trace at `path`, as of an event at a time in nanoseconds; nil: of the whole trace.
    package init(_ graph: FlowGraph, path: String, asOf moment: (event: EventID?, nanoseconds: UInt64)? = nil) {
        self.graph = graph
        self.path = path
        self.moment =
            moment.map { moment in
                [
                    "event": moment.event.map { .string("\($0)") } ?? .null,
                    "nanoseconds": .unsigned(moment.nanoseconds),
                ]
            } ?? .null
    }

    /// The object.
    package var json: JSONValue {
        [
            "path": .string(path), "asOf": moment,
            "groups": .array(graph.groups.map { ["name": .string($0.name)] }),
            "nodes": .array(graph.nodes.map(Self.node)),
            "edges": .array(graph.edges.map(Self.edge)),
            "idleNodes": .signed(Int64(graph.idleNodes)),
        ]
    }

    private static func node(_ node: FlowGraph.Node) -> JSONValue {
        [
            "ids": .array(node.ids.map { .unsigned(UInt64($0)) }), "name": .string(node.name),
            "kind": node.kind.map { .string($0.name) } ?? .null,
            "site": node.site.map { .string($0.description) } ?? .null,
            "private": .bool(node.isPrivate), "alive": .bool(node.isAlive),
            "group": node.group.map { .signed(Int64($0)) } ?? .null,
            "value": node.value?.json ?? .null, "valueForm": .string((node.value ?? .notRecorded).formName),
            "emissions": .unsigned(node.emissions), "refreshes": .unsigned(node.refreshes),
            "suppressed": .unsigned(node.suppressions), "handlers": .signed(Int64(node.handlers)),
            "unheard": .signed(Int64(node.unheard)), "hiddenEdges": .signed(Int64(node.hiddenEdges)),
        ]
    }

    private static func edge(_ edge: FlowGraph.Edge) -> JSONValue {
        [
            "source": .signed(Int64(edge.source)), "target": .signed(Int64(edge.target)),
            "kind": .string(GraphWords.name(edge.kind)), "count": .signed(Int64(edge.count)),
            "deliveries": .unsigned(edge.deliveries), "feedback": .bool(edge.isFeedback),
        ]
    }
}
