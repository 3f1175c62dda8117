import WeirTrace

/// The dependency graph of a trace, at one moment or over a whole recording, ready to be drawn.
///
/// Nodes, edges and groups name each other by their places in `nodes` and `groups`. Self-loops and cycles occur.
public struct FlowGraph: Sendable, Equatable {
    /// A node of the data flow, or several that are drawn as one.
    public struct Node: Sendable, Equatable {
        /// The ids in the trace of what it stands for, in order; never empty.
        public var ids: [UInt32]
        /// Its label without its owner's name, else its kind and site; of several, what they have in common.
        public var name: String
        /// What it is; nil: unknown, or of several kinds.
        public var kind: NodeKind?
        /// Where it was made; nil: unknown, or at several places.
        public var site: TraceSite?
        /// Its values are withheld.
        public var isPrivate = false
        /// The place of its group in `groups`.
        public var group: Int?
        /// Whether it (or one of several) existed at the moment that the graph shows; over a whole recording, false
        /// only of a combiner that was released while it had subscribers and what feeds it went on.
        public var isAlive = true
        /// The value that it held then; nil: none, unknown, or several.
        public var value: TraceValue?
        /// New values that it gave out until then.
        public var emissions: UInt64 = 0
        /// Deliveries of its values to terminal handlers, such as views.
        public var refreshes: UInt64 = 0
        /// Values of it that went no further, for whatever reason.
        public var suppressions: UInt64 = 0
        /// Terminal handlers subscribed to it: live ones at a moment, all over a whole recording.
        public var handlers = 0
        /// Edges between the nodes that it stands for, where these are not drawn.
        public var hiddenEdges = 0

        /// A node that stands for `ids`; everything else as nothing is known of it.
        public init(ids: [UInt32], name: String) {
            self.ids = ids
            self.name = name
        }

        /// All that it did, as far as it is counted here.
        public var activity: UInt64 { emissions &+ refreshes &+ suppressions }
    }

    /// What makes one node depend on another.
    public enum EdgeKind: Int, Sendable, CaseIterable {
        /// A subscription that carries values.
        case data
        /// A subscription that triggers and gives no value.
        case timing
        /// A handler or function of the source wrote to the target: no subscription says so, it was seen to happen.
        case handler
    }

    /// A dependency, or several of one kind between the same two nodes.
    public struct Edge: Sendable, Equatable {
        /// The place of the node that is observed.
        public var source: Int
        /// The place of the node that it feeds.
        public var target: Int
        /// What it is.
        public var kind: EdgeKind
        /// Subscriptions that it stands for; of a handler's edge: times that it was seen to write.
        public var count = 1
        /// Deliveries of values through it; of a handler's edge: times that it was seen to write.
        public var deliveries: UInt64 = 0
        /// It closes a circle of the program's own nodes: without the edges marked so, they form none.
        ///
        /// Nodes that are drawn as one may still lead in a circle, which is no circle of the program.
        public var isFeedback = false
        /// Whether it (or one of several) existed at the moment that the graph shows.
        public var isAlive = true

        /// An edge from one node to another.
        public init(source: Int, target: Int, kind: EdgeKind) {
            self.source = source
            self.target = target
            self.kind = kind
        }
    }

    /// Nodes that belong together: of one owner, or of one file.
    public struct Group: Sendable, Equatable {
        /// The owner's name, else the file's.
        public var name: String

        /// A group of this name.
        public init(name: String) { self.name = name }
    }

    /// The nodes, ordered by their first id.
    public var nodes: [Node] = []
    /// The edges, ordered by source, target and kind.
    public var edges: [Edge] = []
    /// The groups, ordered by the first node in each.
    public var groups: [Group] = []
    /// Nodes that did nothing, are connected to nothing, and are left out for that.
    public var idleNodes = 0

    /// A graph of nothing.
    public init() {}
}
