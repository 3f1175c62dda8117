/// The strongly connected components with a cycle: more than one object, or one that refers to itself.
///
/// There are three steps, each far cheaper than the next where it suffices:
/// 1. Objects that no cycle leads to are peeled off.
/// 2. A search in both directions from the first remaining object finds its component.
/// 3. The rest is numbered without recursion.
///
/// Sources: Fleischer, Hendrickson and Pinar, 'On identifying strongly connected components in parallel', 2000; Tarjan,
/// 'Depth-first search and linear graph algorithms', 1972; with one number per object as in Pearce, 'A space-efficient algorithm
/// for finding strongly connected components', 2016.
struct CyclicComponents {
    /// The number of components.
    let count: Int
    /// The references between objects that were not peeled off, by target; nil if there is no cycle.
    let incoming: IncomingReferences?
    /// `.max` for objects on no cycle; below it, counting down, the component.
    private let states: Column<Int32>

    /// The number of objects from which on a search finds the component of the first one.
    static let searchedFrom = 4096

    /// The component of `object`; -1 if it is on no cycle.
    @inline(__always)
    func component(of object: Int32) -> Int32 { .max &- 1 &- states[object] }

    /// - Parameter found: the number of references that lead to each object.
    init(_ rows: HeapRows, found: Column<Int32>, searchedFrom: Int = Self.searchedFrom) throws(NoMemory) {
        states = try Column(zeroed: rows.count)
        var numbering = ComponentNumbering(rows, states)
        let left = try numbering.peel(found)
        guard left.objects > 0 else {
            count = 0
            incoming = nil
            return
        }
        let incoming = try IncomingReferences(rows, states, left.references)
        self.incoming = incoming
        let objects = 0..<Int32(truncatingIfNeeded: rows.count)
        if left.objects >= searchedFrom, let first = objects.first(where: numbering.isUnmet) {
            try numbering.search(from: first, incoming)
        }
        for object in objects where numbering.isUnmet(object) { numbering.number(from: object) }
        count = numbering.components
    }
}
