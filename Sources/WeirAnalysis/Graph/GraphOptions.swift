/// Which nodes of a graph are drawn, and which are drawn as one.
public struct GraphOptions: Sendable, Equatable {
    /// Which nodes are drawn as one.
    public enum Collapse: String, Sendable, CaseIterable {
        /// None.
        case none
        /// Those of the same name and kind whose owners are of the same type, such as the cells of a list.
        case instances
        /// All nodes of one owner.
        case owner
        /// All nodes made in one file.
        case file
    }

    /// Which way edges are followed from the nodes that were asked for.
    public enum Direction: Sendable, CaseIterable {
        /// To what they depend on.
        case upstream
        /// To what depends on them.
        case downstream
        /// Up and down, each for itself: what else feeds a node downstream is not shown.
        case both
    }

    /// Which nodes are drawn as one.
    public var collapse = Collapse.instances
    /// Only these nodes, by id, and what is connected with them; nil: all.
    public var nodes: Set<UInt32>?
    /// How many edges are followed from these nodes; nil: all.
    public var depth: Int?
    /// Which way.
    public var direction = Direction.both
    /// Nodes are shown that did nothing and are connected to nothing.
    public var showsIdleNodes = false

    /// All nodes that did something, instances drawn as one.
    public init() {}
}
