/// What the references of a graph prove: what is garbage, what closes circles, and by which way everything else is held.
///
/// Takes time in proportion to objects and references; what would take more is bounded, and counted where it is left out.
struct HeapProof {
    /// A circle of strong references.
    struct Circle: Equatable {
        /// Reference `k` leads from object `k` to the next one, the last back to the first.
        var objects: [Int32]
        /// Places in the graph's `targets`.
        var references: [Int]
        /// No way from outside leads to it.
        var isProven: Bool
        /// Objects and bytes of the whole strongly connected component.
        var componentObjects: Int, componentBytes: Int
        /// Bytes that reference counting would free were the component freed now, it included.
        var retainedSize: Int
    }

    /// Circles, proven ones first.
    let circles: [Circle]
    /// Closures and instances through which no circle is told because of the bounds.
    let omittedCircles: Int
    /// Objects to which more references were found than they count, ascending. They are taken for held.
    let inconsistent: [Int32]

    private let outside: OutsideReferences
    private let ways: WaysFromOutside
    private let waysWithoutHandlers: WaysFromOutside?
    private let retainedSizes: [Int32: Int]

    /// Throws `NoMemory` where there is none for what it keeps of each object.
    ///
    /// - Parameters:
    ///   - pins: references to objects that are the caller's own, and do not count.
    ///   - handlerRoots: objects that stand for handlers.
    ///   - wanted: roots whose way is to be told.
    ///   - rootCount: the first objects of the graph are roots; circles begin at the first of these on them.
    init(
        graph: HeapGraph, pins: [Int32: Int], handlerRoots: [Int32], wanted: [Int32], rootCount: Int, circleLimit: Int
    ) throws {
        self = try graph.withRows { rows in
            try HeapProof(graph, rows, pins, handlerRoots, wanted, rootCount, circleLimit)
        }
    }

    private init(
        _ graph: HeapGraph, _ rows: HeapRows, _ pins: [Int32: Int], _ handlers: [Int32], _ wanted: [Int32],
        _ rootCount: Int, _ circleLimit: Int
    ) throws(NoMemory) {
        outside = try OutsideReferences(of: graph, rows, pins: pins)
        inconsistent = outside.inconsistent
        ways = try WaysFromOutside(rows, outside: outside.counts, wanted: wanted)
        waysWithoutHandlers =
            handlers.isEmpty ? nil : try WaysFromOutside(rows, outside: outside.counts, barred: handlers)
        let components = try CyclicComponents(rows, found: outside.found)
        let summaries = ComponentSummary.all(graph, rows, components, ways)
        let release = try ReleaseSimulation(graph, rows, outside)
        if let incoming = components.incoming {
            let chosen = try ToldCircles(
                graph, rows, components, incoming, summaries, limit: circleLimit, rootCount: rootCount)
            let freed = chosen.told.isEmpty ? [] : try release.bytes(freedWith: components, summaries)
            omittedCircles = chosen.omitted
            circles = chosen.told.map { told in
                let summary = summaries[Int(told.component)]
                return Circle(
                    objects: told.circle.objects, references: told.circle.references, isProven: summary.isGarbage,
                    componentObjects: summary.objects, componentBytes: summary.bytes,
                    retainedSize: freed[Int(told.component)])
            }
        } else {
            omittedCircles = 0
            circles = []
        }
        // A chain of roots would be followed again from each of them; the bound leaves the last ones without a size.
        let budget = 1 << 20 + 4 * (rows.count + rows.referenceCount)
        var retainedSizes: [Int32: Int] = [:]
        for object in wanted where release.cost < budget {
            retainedSizes[object] = release.bytes(freedWith: object)
        }
        self.retainedSizes = retainedSizes
    }

    /// Strong references to an object that the walk did not find. `Int32.max`: it never dies; below zero: more were found
    /// than it counts.
    func outsideReferences(_ object: Int32) -> Int32 { outside.counts[object] }

    /// Whether no way from outside leads to an object.
    func isGarbage(_ object: Int32) -> Bool { ways.holders[object] == WaysFromOutside.isGarbage }

    /// Whether every way from outside to an object goes through a handler, or ends at one.
    func isHeldByHandlersOnly(_ object: Int32) -> Bool {
        guard let waysWithoutHandlers, !isGarbage(object) else { return false }
        return waysWithoutHandlers.holders[object] == WaysFromOutside.isGarbage
    }

    /// The object before this one on a shortest way from outside; nil: it is held from outside itself, or is garbage.
    func holder(of object: Int32) -> Int32? {
        let holder = ways.holders[object]
        return holder >= 0 ? holder : nil
    }

    /// Bytes that reference counting would free were the object freed now, its own included; nil: not wanted, or one of so
    /// many that the time for all of them would not be in proportion.
    func retainedSize(of object: Int32) -> Int? { retainedSizes[object] }
}
