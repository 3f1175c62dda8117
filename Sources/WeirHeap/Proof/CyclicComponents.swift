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

/// Facts about a whole cyclic component.
struct ComponentSummary {
    /// The object with the lowest number.
    var firstObject: Int32
    /// The number of objects, and their bytes.
    var objects = 0, bytes = 0
    /// Whether no path from outside leads to it. Paths lead to all of its objects or to none.
    var isGarbage: Bool
    /// Whether it has closures, or instances that the source names.
    var hasClosures = false, hasInstances = false

    /// One summary for each component.
    static func all(
        _ graph: HeapGraph, _ rows: HeapRows, _ components: CyclicComponents, _ ways: WaysFromOutside
    ) -> [ComponentSummary] {
        guard components.count > 0 else { return [] }
        let none = ComponentSummary(firstObject: -1, isGarbage: true)
        var summaries = Array(repeating: none, count: components.count)
        for object in 0..<Int32(truncatingIfNeeded: rows.count) {
            let component = components.component(of: object)
            guard component >= 0 else { continue }
            let traits = graph.traits[Int(object)]
            summaries.withUnsafeMutableBufferPointer { summaries in
                if summaries[Int(component)].objects == 0 {
                    summaries[Int(component)].firstObject = object
                    summaries[Int(component)].isGarbage = ways.holders[object] == WaysFromOutside.isGarbage
                }
                summaries[Int(component)].objects &+= 1
                summaries[Int(component)].bytes &+= Int(graph.sizes[Int(object)])
                if traits.contains(.isClosure) { summaries[Int(component)].hasClosures = true }
                if traits.isInstanceInSource { summaries[Int(component)].hasInstances = true }
            }
        }
        var closures = graph.closureReferences[...]
        guard !closures.isEmpty else { return summaries }
        for object in 0..<Int32(truncatingIfNeeded: rows.count) {
            let component = components.component(of: object)
            while let place = closures.first, place < rows.places(of: object).upperBound {
                closures.removeFirst()
                guard component >= 0, graph.isClosure(place, inside: components, component) else { continue }
                summaries[Int(component)].hasClosures = true
            }
        }
        return summaries
    }
}
