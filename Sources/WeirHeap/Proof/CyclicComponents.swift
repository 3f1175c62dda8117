/// The strongly connected components that have a circle: more than one object, or one that refers to itself.
///
/// Three steps, each cheaper by far than the next where it suffices: what nothing on a circle comes before is peeled off;
/// in what is left the component of the first object is found by searching from it in both directions; the rest is numbered
/// without recursion. Sources: Fleischer, Hendrickson and Pinar, 'On identifying strongly connected components in
/// parallel', 2000; Tarjan, 'Depth-first search and linear graph algorithms', 1972; with one number an object as in Pearce,
/// 'A space-efficient algorithm for finding strongly connected components', 2016.
struct CyclicComponents {
    /// How many there are.
    let count: Int
    /// The references between objects that were not peeled off, by target; nil: there is no circle.
    let incoming: IncomingReferences?
    /// At the end `.max` for objects on no circle, and below it, downwards, the component.
    private let states: Column<Int32>

    /// From so many objects on the component of the first one is found by searching.
    static let searchedFrom = 4096

    /// The component that `object` lies in; -1: it lies on no circle.
    @inline(__always)
    func component(of object: Int32) -> Int32 { .max &- 1 &- states[object] }

    /// - Parameter found: how many references lead to each object.
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
