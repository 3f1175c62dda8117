/// Which nodes of a graph are drawn, and which are merged.
package struct GraphOptions: Sendable, Equatable {
    /// Which nodes are merged.
    package enum Collapse: String, Sendable, CaseIterable {
        /// None.
        case none
        /// Nodes with the same name and kind whose owners have the same type, such as the cells of a list.
        case instances
        /// All nodes with the same owner.
        case owner
        /// All nodes made in one file.
        case file
    }

    /// In which direction edges are followed from the selected nodes.
    package enum Direction: Sendable, CaseIterable {
        /// To the nodes on which they depend.
        case upstream
        /// To the nodes that depend on them.
        case downstream
        /// Both, each by itself: other inputs of a node downstream are not shown.
        case both
    }

    /// Which nodes are merged.
    package var collapse = Collapse.instances
    /// Only these nodes, by id, and the nodes connected with them; nil selects all.
    package var nodes: Set<UInt32>?
    /// How many edges are followed from these nodes; nil follows all.
    package var depth: Int?
    /// The direction in which edges are followed.
    package var direction = Direction.both
    /// Whether nodes are shown that did nothing and have no connections.
    package var showsIdleNodes = false

    /// All nodes that did something, with instances merged.
    package init() {}
}
